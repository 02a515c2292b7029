"""Source clips below a folder, each with an id of its own."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from worldgauge.benchmarks.mbench.data.cases import HIDING
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import readable
from worldgauge.core.video import Video
from worldgauge.media.folder_scan import find_videos

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9-]+")
DEFAULT_RATE = 16.0
"""Frames per second of frames that do not tell."""


@dataclass(frozen=True)
class SourceClip:
    """One clip that may become a sample."""

    name: str
    """Its path below the folder."""
    id: str
    video: Video

    def seconds(self) -> float:
        """Its length. Raises where it cannot be decoded."""
        return self.video.info.frames / (self.video.info.fps or DEFAULT_RATE)


def source_clips(folder: Path) -> list[SourceClip]:
    """Every clip below a folder, in order of name."""
    if not folder.is_dir():
        raise WorldGaugeError(f"{folder} is not a folder", "name a folder of clips")
    names = [(path, readable(path.relative_to(folder).as_posix())) for path in find_videos(folder)]
    if not names:
        raise WorldGaugeError(f"{folder} holds no clip", "video files, or folders of frames")
    plain = {name: plain_id(name) for _, name in names}
    shared = {one for one, count in Counter(id_.casefold() for id_ in plain.values()).items() if count > 1}
    ids = {name: f"{one}_{_digest(name)}" if one.casefold() in shared else one for name, one in plain.items()}
    return [SourceClip(name, ids[name], Video(path)) for path, name in names]


def plain_id(name: str) -> str:
    """A path as an id that all files of the release can hold; none ends like a way of hiding.

    >>> plain_id("indoors/my clip.mp4"), plain_id("film_camera.mp4")
    ('indoors_my_clip', 'film_camera_clip')
    """
    stem = name.rpartition(".")[0] or name
    found = _NOT_IN_IDS.sub("_", stem).strip("_") or "clip"
    return f"{found}_clip" if HIDING.search(found) else found


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
