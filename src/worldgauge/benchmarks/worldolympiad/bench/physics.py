"""Measured physics on gauge blocks: how often each fault is flagged, and how often a clip without it.

python -m worldgauge.benchmarks.worldolympiad.bench.physics FOLDER [--worlds 204] [--first-seed 36000]

Every process, and every camera path that does not turn away from the thing; the masks are those of the pocket tracker,
given the mask of the first frame. Nothing is excused by a reference, and clips without a fault are held against the
reference of their process with grain and coding losses. Every clip of a fault counts, however little of the thing is in
the picture; a pass-through is not shown of a thing that nothing carries. Prints a line per world, then shares with 95 %
Wilson intervals, and Cohen's kappa of verdict and truth with an interval over worlds. About 10 minutes of processor
time; what is in FOLDER already is kept, and the same command goes on after a stop.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from worldgauge.benchmarks.worldolympiad.bench.physics_clips import (
    CLEAN,
    DIRECTED,
    FILMED,
    FLOATING,
    PASSING,
    REVERSED,
    Clips,
    Motion,
    blocks,
    wanted,
)
from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import Verdict, gravity, impact
from worldgauge.benchmarks.worldolympiad.formulas.measured_reversal import NO_DIRECTION, reversal
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import course_of
from worldgauge.benchmarks.worldolympiad.formulas.thing_states import states_of
from worldgauge.blocks.write import case_id
from worldgauge.calibration.judge_result import wilson
from worldgauge.core.errors import WorldGaugeError
from worldgauge.stats.agreement import cohen_kappa
from worldgauge.stats.bootstrap import percentile_interval

DRAWS = 1000
Rows = Sequence[tuple[str, str, Verdict]]
"""Process, clip and verdict."""


@dataclass(frozen=True)
class World:
    """What was read off one world, by clip."""

    process: str
    motions: Mapping[str, Motion | str]


def verdicts(rule: str, worlds: Sequence[World]) -> Rows:
    """What a rule says of the clips that have its fault, and of those that have none."""
    return [
        (world.process, clip, said_of(rule, world.motions[clip], world.motions[CLEAN]))
        for world in worlds
        for clip in _clips_of(rule, world)
    ]


def said_of(rule: str, motion: Motion | str, reference: Motion | str) -> Verdict:
    """What a rule says of one clip; the reference matters to a reversal alone."""
    if isinstance(motion, str):
        return Verdict(None, motion)
    if rule != "reversal":
        course = course_of(motion)
        if isinstance(course, str):
            return Verdict(None, course)
        return gravity(course) if rule == "gravity" else impact(course)
    true = reference if isinstance(reference, str) else states_of(reference)
    ours = states_of(motion)
    if isinstance(true, str) or isinstance(ours, str):
        return Verdict(None, true if isinstance(true, str) else str(ours))
    return reversal(ours, true)


def _clips_of(rule: str, world: World) -> list[str]:
    if rule == "reversal":
        # Without a direction the verdict rests on the reference alone.
        return [clip for clip in (REVERSED, FILMED if FILMED in world.motions else CLEAN) if clip in world.motions]
    return [clip for clip in (FLOATING if rule == "gravity" else PASSING, CLEAN) if clip in world.motions]


def lines_of(worlds: Sequence[World]) -> Iterator[str]:
    """The shares, and what each process adds to them."""
    for rule, fault in (("gravity", FLOATING), ("impact", PASSING), ("reversal", REVERSED)):
        rows = verdicts(rule, worlds)
        for with_fault in (True, False):
            of = [(process, said) for process, clip, said in rows if (clip == fault) is with_fault]
            yield f"{rule}: {fault if with_fault else 'no fault'}: flagged {_share([said for _, said in of])}"
            told = Counter(process for process, said in of if said.holds is False)
            asked = Counter(process for process, _ in of)
            yield "   " + ", ".join(f"{process} {told[process]}/{asked[process]}" for process in sorted(asked))
        yield f"   kappa of verdict and truth: {_kappa(rule, fault, worlds)}"
        clean = [(process, said) for process, clip, said in rows if clip != fault]
        held = [said for _, said in clean if said.holds is not None]
        yield f"   of clips without the fault that have a verdict: flagged {_share(held)}"
        if rule == "reversal":
            none = [said for process, said in clean if process not in DIRECTED]
            count = sum(said.reason.startswith(NO_DIRECTION) for said in none)
            yield f"   processes not among {', '.join(DIRECTED)}: {count} of {len(none)} say 'no direction'"
        silent = Counter(said.reason.split(":")[0] for _, _, said in rows if said.holds is None)
        yield "   without a verdict: " + ("; ".join(f"{n} {why}" for why, n in silent.most_common(6)) or "none")


def _kappa(rule: str, fault: str, worlds: Sequence[World]) -> str:
    """Cohen's kappa of "flagged" and "has the fault" over all clips; no verdict is no flag."""
    tables = np.zeros((len(worlds), 2, 2))
    for table, world in zip(tables, worlds, strict=True):
        for _, clip, said in verdicts(rule, [world]):
            table[int(clip == fault), int(said.holds is False)] += 1
    drawn = np.random.default_rng(0).integers(len(worlds), size=(DRAWS, len(worlds)))
    found = [cohen_kappa(tables[rows].sum(axis=0)) for rows in drawn]
    value = cohen_kappa(tables.sum(axis=0))
    interval = percentile_interval(np.array([np.nan if k is None else k for k in found]))
    return "none" if value is None or interval is None else f"{value:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]"


def _share(found: Sequence[Verdict]) -> str:
    count = sum(said.holds is False for said in found)
    share = wilson(count, len(found))
    if share.value is None:
        return "0 of 0"
    return f"{count} of {share.of} = {share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=204)
    parser.add_argument("--first-seed", type=int, default=36000)
    asked = parser.parse_args()
    clips, worlds, started = Clips(asked.folder), list[World](), time.process_time()
    chosen = blocks(asked.worlds, asked.first_seed)
    for number, block in enumerate(chosen):
        try:
            worlds.append(World(block.process, clips.motions(block, wanted(block, number))))
        except WorldGaugeError as error:
            print(f"{case_id(block)} left out: {error}", flush=True)
            continue
        minutes = (time.process_time() - started) / 60
        print(f"{case_id(block)}: {number + 1} of {len(chosen)}, {minutes:.1f} core-min", flush=True)
    for line in lines_of(worlds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
