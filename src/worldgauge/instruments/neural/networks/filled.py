"""A network with a checkpoint's parameters, without random numbers first: those take longer than reading the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from worldgauge.instruments.neural.state import Rename, load_strict

Module = TypeVar("Module", bound=nn.Module)


class Unfilled(TorchFunctionMode):
    """While it is entered, layers are made with whatever their memory holds."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == nn.init.__name__:
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def filled(
    make: Callable[[], Module], state: Mapping[str, Tensor], network: str, rename: Rename | None = None
) -> Module:
    """What `make` builds, strictly loaded, in evaluation mode, in float32 on the CPU."""
    with Unfilled():
        module = make()
    load_strict(module, state, network, rename)
    module.requires_grad_(False)
    return module
