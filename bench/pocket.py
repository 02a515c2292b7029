"""What the pocket signals cost on one clip of 81 frames at 832x480: processor seconds, ratios to one DIS-fast pass.

`python -m bench.pocket` prints the table and writes it into docs/performance.md.
"""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import cv2

from worldgauge.blocks import Block
from worldgauge.blocks.write import make_cases
from worldgauge.core.errors import Outcome
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import SIGNALS
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.memory import keep_freed_memory
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.instruments.pocket.flow import DisFlow

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
START, END = "<!-- pocket: start -->", "<!-- pocket: end -->"
MEASURED = (
    "usable_frames", "pixel_errors", "flow_pairs", "motion_cells", "frame_glimpses", "object_track", "target_states",
    "target_colours", "flow_regions", "poses", "neighbour_matches", "revisit_matches", "depth", "patch_embeddings",
    "frame_embeddings", "object_embeddings", "frame_quality", "style_distances",
)  # fmt: skip
"""Needs before the signals that need them, so that each is charged its own work only."""


def main() -> None:
    cv2.setNumThreads(1)
    keep_freed_memory()
    folder = Path(tempfile.mkdtemp(prefix="worldgauge-pocket-"))
    block = Block(seed=3, family="street", path="walk_past", process="crossing", size=(832, 480), frames=81, fps=16)
    # Drawn by another process: what rendering needs is not the signals' memory.
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        (case,) = pool.submit(make_cases, folder, [block]).result()
    assert case.reference.video is not None
    inputs = CaseInputs(case, Video(case.path(case.reference.video)))
    seats = choose_seats("pocket")
    perception = Perception(inputs, seats, Store(folder / "store"), Loaded(seats, "cpu"))
    uses = [SIGNALS.get(name)() for name in MEASURED]
    perception.announce(uses)
    rows: list[tuple[str, float, str]] = []
    started = time.process_time()
    for _ in inputs.clip("video").frames(FrameSpec()):
        pass
    rows.append(("decode", time.process_time() - started, ""))
    for use in uses:
        started, remark = time.process_time(), ""
        try:
            perception.value(use)
        except Outcome as outcome:
            remark = str(outcome)
        rows.append((use.signal, time.process_time() - started, remark))
    fast, frames = DisFlow(preset="fast"), list(inputs.clip("video").frames(FrameSpec()))
    started = time.process_time()
    for first, second in pairwise(frames):
        fast.flow(first, second)
    unit = time.process_time() - started
    _write(rows, unit, inputs.clip("video").passes)


def _write(rows: list[tuple[str, float, str]], unit: float, passes: int) -> None:
    total = sum(seconds for _, seconds, _ in rows)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**20
    lines = [
        "One clip of 81 frames at 832x480 (street, walk past), one core. The unit is one DIS-fast pass over the clip,",
        f"{unit:.2f} s of processor time in the same run. The clip was read {passes} time.",
        "",
        "| signal | processor seconds | DIS-fast passes | |",
        "| --- | ---: | ---: | --- |",
        *(f"| {name} | {seconds:.2f} | {seconds / unit:.1f} | {remark} |" for name, seconds, remark in rows),
        f"| **together** | **{total:.1f}** | {total / unit:.0f} (at most 62) | {peak:.2f} GiB (at most 1) |",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    page = PAGE.read_text("utf-8")
    PAGE.write_text(f"{page.split(START)[0]}{START}\n{text}{END}{page.split(END)[1]}", "utf-8")


if __name__ == "__main__":
    main()
