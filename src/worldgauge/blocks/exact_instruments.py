"""Perfect instruments for gauge blocks: they look up what `exact_views` kept. For tests and calibration, nothing else.

None of them perceives anything. A metric in whose seats they sit is measured alone, without a network's errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.exact_views import View, recall_metres, recall_view
from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import Instrument
from worldgauge.functional.lens import Lens
from worldgauge.functional.masks import Box, Mask
from worldgauge.functional.pose import relative

if TYPE_CHECKING:
    from worldgauge.signals.faces import Face
    from worldgauge.signals.tracks import Sighting

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
STILL = 1e-6
"""Typical depths; a camera that moves by less only turns."""
FITS, FITS_NOT = 30.0, 20.0
"""100 times the cosine of a frame and a caption that is true of it, and of one that is not: the level networks give."""


@dataclass(frozen=True)
class _Kept(Instrument):
    folder: str = ""
    """Where the truth of shown frames was kept."""

    def identity(self) -> dict[str, Any]:
        # The truth belongs to the pixels of its frame; where it lies changes no number.
        return {"name": self.name, "version": self.version, "parameters": {}}

    def unavailable(self) -> str | None:
        return None if self.folder and Path(self.folder).is_dir() else "needs a folder of what is true of shown frames"

    def view(self, frame: Image) -> View:
        return recall_view(Path(self.folder), frame)


@dataclass(frozen=True)
class RenderedPoses(_Kept):
    """True camera paths."""

    seat: ClassVar[str] = "poses"
    name: ClassVar[str] = "rendered_poses"

    def trajectory(self, frames: Sequence[Image], lens: Lens | None = None) -> Any:
        """Poses relative to the first frame, in typical depths."""
        from worldgauge.instruments.pocket.poses import Trajectory

        views = [self.view(frame) for frame in frames]
        first, count = views[0], len(views)
        poses = relative(first.pose, np.stack([view.pose for view in views]))
        poses[:, :3, 3] /= first.typical_depth
        moves = bool(np.linalg.norm(poses[:, :3, 3], axis=1).max() > STILL)
        if not moves:
            poses[:, :3, 3] = 0.0
        size = frames[0].shape[1], frames[0].shape[0]
        matrix = first.intrinsics
        own = Lens(float(matrix[0, 0]), (float(matrix[0, 2]), float(matrix[1, 2])), size)
        ones, nothing = np.ones(count), np.zeros(count)
        return Trajectory(
            poses, lens or own, "given", ones, nothing, nothing[1:], nothing[1:], moves, np.ones(count, bool),
            metric_scale=first.typical_depth,
        )  # fmt: skip


@dataclass(frozen=True)
class RenderedClipDepth(_Kept):
    """True depth of the frames of a clip, in the unit of its camera path."""

    seat: ClassVar[str] = "depth"
    name: ClassVar[str] = "rendered_clip_depth"

    def maps(
        self, frames: Sequence[Image], poses: Floats, lens: object, chosen: Sequence[int]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Depth (F, H, W) of the chosen frames, and where there is a surface."""
        unit, folder = self.view(frames[0]).typical_depth, Path(self.folder)
        maps = np.stack([recall_metres(folder, frames[k]) for k in chosen]) / np.float32(unit)
        known = np.isfinite(maps)
        return np.where(known, maps, 0.0).astype(np.float32), known


@dataclass(frozen=True)
class RenderedTrack(_Kept):
    """The true mask of the target, whatever box it is asked with."""

    seat: ClassVar[str] = "track"
    name: ClassVar[str] = "rendered_track"

    def track(self, frames: Iterable[Image], box: Box | None, mask: Mask | None) -> Iterator[Sighting]:
        """One sighting per frame."""
        from worldgauge.signals.tracks import Sighting

        for frame in frames:
            visible = self.view(frame).visible
            yield Sighting(visible, float(visible.any()))


@dataclass(frozen=True)
class RenderedNames(_Kept):
    """The true mask of the target, asked for by its name; it knows no other thing."""

    seat: ClassVar[str] = "phrase_follower"
    name: ClassVar[str] = "rendered_names"

    def followed_phrase(
        self, frames: Sequence[Image], phrase: str
    ) -> Iterator[Mapping[int, tuple[NDArray[np.bool_], float]]]:
        """Frame by frame the target where it is seen."""
        for frame in frames:
            view = self.view(frame)
            if view.target != phrase:
                raise Unscored(f"it knows the {view.target} only, not '{phrase}'")
            yield {0: (view.visible, 1.0)} if view.visible.any() else {}


@dataclass(frozen=True)
class RenderedPeople(_Kept):
    """The target stands for a person: its true mask, whatever phrase it is asked with."""

    seat: ClassVar[str] = "segmenter"
    name: ClassVar[str] = "rendered_people"

    def segment(
        self, frames: Image, phrases: Sequence[str], threshold: float
    ) -> Sequence[tuple[NDArray[np.bool_], Sequence[float]]]:
        """Per frame the mask of the target, if it is seen."""
        masks = [self.view(frame).visible for frame in frames]
        return [(mask[None][: int(mask.any())], [1.0] * int(mask.any())) for mask in masks]


@dataclass(frozen=True)
class RenderedFaces(_Kept):
    """The target stands for a person: its top is the face, and what it is painted with tells who it is."""

    seat: ClassVar[str] = "faces"
    name: ClassVar[str] = "rendered_faces"

    least: int = 20
    """Px of the target that must be seen."""

    def faces(self, frames: Image) -> Sequence[Sequence[Face]]:
        """At most one face per frame."""
        return [self._face(self.view(frame)) for frame in frames]

    def _face(self, view: View) -> list[Face]:
        from worldgauge.signals.faces import Face

        if view.visible.sum() < self.least:
            return []
        rows = np.flatnonzero(view.visible.any(axis=1))
        row = int(rows[0] + (rows[-1] - rows[0]) // 10)
        columns = np.flatnonzero(view.visible[row])
        if not len(columns):
            return []
        x, y, half = int(columns[len(columns) // 2]) + 0.5, row + 0.5, max(2.0, (rows[-1] - rows[0]) / 10)
        vector = view.surface / max(float(np.linalg.norm(view.surface)), 1e-9)
        return [Face((x - half, y - half, x + half, y + half), 1.0, vector.astype(np.float32))]


@dataclass(frozen=True)
class RenderedWords(_Kept):
    """Knows of a caption only whether it says that the target is hidden, and of a frame whether it shows it."""

    seat: ClassVar[str] = "text_image"
    name: ClassVar[str] = "rendered_words"

    def similarities(self, frames: Image, texts: Sequence[str]) -> Floats:
        """`FITS` where the two agree, `FITS_NOT` where they do not; a caption in which it comes or goes always fits."""
        pairs = zip((self.view(frame) for frame in frames), texts, strict=True)
        return np.array([FITS if _fits(view, text) else FITS_NOT for view, text in pairs])


def _fits(view: View, text: str) -> bool:
    from worldgauge.blocks.paths import ALL_PATHS

    hidden, *between = (
        any(f"the {view.target} {path.unseen[k]}" in text for path in ALL_PATHS.values()) for k in range(3)
    )
    return any(between) or bool(view.visible.any()) != hidden
