"""Measured physics on gauge blocks: how often each fault is flagged, and how often a clip without it.

python -m worldgauge.benchmarks.worldolympiad.bench.physics FOLDER [--worlds 204] [--first-seed 31000]

Every process, and every camera path that does not turn away from the thing; the masks are those of the pocket tracker,
given the mask of the first frame. Nothing is excused by a reference, and clips without a fault are held against the
reference of their process with grain and coding losses. Prints a line per world, then shares with 95 % Wilson
intervals. About 15 minutes of processor time; what is in FOLDER already is kept, and the same command goes on after a
stop.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks.worldolympiad.bench.physics_clips import (
    CLEAN,
    DIRECTED,
    FILMED,
    FLOATING,
    FRAMES,
    PASSING,
    REVERSED,
    Clips,
    blocks,
    wanted,
)
from worldgauge.benchmarks.worldolympiad.formulas.measured_physics import Verdict, gravity, impact
from worldgauge.benchmarks.worldolympiad.formulas.measured_reversal import reversal
from worldgauge.benchmarks.worldolympiad.formulas.thing_course import Course
from worldgauge.blocks.write import case_id
from worldgauge.calibration.judge_result import wilson
from worldgauge.core.errors import WorldGaugeError

IN_VIEW = 0.9
Rows = Sequence[tuple[str, str, Verdict]]
"""Process, clip and verdict."""


@dataclass(frozen=True)
class World:
    """One world's courses, by clip."""

    process: str
    courses: Mapping[str, Course | str]

    @property
    def in_view(self) -> bool:
        """Whether the clean clip shows the whole thing in nine tenths of its frames: else a fault may be out of it."""
        true = self.courses[CLEAN]
        return not isinstance(true, str) and int(true.whole.sum()) >= IN_VIEW * FRAMES


def verdicts(rule: str, worlds: Sequence[World]) -> Rows:
    """What a rule says of the clips that have its fault, and of those that have none."""
    rows: list[tuple[str, str, Verdict]] = []
    for world in worlds:
        true = world.courses[CLEAN]
        for clip in _clips_of(rule, world):
            course = world.courses[clip]
            if isinstance(course, str) or isinstance(true, str):
                said = Verdict(None, course if isinstance(course, str) else str(true))
            elif rule == "reversal":
                said = reversal(course, true)
            else:
                said = gravity(course) if rule == "gravity" else impact(course)
            rows.append((world.process, clip, said))
    return rows


def _clips_of(rule: str, world: World) -> list[str]:
    if rule == "reversal":
        # Without a direction the verdict rests on the reference alone.
        return [clip for clip in (REVERSED, FILMED if FILMED in world.courses else CLEAN) if clip in world.courses]
    return [clip for clip in (FLOATING if rule == "gravity" else PASSING, CLEAN) if clip in world.courses]


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
            seen = verdicts(rule, [world for world in worlds if world.in_view])
            yield f"   the whole thing in view: {_share([v for _, clip, v in seen if (clip == fault) is with_fault])}"
        clean = [(process, said) for process, clip, said in rows if clip != fault]
        held = [said for _, said in clean if said.holds is not None]
        yield f"   of clips without the fault that have a verdict: flagged {_share(held)}"
        if rule == "reversal":
            none = [said for process, said in clean if process not in DIRECTED]
            count = sum(said.reason.startswith("no direction") for said in none)
            yield f"   processes not among {', '.join(DIRECTED)}: {count} of {len(none)} say 'no direction'"
        silent = Counter(said.reason.split(":")[0] for _, _, said in rows if said.holds is None)
        yield "   without a verdict: " + ("; ".join(f"{n} {why}" for why, n in silent.most_common(6)) or "none")


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
    parser.add_argument("--first-seed", type=int, default=31000)
    asked = parser.parse_args()
    clips, worlds, started = Clips(asked.folder), list[World](), time.process_time()
    chosen = blocks(asked.worlds, asked.first_seed)
    for number, block in enumerate(chosen):
        try:
            worlds.append(World(block.process, clips.courses(block, wanted(block, number))))
        except WorldGaugeError as error:
            print(f"{case_id(block)} left out: {error}", flush=True)
            continue
        minutes = (time.process_time() - started) / 60
        print(f"{case_id(block)}: {number + 1} of {len(chosen)}, {minutes:.1f} core-min", flush=True)
    for line in lines_of(worlds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
