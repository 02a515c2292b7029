"""Gauge blocks: rendered worlds whose geometry, motion, events and cameras are known exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worldgauge.core.manifest import Manifest

if TYPE_CHECKING:
    from worldgauge.blocks.block import Block, Truth, World

__all__ = ["MANIFEST", "Block", "Truth", "World"]

MANIFEST = Manifest(
    package=__name__,
    instruments={
        "rendered_depth": ".exact_depth:RenderedDepth",
        "rendered_poses": ".exact_instruments:RenderedPoses",
        "rendered_clip_depth": ".exact_instruments:RenderedClipDepth",
        "rendered_track": ".exact_instruments:RenderedTrack",
        "rendered_names": ".exact_instruments:RenderedNames",
        "rendered_people": ".exact_instruments:RenderedPeople",
        "rendered_faces": ".exact_instruments:RenderedFaces",
        "rendered_words": ".exact_instruments:RenderedWords",
    },
)


def __getattr__(name: str) -> Any:
    # Listing instruments imports this package; that must not cost SciPy.
    if name in __all__:
        from worldgauge.blocks import block

        return getattr(block, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
