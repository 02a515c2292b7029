"""Strict loading of a checkpoint's parameters: every name and shape fits, or one line says which does not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.isolated import checkpoint

log = logging.getLogger(__name__)

Rename = Callable[[str], str | None]
"""A checkpoint's name to the network's; None for an entry the network does not need."""


def load_strict(
    module: Any, state: Mapping[str, Any], name: str, rename: Rename | None = None, drop_surplus: bool = False
) -> Any:
    """Give a torch module the parameters of a checkpoint and put it into evaluation mode; returns the module.

    A leading `module.` (left by data-parallel training) is removed, then `rename` is applied. What is then missing,
    surplus or of another shape is an error that names the network and the entries; with `drop_surplus`, entries that
    the network does not have are left out with a remark. Two entries that `rename` sends to one name, or that the
    network shares, must be equal; one of those that it shares is enough.
    """
    found: dict[str, Any] = {}
    for key, value in state.items():
        key = key.removeprefix("module.")
        target = rename(key) if rename else key
        if target is None:
            continue
        if target in found and not target.endswith(checkpoint.COUNTER) and not _equal(found[target], value):
            raise refusal(name, "two different values for", [target])
        found[target] = value
    remarks: list[str] | None = [] if drop_surplus else None
    with in_one_line():
        complete = checkpoint.matched(module, found, name, remarks)
    tell(remarks or ())
    module.load_state_dict(complete, strict=False)
    return module.eval()


def _equal(first: Any, second: Any) -> bool:
    return bool(first.shape == second.shape and (first == second).all())


def refusal(name: str, what: str, entries: Iterable[str]) -> WorldGaugeError:
    """One line about entries of a checkpoint that do not fit a network."""
    error = checkpoint.unfit(name, what, entries)
    return WorldGaugeError(error.message, error.hint)


def tell(remarks: Iterable[str]) -> None:
    """Remarks about a file that was read all the same."""
    for remark in remarks:
        log.warning("%s", remark)


@contextmanager
def in_one_line() -> Iterator[None]:
    """What is wrong with a file becomes an error of ours."""
    try:
        yield
    except checkpoint.CheckpointError as error:
        raise WorldGaugeError(error.message, error.hint) from error
