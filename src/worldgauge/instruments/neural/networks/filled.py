"""A network with a checkpoint's parameters, without random numbers first: those take longer than reading the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
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
    make: Callable[[], Module],
    state: Mapping[str, Tensor],
    network: str,
    rename: Rename | None = None,
    drop_surplus: bool = False,
) -> Module:
    """What `make` builds, strictly loaded, in evaluation mode, in float32 on the CPU."""
    with Unfilled():
        module = make()
    load_strict(module, state, network, rename, drop_surplus)
    module.requires_grad_(False)
    fold_normalisations(module)
    return module


def fold_normalisations(module: nn.Module) -> None:
    """Make a batch normalisation part of the convolution before it: after training both are one linear map, and a pass
    over the whole picture is saved. Pairs are told by their order in a chain, or by their names: `conv1`, `bn1`."""
    for holder in module.modules():
        children = list(holder.named_children())
        follows = dict(pairwise(name for name, _ in children)) if isinstance(holder, nn.Sequential) else {}
        parts = dict(children)
        for name, part in children:
            after = follows.get(name) or name.replace("conv", "bn")
            norm = parts.get(after)
            if isinstance(part, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                _fold(part, norm)
                setattr(holder, after, nn.Identity())


def _fold(convolution: nn.Conv2d, norm: nn.BatchNorm2d) -> None:
    scale = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
    bias = 0.0 if convolution.bias is None else convolution.bias.double()
    shifted = norm.bias.double() + (bias - norm.running_mean.double()) * scale
    kind = convolution.weight.dtype
    folded = (convolution.weight.double() * scale[:, None, None, None]).to(kind)
    convolution.weight = nn.Parameter(folded, requires_grad=False)
    convolution.bias = nn.Parameter(shifted.to(kind), requires_grad=False)
