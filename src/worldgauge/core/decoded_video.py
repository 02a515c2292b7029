"""A clip whose frames, or some of them, somebody else has decoded: read from a file of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.core.video import Image, Video, VideoInfo


@dataclass(frozen=True)
class DecodedFrames:
    """Frames in a file: uint8 RGB (frame, height, width, 3), nothing around them."""

    file: str
    indices: tuple[int, ...]
    """Their numbers in the clip, ascending."""
    info: VideoInfo
    """What the clip was found to be,"""
    digest: str
    """whose digest was this."""


def codecs() -> str:
    """What decodes on this machine: another version of it may give other pixels."""
    from worldgauge.media.codecs import codecs as found

    return found()


class DecodedVideo(Video):
    """The same clip as the `Video` of its path. Frames that do not belong to what lies there now are not looked at."""

    def __init__(
        self,
        path: str | Path,
        fps: float | None,
        expected_frames: int | None,
        beside: str | Path | None,
        decoded: DecodedFrames,
    ) -> None:
        super().__init__(path, fps, expected_frames, beside)
        self._decoded = decoded

    @classmethod
    def of(cls, video: Video, decoded: DecodedFrames) -> DecodedVideo:
        return cls(video.path, video.stated_fps, video.expected_frames, video.beside, decoded)

    def __reduce__(self) -> tuple[Any, ...]:
        told = self.path, self.stated_fps, self.expected_frames, self.beside, self._decoded
        return DecodedVideo, told

    @cached_property
    def _fits(self) -> bool:
        return self.digest == self._decoded.digest

    @cached_property
    def _rows(self) -> dict[int, Image]:
        """The frames by number; none where the file is gone."""
        info, indices = self._decoded.info, self._decoded.indices
        shape = (len(indices), info.height, info.width, 3)
        try:
            frames: Image = np.asarray(np.memmap(self._decoded.file, np.uint8, "r", shape=shape))
        except (OSError, ValueError):
            return {}
        return dict(zip(indices, frames, strict=True))

    def _probe(self) -> VideoInfo:
        return self._decoded.info if self._fits else super()._probe()

    def lent(self, index: int) -> Image | None:
        frame = self._rows.get(index) if self._fits else None
        self.brought += frame is not None
        return frame
