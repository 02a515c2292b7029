"""Runs of any benchmark in the catalogue as the engine writes them, with the real definitions and made-up values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.case import Case
from worldgauge.core.contents import Contents
from worldgauge.core.identity import Identity, digest_of_cases
from worldgauge.core.record import Record
from worldgauge.core.run_file import RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import write_sources
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.engine.definitions import Definition, resolve
from worldgauge.engine.seats import choose_seats


@cache
def definitions_of(benchmark: str, protocol: str) -> tuple[Definition, ...]:
    """Every column of a benchmark under a protocol, through pocket instruments."""
    return tuple(resolve(resolved_uses(read_benchmark_file(benchmark), protocol), choose_seats()))


def made_cases(benchmark: str, protocol: str, each: int = 4) -> list[Case]:
    """For every kind of case that some column is about, a few cases with its tags."""
    kinds = {tuple(sorted(d.tags.items())): dict(d.tags) for d in definitions_of(benchmark, protocol)}
    return [
        Case(id=f"kind-{kind}/{number}", cluster=f"kind-{kind}/{number // 2}", tags=tags)
        for kind, tags in enumerate(kinds.values())
        for number in range(each)
    ]


def write_made_run(
    folder: Path,
    benchmark: str,
    protocol: str,
    model: str,
    seed: int,
    part: tuple[int, int] = (1, 1),
    cases: Sequence[Case] = (),
    definitions: Sequence[Definition] = (),
) -> Run:
    """A run in which every column has values between the ends of its bounds, or the `i`-th of `n` shards of it.

    Its cases are some of every kind that a column is about, and pocket instruments perceive, unless others are given.
    """
    folder.mkdir(parents=True)
    file, definitions = read_benchmark_file(benchmark), definitions or definitions_of(benchmark, protocol)
    cases = cases or made_cases(benchmark, protocol)
    card = ModelCard(name=model)
    identity = Identity(benchmark, digest_of_cases(case.id for case in cases), protocol, card, "")
    RunFile(
        benchmark=file.under_protocol(protocol), protocol=protocol, instruments={}, model=card, data=identity.data,
        cases=len(cases), definitions=[d.to_file() for d in definitions],
    ).write(folder)  # fmt: skip
    mine = [case for number, case in enumerate(cases) if number % part[1] == part[0] - 1]
    reads = sorted({one for d in definitions for one in d.reads})
    Contents(identity, {(case.id, 0): {one: f"{case.id} {one}" for one in reads} for case in mine}).write(folder)
    write_sources(folder, mine, Submission(card, {}))
    lines = _lines(folder, definitions, cases, mine, np.random.default_rng(seed))
    (folder / "records-0.jsonl").write_text("".join(lines), "utf-8")
    return Run(folder)


def _lines(
    folder: Path,
    definitions: Sequence[Definition],
    cases: Sequence[Case],
    mine: Sequence[Case],
    random: np.random.Generator,
) -> list[str]:
    contents = Contents.read(folder)
    assert contents is not None
    lines = []
    for definition in definitions:
        inputs = contents.inputs(definition.reads)
        # A condition of other columns holds for every case.
        conditions = {d.given for d in definitions if d.given}
        for case in cases:
            share = 1.0 if definition.id in conditions else random.uniform(0.2, 0.8)
            if case not in mine:
                continue
            about = all(case.tags.get(tag) == value for tag, value in definition.tags.items())
            raw = _raw(definition, share)
            scale = definition.scale
            record = Record(
                case=case.id, cluster=case.cluster, metric=definition.id, fingerprint=definition.fingerprint,
                inputs=inputs[case.id, 0], video="0" * 64, status=Status.OK if about else Status.SKIPPED,
                value=None if not about else scale(raw) if scale is not None and scale.level == "case" else raw,
                raw=raw if about else None, weight=1.0 if about and definition.reduce != "mean" else None,
                tags=case.tags,
            )  # fmt: skip
            lines.append(record.model_dump_json(by_alias=True, exclude_defaults=True) + "\n")
    return lines


def _raw(definition: Definition, share: float) -> float:
    """The value so far from the lower to the upper end of the scale, else of the bounds; where one is open, within 100
    of the other."""
    low, high = definition.metric.bounds
    if definition.scale is not None:
        low, high = max(low, min(definition.scale.source)), min(high, max(definition.scale.source))
    if not math.isfinite(low):
        low = high - 100 if math.isfinite(high) else 0.0
    if not math.isfinite(high):
        high = low + 100
    return low + share * (high - low)
