"""Whether a run may stand beside printed numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldgauge.core.run_folder import Run


def why_not_beside_published(run: Run, protocol: str) -> list[str]:
    """Reasons why a run must not share a table with printed numbers; empty when it may.

    Printed numbers rest on trained networks. A run may stand beside them only when it follows the same protocol, every
    signal comes from an instrument with weights, and nothing was left out.
    """
    reasons = []
    if run.file.protocol != protocol:
        reasons.append(f"the printed table follows '{protocol}', the run '{run.file.protocol}'")
    weightless = {
        instrument["name"]
        for definition in run.file.definitions
        for signal in definition.signals
        for instrument in _instruments(signal)
        if "weights" not in instrument
    }
    if weightless:
        reasons.append(f"instruments without the paper's weights: {', '.join(sorted(weightless))}")
    absent = [definition.id for definition in run.file.definitions if definition.unavailable]
    if absent:
        reasons.append(f"not measured: {', '.join(absent)}")
    return reasons


def _instruments(signal: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if signal.get("instrument"):
        yield signal["instrument"]
    for need in signal.get("needs", ()):
        yield from _instruments(need)
