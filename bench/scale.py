"""Where a run on many GPUs stops scaling, from unit costs measured on one: `python -m bench.scale` prints the tables.

The costs are those of docs/performance.md (one H200 with 16 cores, clips of 81 frames of 832x480 with references of 300
full-HD frames, two benchmarks at once); what nobody has measured is named so.
"""

from __future__ import annotations

from worldgauge.engine.scale.schedule import Clip, Machines, Outcome, play
from worldgauge.verbs import duration

CLIPS, RECORDS = 3000, 16
"""Of one model, and records of each clip."""
START, DRIVER = 20.0, 0.00073 * RECORDS
"""Seconds to load the networks; of the driver for a clip, an upper bound: its workers' share is in it."""
MEASURED = {
    "float32": (Clip(cores=0.568 * 16, gpu=0.756), 0.967),
    "float32, references kept": (Clip(cores=0.372 * 16, gpu=0.758), 0.814),
    "default number types": (Clip(cores=0.597 * 16, gpu=0.372), 0.809),
}
"""Seconds of a clip as counted, and the seconds it took among 64."""
JUDGED = Clip(cores=0.597 * 16, gpu=0.372, answers=10 * 5.0)
"""With ten questions whose answers take five seconds each: assumed, not measured."""


def check() -> None:
    """The simulator against the machine that the costs are of: 64 clips, 20 at a time."""
    print("| | foretold | measured | |\n| --- | ---: | ---: | ---: |")
    for name, (clip, measured) in MEASURED.items():
        found = play([clip] * 64, Machines(1, cores=16, ahead=20)).seconds / 64
        print(f"| {name} | {found:.3f} | {measured:.3f} | {found / measured - 1:+.0%} |")


def tables() -> None:
    """1 to 256 GPUs, with as many cores beside each as were measured, with few, and with a judge."""
    ways = {
        "float32, 16 cores a GPU": (MEASURED["float32"][0], 16, 1),
        "default number types, 16 cores": (MEASURED["default number types"][0], 16, 1),
        "default number types, 4 cores": (MEASURED["default number types"][0], 4, 1),
        "and a judge, 16 questions at once": (JUDGED, 16, 16),
    }
    print(f"| GPUs | {' | '.join(ways)} |\n| ---: |{' --- |' * len(ways)}")
    for gpus in (2**k for k in range(9)):
        cells = []
        for clip, cores, questions in ways.values():
            machines = Machines(gpus, cores, max(2, cores * 5 // 4), START, DRIVER, questions=questions)
            cells.append(_cell(play([clip] * CLIPS, machines)))
        print(f"| {gpus} | {' | '.join(cells)} |")


def _cell(found: Outcome) -> str:
    return f"{duration(found.seconds)}, {found.busy['GPUs']:.0%}: {found.bound}"


if __name__ == "__main__":
    check()
    print()
    tables()
