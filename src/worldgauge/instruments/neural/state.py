"""Strict loading of a checkpoint's parameters: every name and shape fits, or one line says which does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from worldgauge.core.errors import WorldGaugeError

Rename = Callable[[str], str | None]
"""A checkpoint's name to the network's; None for an entry the network does not need."""
SHOWN = 3
"""Names a message lists before it says how many more there are."""
COUNTER = "num_batches_tracked"
"""Batches a normalisation saw in training: no number depends on it, and old files do not have it."""


def load_strict(module: Any, state: Mapping[str, Any], name: str, rename: Rename | None = None) -> Any:
    """Give a torch module the parameters of a checkpoint and put it into evaluation mode; returns the module.

    A leading `module.` (left by data-parallel training) is removed, then `rename` is applied. What is then missing,
    surplus or of another shape is an error that names the network and the entries. Two entries that `rename` sends
    to one name must be equal: published files store some parameters twice.
    """
    wanted = {key: value for key, value in module.state_dict().items() if not key.endswith(COUNTER)}
    found: dict[str, Any] = {}
    for key, value in state.items():
        key = key.removeprefix("module.")
        target = rename(key) if rename else key
        if target is None or target.endswith(COUNTER):
            continue
        if target in found and not _equal(found[target], value):
            raise refusal(name, "two different values for", [target])
        found[target] = value
    if missing := [key for key in wanted if key not in found]:
        raise refusal(name, "no", missing)
    if surplus := [key for key in found if key not in wanted]:
        raise refusal(name, "entries the network does not have:", surplus)
    if odd := [
        f"{key} {tuple(found[key].shape)} instead of {tuple(value.shape)}"
        for key, value in wanted.items()
        if found[key].shape != value.shape
    ]:
        raise refusal(name, "another shape:", odd)
    module.load_state_dict(found, strict=False)
    return module.eval()


def _equal(first: Any, second: Any) -> bool:
    return bool(first.shape == second.shape and (first == second).all())


def refusal(name: str, what: str, entries: Iterable[str]) -> WorldGaugeError:
    """One line about entries of a checkpoint that do not fit a network."""
    entries = list(entries)
    more = f" and {len(entries) - SHOWN} more" if len(entries) > SHOWN else ""
    return WorldGaugeError(
        f"the weights of {name} do not fit: {what} {', '.join(entries[:SHOWN])}{more}",
        "the file is of another network or another version of it; fetch it again",
    )
