"""What a frame of a long clip costs beside one of a short clip, with the pocket set: processor time, and peak memory.

    python -m worldgauge.benchmarks.mbench.bench.long_clips --size 320x180 --frames 81,161,401
    python -m worldgauge.benchmarks.mbench.bench.long_clips --size 832x480 --frames 81,401 --loop

Every length is a gauge block of its own, drawn before, and a process of its own. Large pictures take long to draw: with
`--loop` only the shortest clip is, and the longer ones show it forth and back. Wanted from 81 to 401 frames: at most
1.1 times the cost of a frame, and 1.2 times the memory. Before the clock starts a clip of nine frames is perceived, so
that imports are not counted.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

FAMILY, PATH, PROCESS, SEED = "room", "away_left", "standing", 3
SHORT = 9
"""Frames of the clip that is perceived before the clock starts."""
COST, MEMORY = 1.1, 1.2
"""Ratios that are wanted from the shortest to the longest clip."""


@dataclass
class Measured:
    """One clip."""

    frames: int
    seconds: dict[str, float] = field(default_factory=dict)
    """Of processor time, by signal."""
    told: dict[str, str] = field(default_factory=dict)
    """Why a signal has no value, by signal."""
    megabytes: float = 0.0
    """Peak of the process."""

    @property
    def per_frame(self) -> float:
        """Milliseconds."""
        return 1000 * sum(self.seconds.values()) / self.frames


def drawn(folder: Path, size: tuple[int, int], frames: int) -> Path:
    """A block whose camera turns away and back, as a folder of cases."""
    from worldgauge.blocks import Block
    from worldgauge.blocks.write import make_cases

    make_cases(folder, [Block(SEED, FAMILY, PATH, PROCESS, size, frames, fps=16)])
    return folder


def there_and_back(count: int, wanted: int) -> list[int]:
    """Which frames of a clip of `count` to show so that it goes forth and back for `wanted` frames.

    >>> there_and_back(3, 8)
    [0, 1, 2, 1, 0, 1, 2, 1]
    """
    way = [*range(count), *range(count - 2, 0, -1)]
    return [way[k % len(way)] for k in range(wanted)]


def looped(folder: Path, drawn_in: Path, frames: int) -> Path:
    """A copy of the one case of `drawn_in`, its video shown forth and back."""
    from worldgauge.core.case_file import read_cases
    from worldgauge.core.video import Video
    from worldgauge.media.encoder import write_video

    (case,) = read_cases(shutil.copytree(drawn_in, folder))
    assert case.reference.video is not None
    file = case.path(case.reference.video)
    shown = list(Video(file).frames())
    write_video(file, (shown[k] for k in there_and_back(len(shown), frames)), 16.0)
    return folder


def measured(folder: Path, before: Path | None = None) -> Measured:
    """Every signal below the columns of action clips, needs first, each charged its own work; `before` it another."""
    if before is not None:
        measured(before)
    import cv2

    from worldgauge.benchmarks.mbench.on_blocks.cases import pose_block
    from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
    from worldgauge.core.case_file import read_cases
    from worldgauge.core.errors import Outcome
    from worldgauge.core.metric import METRICS
    from worldgauge.core.video import Video
    from worldgauge.engine.definitions import all_uses, choose_seats
    from worldgauge.engine.inputs import CaseInputs
    from worldgauge.engine.memory import keep_freed_memory
    from worldgauge.engine.perception import Loaded, Perception
    from worldgauge.engine.store import Store

    cv2.setNumThreads(1)
    keep_freed_memory()
    (case,) = read_cases(folder)
    assert case.reference.video is not None
    video = Video(case.path(case.reference.video))
    seats = choose_seats("pocket")
    columns = [use for use in resolved_uses(read_benchmark_file("mbench"), "paper") if use.cases.get("setting") == "A"]
    below = [all_uses(METRICS.get(column.use)) for column in columns]
    # Columns that the set cannot measure, for want of a judge or a network, are left out whole.
    able = [found for found in below if all(seats.reason_empty(use.signal) is None for use in found)]
    uses = list(dict.fromkeys(use for found in able for use in found))
    inputs = CaseInputs(pose_block(case, "A", "object"), video)
    perception = Perception(inputs, seats, Store(folder / "store"), Loaded(seats, "cpu"))
    perception.announce(uses)
    result = Measured(video.info.frames)
    for use in uses:
        started = time.process_time()
        try:
            perception.value(use)
        except Outcome as outcome:
            result.told[use.signal] = str(outcome)
        result.seconds[use.signal] = time.process_time() - started
    status = Path("/proc/self/status").read_text().splitlines()
    result.megabytes = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    return result


def table(clips: list[Measured]) -> list[str]:
    """Milliseconds of a frame by signal and length, the ratio of the longest to the shortest, and memory."""
    first, last = clips[0], clips[-1]
    head = ["ms a frame", *(f"{clip.frames} frames" for clip in clips), "times"]
    rows = [
        [name, *(f"{1000 * clip.seconds[name] / clip.frames:.2f}" for clip in clips), _times(last, first, name)]
        for name in first.seconds
    ]
    cost, memory = last.per_frame / first.per_frame, last.megabytes / first.megabytes
    rows.append(["**together**", *(f"{clip.per_frame:.2f}" for clip in clips), f"**{cost:.2f}** (at most {COST})"])
    rows.append(["**peak MB**", *(f"{clip.megabytes:.0f}" for clip in clips), f"**{memory:.2f}** (at most {MEMORY})"])
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    told = sorted({f"{name}: {why}" for clip in clips for name, why in clip.told.items()})
    return [*(f"| {' | '.join(line)} |" for line in lines), *told]


def _times(last: Measured, first: Measured, name: str) -> str:
    each = [clip.seconds[name] / clip.frames for clip in (last, first)]
    # Below a tenth of a millisecond a ratio is that of the clock.
    return f"{each[0] / each[1]:.2f}" if min(each) > 1e-4 else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="320x180", help="width and height of the pictures, px")
    parser.add_argument("--frames", default="81,161,401", help="lengths, the shortest first")
    parser.add_argument("--loop", action="store_true", help="draw the shortest alone; longer ones show it to and fro")
    asked = parser.parse_args()
    width, height = (int(side) for side in asked.size.split("x"))
    clips = []
    with tempfile.TemporaryDirectory(prefix="worldgauge-long-clips-") as folder:
        lengths = [int(number) for number in asked.frames.split(",")]
        places = [Path(folder, str(count)) for count in (SHORT, *lengths)]
        # Drawn by another process: what rendering needs is not the signals' memory.
        count = 2 if asked.loop else len(places)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            list(pool.map(drawn, places[:count], [(width, height)] * count, (SHORT, *lengths)))
            list(pool.map(looped, places[count:], places[1:2] * len(places), lengths[count - 1 :]))
        for place in places[1:]:
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                clips.append(pool.submit(measured, place, places[0]).result())
    shown = f"; those above {lengths[0]} frames show the shortest forth and back" if asked.loop else ""
    print(f"Pictures of {width}x{height}, one core{shown}.\n")
    print("\n".join(table(clips)))


if __name__ == "__main__":
    main()
