"""Camera control on subjects whose camera is known: true, standing still, upside down, mirrored.

python -m worldgauge.benchmarks.memobench.bench.house_camera FOLDER [FIRST_SEED] [WORLDS]

About two minutes of processor time per world; what is in FOLDER already is not made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from worldgauge.benchmarks.memobench.bench.subjects import asked, faulty, measure
from worldgauge.blocks.subjects import reference_frames
from worldgauge.core.case import Case
from worldgauge.core.video import Video

COLUMNS = ("CameraControllability", "house_camera_control")
FLIPPED = {"upside down": (-1, 1), "turned by half": (-1, -1), "mirrored": (1, -1)}


def videos(case: Case, folder: Path) -> Iterator[tuple[str, Video]]:
    yield from faulty(("frozen_camera", "camera_drift"))(case, folder)
    truth, fps = reference_frames(case), case.condition.fps or 16.0
    for name, (rows, columns) in FLIPPED.items():
        yield name, Video.from_array(truth[:, ::rows, ::columns], layout="THWC", fps=fps)


def main() -> None:
    folder, blocks = asked(__doc__, first_seed=5000, worlds=10)
    for (name, column), values in measure(blocks, folder, COLUMNS, videos).items():
        spread = f"{np.mean(values):.1f} (most {max(values):.1f}, {len(values)} clips)" if values else "-"
        print(f"{name:15} {column:22} {spread}")


if __name__ == "__main__":
    main()
