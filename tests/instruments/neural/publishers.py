"""Files of weights by the writers that publishers use, out of a module that has the published names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn


class Twin(nn.Module):
    """A module with nothing but the parameters of a published checkpoint; the names of a group share one."""

    def __init__(self, state: Mapping[str, torch.Tensor], shared: Sequence[Sequence[str]] = ()) -> None:
        super().__init__()
        first = {name: group[0] for group in shared for name in group}
        made: dict[str, nn.Parameter] = {}
        for name, value in state.items():
            kept = made.setdefault(first.get(name, name), nn.Parameter(value, requires_grad=False))
            owner: nn.Module = self
            *path, last = name.split(".")
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, nn.Module())
                owner = owner._modules[part]  # type: ignore[assignment]
            owner.register_parameter(last, kept)


Wrap = Callable[[dict[str, Any]], Any]
WRAPPINGS: dict[str, Wrap] = {
    "module.": lambda state: {f"module.{name}": value for name, value in state.items()},
    "_orig_mod.": lambda state: {f"_orig_mod.{name}": value for name, value in state.items()},
    "both": lambda state: {f"module._orig_mod.{name}": value for name, value in state.items()},
    **{
        wrapper: lambda state, wrapper=wrapper: {wrapper: state, "epoch": 3}  # type: ignore[misc]
        for wrapper in ("model", "state_dict", "model_state_dict", "params", "params_ema", "ema")
    },
    "trained in parallel": lambda state: {"model_state_dict": {f"module.{n}": v for n, v in state.items()}, "step": 1},
    "Lightning": lambda state: {
        "pytorch-lightning_version": "2.5",
        "state_dict": {f"model.{name}": value for name, value in state.items()},
    },
    "compiled in Lightning": lambda state: {
        "state_dict": {f"model._orig_mod.{name}": value for name, value in state.items()}
    },
}
"""How trainers keep a network's parameters."""


def save_pickle(twin: Twin, path: Path) -> None:
    torch.save(twin.state_dict(), path)


def save_safetensors(twin: Twin, path: Path) -> None:
    from safetensors.torch import save_model

    save_model(twin, str(path))


def save_on_hub(twin: Twin, path: Path) -> None:
    """As `save_pretrained` of the hub's mixin does."""
    from huggingface_hub import PyTorchModelHubMixin

    class Published(Twin, PyTorchModelHubMixin):
        """What authors publish: their module, and the hub's own methods."""

    twin.__class__ = Published
    folder = path.parent / "hub"
    twin.save_pretrained(folder)  # type: ignore[operator]
    (folder / "model.safetensors").replace(path)


WRITERS = {"torch.save": save_pickle, "save_model": save_safetensors, "save_pretrained": save_on_hub}
