"""Camera poses by COLMAP (Schönberger and Frahm, 2016), for clips with parallax; optional, needs pycolmap."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unavailable, Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import align_first_frame, invert
from worldgauge.functional.usable import in_words
from worldgauge.instruments.pocket.poses import LensSource, Trajectory, usual_lens
from worldgauge.instruments.turning import Match, turning_path

log = logging.getLogger(__name__)

OVERLAP = 8
"""Frames before and after each that it is matched with, besides those 16, 32, ... away."""


@dataclass(frozen=True)
class ColmapPoses(Instrument):
    """Incremental structure from motion; of a camera that only turns, the rotations that its matches agree with."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "colmap"
    version: ClassVar[int] = 3
    modules: ClassVar[tuple[str, ...]] = ("pycolmap",)
    extra: ClassVar[str] = "geometry"
    memory: ClassVar[float] = 1.0

    features: int = 2000
    """SIFT features per frame."""

    def trajectory(self, frames: Sequence[NDArray[np.uint8]], lens: Lens | None = None) -> Trajectory:
        """Poses of RGB frames (H, W, 3); every frame must be registered."""
        reason = self.unavailable()
        if reason:
            raise Unavailable(reason)
        size = frames[0].shape[1], frames[0].shape[0]
        start = lens or usual_lens(size)
        with tempfile.TemporaryDirectory(prefix="worldgauge-colmap-") as folder:
            database = self._match(Path(folder), frames, start)
            # First, for what parallax COLMAP would find in a clip without any is noise.
            turning = turning_path(_matches_in(database), len(frames), start, given=lens is not None)
            if turning is not None:
                return turning
            model = _reconstruct(Path(folder), database, fixed=lens is not None)
        return _as_trajectory(model, len(frames), start, "estimated" if lens is None else "given")

    def _match(self, folder: Path, frames: Sequence[NDArray[np.uint8]], lens: Lens) -> Path:
        """Write the frames into the folder, and into its database their features and which of them match."""
        import cv2
        import pycolmap

        pycolmap.logging.minloglevel = 2
        for index, frame in enumerate(frames):
            cv2.imwrite(str(folder / f"{index:06d}.png"), np.ascontiguousarray(frame[..., ::-1]))
        database = folder / "database.db"
        reader = pycolmap.ImageReaderOptions()
        reader.camera_model = "SIMPLE_PINHOLE"
        reader.camera_params = f"{lens.focal},{lens.centre[0]},{lens.centre[1]}"
        extraction = pycolmap.FeatureExtractionOptions()
        extraction.use_gpu = False
        extraction.sift.max_num_features = self.features
        names = [f"{index:06d}.png" for index in range(len(frames))]
        pycolmap.extract_features(
            database, folder, image_names=names, camera_mode=pycolmap.CameraMode.SINGLE, reader_options=reader,
            extraction_options=extraction,
        )  # fmt: skip
        matching = pycolmap.FeatureMatchingOptions()
        matching.use_gpu = False
        pairing = pycolmap.SequentialPairingOptions()
        pairing.overlap, pairing.quadratic_overlap = OVERLAP, True
        pycolmap.match_sequential(database, matching_options=matching, pairing_options=pairing)
        return database


def _matches_in(database: Path) -> list[Match]:
    """What pairs of frames share, as far as it agrees with one motion between them."""
    import pycolmap

    with pycolmap.Database.open(database) as opened:
        frames = {image.image_id: int(image.name[:6]) for image in opened.read_all_images()}
        places = {number: opened.read_keypoints(number)[:, :2].astype(np.float64) for number in frames}
        pairs, geometries = opened.read_two_view_geometries()
    found = []
    for pair, geometry in zip(pairs, geometries, strict=True):
        ends = pycolmap.pair_id_to_image_pair(pair)
        rows = np.asarray(geometry.inlier_matches, np.int64).reshape(-1, 2)
        here, there = (places[end][rows[:, k]] for k, end in enumerate(ends))
        match = Match(frames[ends[0]], frames[ends[1]], here, there)
        found.append(match if match.first < match.second else Match(match.second, match.first, there, here))
    return sorted(found, key=lambda match: (match.first, match.second))


def _reconstruct(folder: Path, database: Path, *, fixed: bool) -> Any:
    """The largest model that COLMAP makes of the matches."""
    import pycolmap

    output = folder / "models"
    output.mkdir()
    mapping = pycolmap.IncrementalPipelineOptions()
    mapping.ba_refine_focal_length = not fixed
    mapping.ba_refine_principal_point = mapping.ba_refine_extra_params = False
    mapping.multiple_models, mapping.random_seed = False, 0
    models = pycolmap.incremental_mapping(database, folder, output, options=mapping)
    if not models:
        raise Unscored("too little parallax for COLMAP to start from, and more than a camera that only turns shows")
    return max(models.values(), key=lambda model: model.num_reg_images())


def _as_trajectory(model: Any, count: int, lens: Lens, source: LensSource) -> Trajectory:
    """The model's path with typical point depth 1; confidence is each frame's share of matched features."""
    placed = {int(image.name[:6]): image for image in model.images.values() if image.has_pose}
    lost = np.array([k for k in range(count) if k not in placed])
    if len(lost):
        raise Unscored(f"{in_words(lost)} cannot be placed: COLMAP does not register them")
    poses = np.tile(np.eye(4), (count, 1, 1))
    confidence, residual = np.zeros((2, count))
    missed: list[dict[int, NDArray[np.float64]]] = [{} for _ in range(count)]
    depths = []
    points = {key: np.asarray(point.xyz) for key, point in model.points3D.items()}
    for k, image in placed.items():
        poses[k, :3] = image.cam_from_world().matrix()
        seen = [(point.xy, point.point3D_id) for point in image.points2D if point.has_point3D()]
        world = np.array([points[number] for _, number in seen]) @ poses[k, :3, :3].T + poses[k, :3, 3]
        camera = model.cameras[image.camera_id]
        flat = camera.focal_length * world[:, :2] / world[:, 2:] + [camera.principal_point_x, camera.principal_point_y]
        off = flat - np.array([xy for xy, _ in seen])
        residual[k] = np.median(np.linalg.norm(off, axis=1))
        missed[k] = {number: vector for (_, number), vector in zip(seen, off, strict=True)}
        confidence[k] = min(1.0, len(seen) / 50)
        depths.append(float(np.median(world[:, 2])))
    path = align_first_frame(invert(poses))
    path[:, :3, 3] /= float(np.median(depths))
    focal = float(next(iter(model.cameras.values())).focal_length)
    found = Lens(focal, lens.centre, lens.size)
    strays = [
        [np.linalg.norm(after[number] - before[number]) for number in sorted(before.keys() & after.keys())]
        for before, after in pairwise(missed)
    ]
    means = np.array([np.mean(of_pair) if of_pair else 0.0 for of_pair in strays])
    sightings = np.array([float(len(of_pair)) for of_pair in strays])
    return Trajectory(path, found, source, confidence, residual, means, sightings, True, np.ones(count, bool))
