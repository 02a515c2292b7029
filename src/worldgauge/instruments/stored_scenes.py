"""Scenes that were rebuilt elsewhere, read from files: cameras, and Gaussians beside them or in the usual PLY form.

For a clip `x.mp4` the folder holds `x.npz` with `extrinsics` (N, 3 or 4, 4) world-to-camera, `intrinsics` (N, 3, 3) in
pixels of `size` (width, height) and, where lengths are metres, `is_metric` and `scale_factor`, by which translations
are divided to be in the units of the Gaussians. These are in the same file as `means`, `quaternions` (w, x, y, z),
`scales`, `opacities`, `harmonics` (G, K, 3) and, optional, `frame` (G,), or in `x.ply`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.reading_arrays import archive_members
from worldgauge.core.undisturbed import undisturbed
from worldgauge.functional.gaussians import Gaussians
from worldgauge.functional.scenes import Frames, Masks, SceneCameras
from worldgauge.instruments.gaussian_scene import GaussianReconstruction, GaussianScene

NO_SCENE = "no-stored-scene"
"""Reason code: the folder has no scene of the clip."""
PARTS = ("means", "quaternions", "scales", "opacities", "harmonics")
SCENE_LIMIT = 2 * 2**30
"""Bytes of one array of a scene."""
MOST_HEADER = 2**16
_PROPERTY = re.compile(r"property float (\w+)")


@dataclass(frozen=True)
class StoredScenes(GaussianReconstruction):
    """Poses, intrinsics and Gaussians out of a folder; what is measured is the drawing and all that follows."""

    name: ClassVar[str] = "stored_scenes"
    memory: ClassVar[float] = 2.0

    folder: str = ""
    """Where the files lie."""

    def unavailable(self) -> str | None:
        if not self.folder or not Path(self.folder).is_dir():
            return "needs a folder of scenes (stored_scenes:folder=FOLDER)"
        return super().unavailable()

    def identity(self) -> dict[str, Any]:
        """Where the files lie changes no number; what is in them does."""
        found = Path(self.folder).glob("*") if self.folder else ()
        files = sorted(path for path in found if path.suffix in (".npz", ".ply"))
        content = digest_of([[path.name, digest_file(path)] for path in files])
        return {**super().identity(), "parameters": {"rasteriser": self.rasteriser, "scenes": content}}

    def reconstruct(
        self,
        frames: Frames,
        cameras: SceneCameras,
        *,
        masks: Masks | None = None,
        sources: Sequence[int] | None = None,
        name: str = "",
    ) -> GaussianScene:
        """The stored scene of a clip by the name of its file; it must have as many cameras as there are frames."""
        file = Path(self.folder) / f"{name}.npz"
        if not file.is_file():
            raise Unscored(f"the folder of scenes has no {file.name}", code=NO_SCENE)
        stored, gaussians = read_scene(file)
        if len(stored.world_to_camera) != len(frames):
            raise WorldGaugeError(
                f"{file} has {len(stored.world_to_camera)} cameras, {len(frames)} frames are looked at"
            )
        return self._scene(gaussians, stored, masks, sources)


@undisturbed
def read_scene(file: Path) -> tuple[SceneCameras, Gaussians]:
    """The cameras and the Gaussians of one scene; one line says what is wrong with a file."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            archive_members(file, SCENE_LIMIT)
            content = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError) as error:
        raise WorldGaugeError(f"{file} cannot be read ({error})", "write it with numpy.savez") from error
    lacking = [name for name in ("extrinsics", "intrinsics", "size") if name not in content]
    if lacking:
        raise WorldGaugeError(f"{file} lacks {', '.join(lacking)}")
    if all(name in content for name in PARTS):
        gaussians = _gaussians(content)
    elif file.with_suffix(".ply").is_file():
        gaussians = read_ply(file.with_suffix(".ply"))
    else:
        raise WorldGaugeError(f"{file} has no Gaussians, and no {file.with_suffix('.ply').name} lies beside it")
    problem = gaussians.problem()
    if problem:
        raise WorldGaugeError(f"the Gaussians of {file}: {problem}")
    return _cameras(content, file), gaussians


def _cameras(content: Mapping[str, NDArray[Any]], file: Path) -> SceneCameras:
    poses, lenses = (np.asarray(content[name], np.float64) for name in ("extrinsics", "intrinsics"))
    if poses.ndim != 3 or poses.shape[1:] not in ((3, 4), (4, 4)) or lenses.shape != (len(poses), 3, 3):
        raise WorldGaugeError(f"{file}: extrinsics must be (N, 3 or 4, 4) and intrinsics (N, 3, 3)")
    if not (np.isfinite(poses).all() and np.isfinite(lenses).all()):
        raise WorldGaugeError(f"{file}: cameras are not finite")
    square = np.tile(np.eye(4), (len(poses), 1, 1))
    square[:, : poses.shape[1]] = poses
    width, height = (int(side) for side in np.asarray(content["size"]).ravel()[:2])
    metric = bool(np.asarray(content.get("is_metric", 0)))
    factor = float(content["scale_factor"]) if "scale_factor" in content else None
    return SceneCameras(square, lenses, (width, height), True, metric, factor)


def _gaussians(content: Mapping[str, NDArray[Any]]) -> Gaussians:
    found = [np.asarray(content[name], np.float32) for name in PARTS]
    frame = np.asarray(content["frame"], np.int64) if "frame" in content else None
    return Gaussians(found[0], found[1], found[2], found[3], found[4], frame)


def read_ply(file: Path) -> Gaussians:
    """Gaussians in the form in which they are usually exchanged: scales as logarithms, opacities before the sigmoid."""
    data = file.read_bytes()
    head, mark, body = data[:MOST_HEADER].partition(b"end_header\n")
    lines = head.decode("ascii", "replace")
    count = re.search(r"element vertex (\d+)", lines)
    names = _PROPERTY.findall(lines)
    if not mark or count is None or "binary_little_endian" not in lines or not names:
        raise WorldGaugeError(f"{file} is no PLY file of Gaussians", "binary, little-endian, all properties float")
    body = data[len(head) + len(mark) :]
    total = int(count.group(1))
    if len(body) < total * 4 * len(names):
        raise WorldGaugeError(f"{file} is cut off")
    table = np.frombuffer(body, "<f4", total * len(names)).reshape(total, len(names))
    column = {name: k for k, name in enumerate(names)}

    def of(*wanted: str) -> NDArray[np.float32]:
        lacking = [name for name in wanted if name not in column]
        if lacking:
            raise WorldGaugeError(f"{file} has no property {lacking[0]}")
        return np.ascontiguousarray(table[:, [column[name] for name in wanted]])

    rest = sum(name.startswith("f_rest_") for name in names)
    higher = of(*(f"f_rest_{k}" for k in range(rest))).reshape(total, 3, rest // 3).transpose(0, 2, 1)
    first = of("f_dc_0", "f_dc_1", "f_dc_2")[:, None]
    return Gaussians(
        means=of("x", "y", "z"),
        quaternions=of("rot_0", "rot_1", "rot_2", "rot_3"),
        scales=np.exp(of("scale_0", "scale_1", "scale_2")),
        opacities=np.asarray(1 / (1 + np.exp(-of("opacity")[:, 0])), np.float32),
        harmonics=np.ascontiguousarray(np.concatenate([first, higher], axis=1), np.float32),
    )
