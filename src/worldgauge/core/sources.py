"""`sources.jsonl` of a run folder: each case and where its videos lie, so that a report can show what was scored.

Only reports read it. A score never depends on it, and a run whose videos have moved still reports its numbers.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import ModelCard, Submission, first_problem
from worldgauge.core.video import Video

FILE_NAME = "sources.jsonl"


@dataclass(frozen=True)
class Source:
    """One case of a run and the model's videos, where they are."""

    case: Case
    takes: tuple[Video | None, ...] = ()
    """The case's videos; None for one that is no longer there. Empty: it had none, or they were in memory."""

    @property
    def video(self) -> Video | None:
        """The first video."""
        return self.takes[0] if self.takes else None

    @property
    def reference(self) -> Video | None:
        """The reference video, where the case has one and it is on disk."""
        relative = self.case.reference.video
        path = self.case.path(relative) if relative else None
        video = Video(path) if path is not None else None
        return video if video is not None and video.is_there else None


def write_sources(folder: Path, cases: Iterable[Case], submission: Submission) -> None:
    """Write `sources.jsonl` into a run folder; paths are relative to the folder, so both can move together."""
    partial = folder / f".{FILE_NAME}.partial"
    # Cases by the hundred thousand have one root.
    real = os.path.realpath(folder)
    relative = functools.cache(functools.partial(_relative, folder=real))
    # JSON has the same escape for what is not UTF-8 in a path, so it reads back as it was.
    with partial.open("w", encoding="utf-8", errors="backslashreplace") as stream:
        for case in cases:
            named = [submission.videos.get(case.id), *submission.further.get(case.id, ())]
            line: dict[str, object] = {"case": case.to_json(), "root": relative(case.path("."))}
            videos = [
                {
                    "path": _relative(video.on_disk, real),
                    "fps": video.stated_fps,
                    "frames": video.expected_frames,
                    **({} if video.beside is None else {"beside": _relative(video.beside, real)}),
                }
                for video in named
                if video is not None and video.on_disk is not None
            ]
            stream.write(json.dumps(line | {"videos": videos}) + "\n")
    partial.replace(folder / FILE_NAME)


def copy_sources(folder: Path, target: Path) -> None:
    """Write the sources of one run folder into another, with paths relative to that."""
    known = list(_read(folder))
    if known:
        # Also the place of a video that is not there now, so that every take keeps its number.
        first = {case.id: videos[0] for case, videos in known if videos}
        further = {case.id: videos[1:] for case, videos in known if len(videos) > 1}
        write_sources(target, [case for case, _ in known], Submission(_NOBODY, first, further))


def read_sources(folder: Path) -> dict[str, Source]:
    """Every case of a run by id; empty for a run folder that has no such file."""
    return {
        case.id: Source(case, tuple(video if video.is_there else None for video in videos))
        for case, videos in _read(folder)
    }


def _read(folder: Path) -> Iterator[tuple[Case, list[Video]]]:
    """Each case with its videos, whether they are there or not."""
    file = folder / FILE_NAME
    if not file.is_file():
        return
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        yield _parsed(file, number, line)


def _parsed(file: Path, number: int, line: bytes) -> tuple[Case, list[Video]]:
    folder = file.parent
    try:
        content = json.loads(line)
        case = Case.model_validate(content["case"]).at(folder / content["root"])
        videos = [
            Video(folder / v["path"], v["fps"], v["frames"], folder / v["beside"] if v.get("beside") else None)
            for v in _videos(content)
        ]
    except ValidationError as error:
        raise WorldGaugeError(f"{file} line {number}: {first_problem(error)}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WorldGaugeError(f"{file} line {number} is damaged", "run the same command again") from error
    return case, videos


class SourcesOnDemand(Mapping[str, Source]):
    """The cases of a large run: each is read, and its videos looked for, when somebody asks for it."""

    def __init__(self, folder: Path, seen: Callable[[Source], Source]) -> None:
        self._file, self._seen = folder / FILE_NAME, seen
        self._lines = self._file.read_bytes().splitlines() if self._file.is_file() else []
        self._row: dict[str, int] = {}
        for row, line in enumerate(self._lines):
            try:
                self._row[from_json(line)["case"]["id"]] = row
            except (ValueError, KeyError, TypeError) as error:
                raise WorldGaugeError(
                    f"{self._file} line {row + 1} is damaged", "run the same command again"
                ) from error

    def __getitem__(self, case_id: str) -> Source:
        row = self._row[case_id]
        case, videos = _parsed(self._file, row + 1, self._lines[row])
        return self._seen(Source(case, tuple(video if video.is_there else None for video in videos)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._row)

    def __len__(self) -> int:
        return len(self._row)


_NOBODY = ModelCard(name="-")
"""Sources do not tell the model."""


def _videos(content: dict[str, Any]) -> list[dict[str, Any]]:
    if "videos" not in content:
        # Older versions named the first video only.
        return [{"path": content["video"], "fps": content.get("fps"), "frames": None}] if content.get("video") else []
    found: list[dict[str, Any]] = content["videos"]
    return found


def _relative(path: Path, folder: str) -> str:
    """A path relative to a folder, whose own links are resolved."""
    # Unlike `Path.resolve`, `realpath` does not stumble over a link that leads to itself.
    real = os.path.realpath(path)
    try:
        return os.path.relpath(real, folder)
    except ValueError:
        # Another drive.
        return real
