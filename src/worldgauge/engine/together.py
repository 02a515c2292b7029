"""What the perceptions of one video for several benchmarks share: its decoded frames, and values that are not kept."""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from typing import Any

from worldgauge.core.case import Phases
from worldgauge.core.clip import Clip
from worldgauge.core.video import Video


class Together:
    """Shared for the length of a case. Kept values are shared by all through the store."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        """By the key of a signal that is not kept: what was computed."""
        self._readers: dict[str, set[Hashable]] = {}
        self._served: dict[str, set[Hashable]] = {}
        self._clips: dict[str, Clip] = {}

    def will_read(self, key: str, reader: Hashable) -> None:
        """Note that a signal or metric will ask for the signal of a key; what two benchmarks share is one reader."""
        self._readers.setdefault(key, set()).add(reader)

    def readers(self, key: str) -> int:
        """How many were noted; 0 where that is not known."""
        return len(self._readers.get(key, ()))

    def has_read(self, key: str, reader: Hashable) -> bool:
        """Note that a reader is done; when all that were noted are, the value is let go, and the answer is true."""
        served = self._served.setdefault(key, set())
        served.add(reader)
        if not self._readers.get(key, {None}) <= served:
            return False
        self.values.pop(key, None)
        return True

    def clip(self, video: Video, phases: Phases | None) -> tuple[Clip, bool]:
        """The clip of a video, and whether it is new: a file is decoded once for all who look at it."""
        known = self._clips.get(video.digest)
        if known is None:
            known = self._clips[video.digest] = Clip(video, phases)
            return known, True
        shared = copy(known)
        shared.phases = phases
        return shared, False
