"""Columns that were seen through another instrument than the one their authors use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.official import RELEASED, InstrumentsFile, OfficialUse, official_instruments
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.run_folder import Run

NOT_OFFICIAL = "not the official instrument"
_HOW_MANY = {"batch"}
"""A parameter of networks that is no setting of the authors'."""
_HOW = {"dtype", "tf32", "compiled"}
"""How a network computes: a setting of the authors' where the numbers of their code are asked for."""


def unofficial(run: Run) -> dict[str, list[str]]:
    """Column to what is not official about it: `flow_fields: dis instead of sea_raft_m`."""
    known = official_instruments(run.file.benchmark)
    found = {}
    for definition in run.file.definitions:
        lines = [line for signal in definition.signals for line in _others(signal, known, run.file.protocol)]
        if lines and not definition.unavailable:
            found[definition.id] = list(dict.fromkeys(lines))
    return found


def unofficial_notes(runs: Sequence[Run]) -> list[str]:
    """One sentence per reason, with the columns it is about."""
    columns: dict[str, dict[str, None]] = {}
    for run in runs:
        for column, lines in unofficial(run).items():
            for line in lines:
                columns.setdefault(line, {}).setdefault(column)
    return [f"{NOT_OFFICIAL.capitalize()}: {line} ({', '.join(of)})." for line, of in columns.items()]


def other_instruments(run: Run, definitions: Sequence[DefinitionFile]) -> list[str]:
    """What keeps columns from standing beside printed numbers; signals that nobody names an instrument for too."""
    known = official_instruments(run.file.benchmark)
    found: dict[str, None] = {}
    for definition in definitions:
        for signal in definition.signals:
            for line in _others(signal, known, run.file.protocol, strictly=True):
                found.setdefault(line)
    return list(found)


def _others(signal: Mapping[str, Any], known: InstrumentsFile, protocol: str, strictly: bool = False) -> Iterator[str]:
    used, use = signal.get("instrument"), known.of(signal["signal"], protocol)
    if used:
        name = f"{signal['signal']}: {used['name']}"
        if use is None and strictly and "weights" not in used:
            yield f"{name}, which has no trained weights"
        official = use is not None and bool(use.official)
        if use is not None and official:
            if used["name"] != use.official:
                yield f"{name} instead of {use.official}"
            elif told := _other_settings(used.get("parameters", {}), use, protocol):
                yield f"{name} with {told}"
        if used.get("other_weights") and (official or strictly):
            yield f"{name} with other weights than the published ones"
        if used.get("stands_in") and (official or strictly):
            yield f"{name} through a {used['stands_in']}, not the authors' code"
    if use is not None and use.differs:
        yield f"{signal['signal']}: {use.differs}"
    for need in signal.get("needs", ()):
        yield from _others(need, known, protocol, strictly)


def _other_settings(parameters: Mapping[str, Any], use: OfficialUse, protocol: str) -> str:
    """Settings that are not the authors', in words."""
    usual = INSTRUMENTS.get(use.official)().parameters if use.official in INSTRUMENTS.names() else {}
    asked = usual | use.parameters
    ours = _HOW_MANY if protocol == RELEASED else _HOW_MANY | _HOW
    differing = [key for key in asked if key not in ours and parameters.get(key, asked[key]) != asked[key]]
    return ", ".join(f"{key}={parameters[key]} instead of {asked[key]}" for key in differing)
