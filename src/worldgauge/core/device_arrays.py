"""Values that were computed on a GPU and lie there still, beside arrays; nothing here imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_on_device(value: Any) -> bool:
    """Whether a value lies on a GPU.

    >>> is_on_device(np.zeros(2))
    False
    """
    return bool(getattr(value, "is_cuda", False))


def as_array(value: Any) -> NDArray[Any]:
    """The value as an array, brought here if it lies on a GPU."""
    if not is_on_device(value):
        return np.asarray(value)
    import torch

    # Asleep until it is there: a plain copy keeps a core busy with asking whether it is.
    with torch.inference_mode():
        here = torch.empty(value.shape, dtype=value.dtype, pin_memory=True)
        here.copy_(value, non_blocking=True)
    there = torch.cuda.Event(blocking=True)
    there.record(torch.cuda.current_stream(value.device))
    there.synchronize()
    return np.array(here.numpy())


def joined_rows(first: Any, second: Any) -> Any:
    """The rows of both, one after the other, where they lie.

    >>> joined_rows(np.zeros((1, 2)), np.ones((2, 2))).shape
    (3, 2)
    """
    if not is_on_device(first):
        return np.concatenate([first, second])
    import torch

    return torch.cat([first, second])


def beside(array: Any, value: Any) -> Any:
    """The array on the device of a value: untouched where that is none."""
    if not is_on_device(value) or is_on_device(array):
        return array
    import torch

    return torch.as_tensor(array, device=value.device)


def gathered(numbers: Sequence[Any]) -> NDArray[np.float64]:
    """Numbers, and tensors of numbers on a device, as one array, (N,); what lies on a device comes in one piece.

    >>> gathered([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    if not any(is_on_device(part) for part in numbers):
        return np.array(numbers, np.float64)
    import torch

    where = next(part.device for part in numbers if is_on_device(part))
    joined = torch.cat([torch.as_tensor(part, dtype=torch.float64, device=where).reshape(-1) for part in numbers])
    return as_array(joined)
