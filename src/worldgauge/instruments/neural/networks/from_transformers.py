"""Networks of transformers out of a file of theirs: its older names are translated, and nothing may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers.utils import logging

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.isolated.checkpoint import TWO_VALUES, shared_names
from worldgauge.instruments.neural.state import refusal

COUNTERS = ("position_ids", "relative_position_index", "num_batches_tracked")
"""Endings of entries that older files hold though they follow from the network's shape: 0, 1, 2, ... and the like."""


def from_transformers(
    kind: Any, config: Any, state: Mapping[str, Tensor], network: str, unused: tuple[str, ...] = ()
) -> Any:
    """A model of a class of transformers with a checkpoint's parameters, in evaluation mode, in float32 on the CPU.

    `unused` begin the names of entries that belong to parts the model does not have.
    """
    given = {name: value for name, value in state.items() if not name.startswith(unused)}
    _check_shared(kind, config, given, network)
    try:
        with _silently():
            module, told = kind.from_pretrained(None, config=config, state_dict=given, output_loading_info=True)
    except (RuntimeError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise WorldGaugeError(
            f"the weights of {network} do not fit: {reason}",
            "the file is of another network or another version of it; fetch it again",
        ) from error
    for key, what in (
        ("missing_keys", "no"),
        ("unexpected_keys", "entries the network does not have:"),
        ("mismatched_keys", "another shape:"),
    ):
        entries = [str(one[0] if isinstance(one, tuple) else one) for one in told.get(key, ())]
        if odd := sorted(entry for entry in entries if not entry.endswith(COUNTERS)):
            raise refusal(network, what, odd)
    return module.float().requires_grad_(False).eval()


def _check_shared(kind: Any, config: Any, given: Mapping[str, Tensor], network: str) -> None:
    """Shared names must have one value where a file gives several: transformers would take them apart."""
    if not getattr(kind, "_tied_weights_keys", None):
        return
    with torch.device("meta"):
        groups = shared_names(kind(config))
    for names in groups:
        first, *others = [name for name in names if name in given] or [""]
        if odd := [name for name in others if not torch.equal(given[first], given[name])]:
            raise refusal(network, TWO_VALUES, [first, *odd])


@contextmanager
def _silently() -> Iterator[None]:
    """Without transformers' progress bar and remarks: what is wrong is said in one line afterwards."""
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
