"""Clips decoded by cores that are free, for workers with GPUs: what is decoded, by whom, and how it gets there."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import IO

import numpy as np

from worldgauge.core.decoded_video import DecodedFrames, DecodedVideo, codecs
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.signal import SIGNALS
from worldgauge.core.video import Image, Video, VideoInfo
from worldgauge.engine.job import Job
from worldgauge.engine.plan import CaseWork, Plan
from worldgauge.engine.scale.origins import Origin, brought_video
from worldgauge.engine.scale.resources import Node, Resources
from worldgauge.engine.work import WorkItem

LARGEST = 10**9
"""Bytes of a clip's frames; who has a larger one decodes it where it is looked at."""
FOR_EACH = 16
"""Decoders for each worker, where nobody said how many."""


@dataclass(frozen=True)
class Wish:
    """Frames of a clip that a worker will ask for."""

    video: Video
    origins: tuple[Origin, ...]
    """Where it comes from, if that is a URL."""
    indices: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Decoded:
    """Those frames."""

    frames: Image
    """(frame, height, width, 3)."""
    indices: tuple[int, ...]
    info: VideoInfo
    digest: str


class Looks:
    """Which frames the plans say that each pass will look at. They may be wrong by now: who lacks one decodes it."""

    def __init__(self, planned: Iterable[tuple[Job, Plan]] = ()) -> None:
        self._plans = [plan for _, plan in planned]
        self._works: dict[tuple[int, str, int], CaseWork] = {
            (part, work.case.id, work.take): work for part, plan in enumerate(self._plans) for work in plan.works
        }

    @property
    def clips(self) -> int:
        """How many there are to look at."""
        return sum(bool(work.compute) for work in self._works.values())

    def wish(self, item: WorkItem, origins: tuple[Origin, ...] = ()) -> Wish | None:
        """What to decode for an item; None where nothing is looked at, or too much."""
        video = item.video
        if video is None or video.on_disk is None or item.lost or item.alone:
            return None
        try:
            info, indices = video.info, set[int]()
            for each in (item, *item.beside):
                indices |= self._indices(each, item.stage, info.frames)
        except (WorldGaugeError, OSError):
            # Told by the record when the clip is worked on.
            return None
        size = len(indices) * info.width * info.height * 3
        return Wish(video, origins, tuple(sorted(indices)), size) if 0 < size <= LARGEST else None

    def _indices(self, item: WorkItem, stage: int, count: int) -> set[int]:
        work, found = self._works.get((item.part, *item.key)), set[int]()
        for use in work.compute if work is not None else ():
            signal = SIGNALS.get(use.signal)
            now = self._plans[item.part].stages.of_use.get(use) == stage and not signal.is_asked
            if now and use.of == "video" and "video" in signal.reads:
                found.update(use.frames.indices(count, item.case.reference.phases))
        return found


def decoded(video: Video, indices: Sequence[int]) -> Decoded:
    """Frames of a clip as a worker would decode them."""
    info = video.info
    frames = np.empty((len(indices), info.height, info.width, 3), np.uint8)
    for row, (_, frame) in enumerate(video.decode(list(indices))):
        frames[row] = frame
    return Decoded(frames, tuple(indices), info, video.digest)


class Decoder:
    """An actor with one core and no GPU."""

    def introduce(self) -> str:
        """What it decodes with; answered when it is up."""
        return codecs()

    def decode(self, wish: Wish) -> tuple[str, Decoded | None]:
        """Why this machine can decode nothing of such a run, or nothing; and the frames. A clip that cannot be decoded
        is no reason: the worker finds the same, and makes the record."""
        try:
            video = brought_video(wish.video, wish.origins)
        except WorldGaugeError as error:
            return error.message, None
        if not video.is_there:
            return f"{socket.gethostname()} does not see {video.path}", None
        try:
            return "", decoded(video, wish.indices)
        except (WorldGaugeError, OSError):
            return "", None


def with_frames(item: WorkItem, found: Decoded) -> tuple[WorkItem, IO[bytes]]:
    """The item with its frames in a file without a name, in memory: no disk has to keep up with it, and it is gone when
    it is closed or this process ends, however it ends."""
    assert item.video is not None
    file = os.fdopen(os.memfd_create("worldgauge-frames"), "w+b")
    try:
        file.write(np.ascontiguousarray(found.frames).data)
        file.flush()
    except BaseException:
        file.close()
        raise
    place = f"/proc/{os.getpid()}/fd/{file.fileno()}"
    frames = DecodedFrames(place, found.indices, found.info, found.digest)
    return replace(item, video=DecodedVideo.of(item.video, frames)), file


def decoder_nodes(nodes: Sequence[Node], worker: Resources, most: int, asked: int | None = None) -> list[str]:
    """The node of each decoder: cores that no worker will take, those beside workers first.

    Without `asked` there are some for each of the `most` workers, where they have GPUs.

    >>> gpu, cpu = Node("a", 6, 1, 64, id="a"), Node("b", 2, 0, 64, id="b")
    >>> decoder_nodes([cpu, gpu], Resources(4, 1, 20), 1), decoder_nodes([cpu, gpu], Resources(4, 1, 20), 1, 3)
    (['a', 'a', 'b', 'b'], ['a', 'a', 'b'])
    """
    wanted = asked if asked is not None else FOR_EACH * most if worker.gpus else 0
    held = {node.id: min(node.holds(worker), most) for node in nodes}
    near_first = sorted(nodes, key=lambda node: -held[node.id])
    free = [node.id for node in near_first for _ in range(int(node.cpus - held[node.id] * worker.cpus))]
    return free[:wanted]
