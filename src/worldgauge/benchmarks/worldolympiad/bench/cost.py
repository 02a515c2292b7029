"""What the geometry track costs on one clip with the pocket set: seconds of processor time and memory.

python -m worldgauge.benchmarks.worldolympiad.bench.cost FOLDER [--size 832x480] [--frames 81] [--seed 20104]

Makes a gauge block in FOLDER, then measures in a process of its own: poses, masks by motion, the nine pictures that
are judged, and the photometric columns. About a minute of processor time.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from worldgauge.blocks.block import Block
from worldgauge.core.clip import Clip
from worldgauge.core.video import Video


def measure(file: Path) -> list[tuple[str, float]]:
    """Seconds of processor time of each step, and the most memory of the process, in gigabytes."""
    from worldgauge.benchmarks.worldolympiad.signals.fitted_path import fitted_path
    from worldgauge.benchmarks.worldolympiad.signals.photometric import odd_pictures, photometric_errors
    from worldgauge.benchmarks.worldolympiad.signals.self_motion import motion_masks
    from worldgauge.benchmarks.worldolympiad.signals.views import house_scene_views
    from worldgauge.instruments.pocket.flow import DisFlow
    from worldgauge.instruments.pocket.point_splat import PointSplat
    from worldgauge.instruments.pocket.poses import BundlePoses
    from worldgauge.signals.poses import poses

    clip, found = Clip(Video(file)), list[tuple[str, float]]()

    def timed(name: str, function: Callable[..., Any], *given: Any) -> Any:
        started = time.process_time()
        value = function(*given)
        found.append((name, time.process_time() - started))
        return value

    trusted = timed("poses", poses.function, clip.under(poses.frames), BundlePoses())
    path = fitted_path.function(clip, trusted, BundlePoses())
    masks = timed("masks by motion", motion_masks.function, clip.under(motion_masks.frames), path, DisFlow())
    timed("scene and nine pictures", house_scene_views.function, clip, masks, path, PointSplat())
    drawn = timed("odd frames redrawn", odd_pictures.function, clip, masks, path, PointSplat())
    timed("photometric columns", photometric_errors.function, drawn)
    found.append(("all", sum(seconds for _, seconds in found)))
    found.append(("memory, GB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20))
    return found


def main() -> None:
    from worldgauge.media.encoder import write_video

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", default="832x480")
    parser.add_argument("--frames", type=int, default=81)
    parser.add_argument("--seed", type=int, default=20104)
    asked = parser.parse_args()
    width, height = (int(side) for side in asked.size.split("x"))
    block = Block(asked.seed, "hall", "move_right", "rolling", (width, height), asked.frames)
    file = asked.folder / f"{asked.seed}-{asked.size}-{asked.frames}.mkv"
    if not file.exists():
        asked.folder.mkdir(parents=True, exist_ok=True)
        write_video(file, block.render().frames, block.fps)
    with get_context("spawn").Pool(1) as pool:
        for name, value in pool.apply(measure, (file,)):
            print(f"{name:24} {value:8.2f}")


if __name__ == "__main__":
    main()
