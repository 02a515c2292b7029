"""Whether the videos of a submission can be read, before anything is measured."""

from __future__ import annotations

import stat
from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import dataclass, field

from worldgauge.core.benchmark import Benchmark
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import Submission
from worldgauge.core.video import Video, VideoInfo, check_measurable

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done and how much there is."""


@dataclass(frozen=True)
class Validation:
    """What is there of a submission."""

    cases: int
    missing: list[str] = field(default_factory=list)
    """Cases without a video."""
    invalid: dict[str, str] = field(default_factory=dict)
    """Case id to what is wrong with its video or its camera path."""
    remarks: dict[str, str] = field(default_factory=dict)
    """Case id to what is unusual about its video."""
    unknown: list[str] = field(default_factory=list)
    """Videos that belong to no case."""

    @property
    def readable(self) -> int:
        return self.cases - len(self.missing) - len(self.invalid)


def validate_videos(
    benchmark: Benchmark,
    submission: Submission,
    protocol: str | None = None,
    full: bool = False,
    progress: Progress = lambda step, done, total: None,
) -> Validation:
    """Read the first frame of every case's video, or with `full` all of them.

    The protocol decides how long a clip must be; None: the benchmark's first.
    """
    found, known = Validation(len(benchmark.cases)), _KnownFiles()
    length = benchmark.file.held_length(protocol or benchmark.file.protocols[0])
    for number, case in enumerate(benchmark.cases, start=1):
        video = submission.video(case.id)
        if video is None:
            found.missing.append(case.id)
        else:
            try:
                read = known.read(video if length is None else length.read(video), full)
                shortfall = "" if length is None else length.shortfall(case, read)
                if remarks := "; ".join(filter(None, (shortfall, read.info.remarks))):
                    found.remarks[case.id] = remarks
                if case.condition.camera:
                    case.camera()
            except (WorldGaugeError, OSError) as error:
                found.invalid[case.id] = str(error)
        progress("videos", number, found.cases)
    found.unknown.extend(sorted(submission.videos.keys() - {case.id for case in benchmark.cases}))
    return found


class _KnownFiles:
    """What was learnt of files that can be read: one that has several names or links is read once."""

    def __init__(self) -> None:
        self._of_file: dict[Hashable, VideoInfo] = {}
        self._infos: dict[VideoInfo, VideoInfo] = {}
        """Each once: of a hundred thousand clips most are alike."""

    def read(self, video: Video, full: bool) -> Video:
        """The same video with its `info`; raises where it cannot be read, or holds too little to be measured."""
        # A copy, since a video keeps what it has learnt, which would fill the memory.
        read, file = copy(video), _same_file(video)
        if file in self._of_file:
            read.__dict__["info"] = self._of_file[file]
            return read
        check_measurable(read.info)
        for _ in read.frames() if full else ():
            pass
        if file is not None:
            self._of_file[file] = self._infos.setdefault(read.info, read.info)
        return read


def _same_file(video: Video) -> Hashable | None:
    """What two videos share that are one file, under several names or links; None for what is no file."""
    if video.on_disk is None:
        return None
    found = video.on_disk.stat()
    if not stat.S_ISREG(found.st_mode):
        return None
    asked = video.stated_fps, video.expected_frames, video.configured_frames
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, *asked)
