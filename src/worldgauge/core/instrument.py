"""`Instrument`: one way to perceive. A seat ("flow") can be taken by any instrument made for it ("dis")."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from worldgauge.core.registry import Registry


@dataclass(frozen=True)
class Weights:
    """Where a network's parameters come from and how they are known to be the right ones."""

    source: str
    """Hub id or address."""
    revision: str
    sha256: str
    licence: str
    megabytes: float


@dataclass(frozen=True)
class Instrument:
    """Base of every instrument. Subclasses are frozen dataclasses whose fields are their parameters."""

    seat: ClassVar[str]
    """The kind of perception it serves: flow, poses, depth, track, embedding, ..."""
    name: ClassVar[str]
    version: ClassVar[int] = 1
    weights: ClassVar[Weights | None] = None
    dtype: ClassVar[str] = "float32"
    memory: ClassVar[float] = 0.1
    """Gigabytes it needs while loaded, beside the frames."""

    @property
    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def identity(self) -> dict[str, Any]:
        """What goes into a signal's key: everything that can change a number, nothing that cannot."""
        identity: dict[str, Any] = {"name": self.name, "version": self.version, "parameters": self.parameters}
        if self.weights is not None:
            identity |= {"weights": self.weights.sha256, "dtype": self.dtype}
        return identity

    def unavailable(self) -> str | None:
        """Why it cannot run on this machine, in a few words that say what to install; None when it can."""
        return None

    def load(self, device: str) -> None:
        """Make it ready to infer. Called once per stage and worker."""


SEATS = {
    "flow": "optical flow between two frames",
    "poses": "camera pose and intrinsics per frame",
    "matches": "checked point correspondences between any two frames",
    "depth": "relative depth from camera motion",
    "image_depth": "depth of a single frame, by a network",
    "track": "where the target is in each frame, and whether it is there",
    "embedding": "unit vectors on a grid of patches, and one for the whole frame",
    "image_embedding": "one unit vector per frame, by a network",
    "style": "statistics of filter responses that tell styles apart",
    "quality": "sharpness, noise, blockiness, exposure, colourfulness",
    "image_quality": "how good a frame looks, by a network",
    "aesthetic": "how pleasing a frame is, by a network",
    "perceptual_distance": "how different two frames look, by a network",
    "prompt_reward": "how well a frame fits its prompt, by a network",
    "faces": "faces and whose they are",
    "style_features": "feature maps whose Gram matrices tell styles apart",
    "interpolation": "the frame halfway between two",
    "detector": "objects named in a text found in a frame, by a network",
    "text_image": "how well a frame fits a text, by a network",
}
"""What can be perceived. A signal asks for a seat; an instrument set fills seats with instruments."""

INSTRUMENTS: Registry[type[Instrument]] = Registry(
    "instrument",
    {
        "dis": "worldgauge.instruments.pocket.flow:DisFlow",
        "bundle": "worldgauge.instruments.pocket.poses:BundlePoses",
        "motion": "worldgauge.instruments.pocket.depth:MotionDepth",
        "colmap": "worldgauge.instruments.colmap:ColmapPoses",
        "sift": "worldgauge.instruments.pocket.matches:SiftMatches",
        "colour_track": "worldgauge.instruments.pocket.track:ColourTrack",
        "patch_statistics": "worldgauge.instruments.pocket.embedding:PatchStatistics",
        "picture_statistics": "worldgauge.instruments.pocket.quality:PictureStatistics",
        "filter_bank": "worldgauge.instruments.pocket.style:FilterBankStyle",
        "no_faces": "worldgauge.instruments.pocket.faces:NoFaces",
        "random_style": "worldgauge.instruments.pocket.random_style:RandomStyle",
        "rendered_depth": "worldgauge.blocks.exact_depth:RenderedDepth",
        "flow_midpoint": "worldgauge.instruments.pocket.interpolation:FlowInterpolation",
    },
)

INSTRUMENT_SETS: dict[str, dict[str, str]] = {
    "pocket": {
        "flow": "dis",
        "style_features": "random_style",
        "interpolation": "flow_midpoint",
        "poses": "bundle",
        "matches": "sift",
        "depth": "motion",
        "track": "colour_track",
        "embedding": "patch_statistics",
        "quality": "picture_statistics",
        "style": "filter_bank",
        "faces": "no_faces",
    },
    "reference": {},
}
"""Seat to instrument for each named set; any seat can be given to another instrument by name."""
