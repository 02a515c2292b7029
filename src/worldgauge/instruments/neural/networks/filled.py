"""A network with a checkpoint's parameters, without random numbers first: those take longer than reading the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn

from worldgauge.instruments.neural.state import Rename, load_strict

Module = TypeVar("Module", bound=nn.Module)


def filled(
    make: Callable[[], Module], state: Mapping[str, Tensor], network: str, rename: Rename | None = None
) -> Module:
    """What `make` builds, strictly loaded, in evaluation mode, in float32 on the CPU."""
    with torch.device("meta"):
        module = make()
    load_strict(module.to_empty(device="cpu"), state, network, rename)
    return module.requires_grad_(False)
