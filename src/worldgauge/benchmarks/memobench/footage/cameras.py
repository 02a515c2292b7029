"""The camera path of a user's clip: read in any known convention, or estimated by the seat `poses`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import by_ending
from worldgauge.core.reading_arrays import read_arrays
from worldgauge.core.video import Video
from worldgauge.engine.definitions import Seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store
from worldgauge.functional.camera_conventions import to_opencv
from worldgauge.media.camera_files import SUFFIXES, read_matrices
from worldgauge.signals.poses import poses


@dataclass(frozen=True)
class Estimator:
    """Who estimates where no camera file is given."""

    seats: Seats
    instruments: Loaded
    store: Store

    def path_of(self, video: Video) -> CameraPath:
        """The clip's path and lens; the whole clip must have been followed."""
        perception = Perception(CaseInputs(Case(id="footage"), video), self.seats, self.store, self.instruments)
        use = poses()
        perception.announce([use])
        found = perception.value(use)
        width, height = (int(side) for side in found["size"])
        return CameraPath(found["poses"], found["intrinsics"], (width, height))

    @property
    def name(self) -> str:
        return str(self.seats.instruments["poses"].name) if "poses" in self.seats.instruments else ""


def read_path(file: Path, convention: str) -> CameraPath:
    """A camera file as OpenCV camera-to-world, with its intrinsics where it has any."""
    if file.suffix.lower() not in SUFFIXES or (convention == "opencv" and by_ending("camera_files", file.name)):
        # Files of a released data set say themselves how they are meant.
        return CameraPath.load(file)
    path = CameraPath(to_opencv(read_matrices(file), convention))
    return CameraPath(path.poses, *_lens(file), source=str(file))


def with_view(path: CameraPath, size: tuple[int, int], degrees: float | None) -> CameraPath:
    """The path with intrinsics for frames of `size`: its own, else those of a stated horizontal field of view."""
    if path.intrinsics is not None:
        source = path.size or tuple(np.rint(2 * path.intrinsics[0, :2, 2]).astype(int).tolist())
        scale = np.diag([size[0] / source[0], size[1] / source[1], 1.0])
        return CameraPath(path.poses, scale @ path.intrinsics, size, path.source)
    if degrees is None:
        return path
    if not 1 <= degrees <= 170:
        raise WorldGaugeError(f"a field of view of {degrees} degrees is none", "state 1 to 170")
    focal = size[0] / 2 / np.tan(np.radians(degrees) / 2)
    lens = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1.0]])
    return CameraPath(path.poses, lens, size, path.source)


def _lens(file: Path) -> tuple[np.ndarray | None, tuple[int, int] | None]:
    if file.suffix.lower() != ".npz":
        return None, None
    data = read_arrays(file)
    if isinstance(data, np.ndarray) or "intrinsics" not in data:
        return None, None
    size = data.get("size")
    return data["intrinsics"], None if size is None else (int(size[0]), int(size[1]))
