"""Values that several readers share: arrays nobody may write into, and containers of one's own around them."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def freeze(value: T) -> T:
    """The same value, every array in it read-only: in mappings, sequences and dataclasses too.

    >>> freeze({"mean": np.zeros(2)})["mean"].flags.writeable
    False
    """
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
        if value.dtype == object:
            _freeze_each(value.ravel())
    elif isinstance(value, dict):
        _freeze_each(value.values())
    elif isinstance(value, (list, tuple, set, frozenset)):
        _freeze_each(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        _freeze_each(getattr(value, field.name, None) for field in dataclasses.fields(value))
    return value


def handed_out(value: Any) -> Any:
    """A frozen value for one reader: its dicts and lists are copies, the arrays in them are shared.

    >>> kept = {"mean": np.zeros(2)}
    >>> handed_out(kept).pop("mean") is kept["mean"]
    True
    """
    kind = type(value)
    if kind is dict:
        return {key: handed_out(each) for key, each in value.items()}
    if kind is list:
        return [handed_out(each) for each in value]
    return value


def _freeze_each(values: Any) -> None:
    for each in values:
        # Numbers and texts are most of what stands in lists.
        if not isinstance(each, (int, float, str, bytes, type(None))):
            freeze(each)
