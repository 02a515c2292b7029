"""`sources.jsonl` of a run folder: each case and where its videos lie, so that a report can show what was scored.

Only reports read it. A score never depends on it, and a run whose videos have moved still reports its numbers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import Submission, first_problem
from worldgauge.core.video import Video

FILE_NAME = "sources.jsonl"


@dataclass(frozen=True)
class Source:
    """One case of a run and the model's video, where there is one."""

    case: Case
    video: Video | None

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
    # JSON has the same escape for what is not UTF-8 in a path, so it reads back as it was.
    with partial.open("w", encoding="utf-8", errors="backslashreplace") as stream:
        for case in cases:
            video = submission.video(case.id)
            line: dict[str, object] = {"case": case.to_json(), "root": _relative(case.path("."), folder)}
            if video is not None and video.on_disk is not None:
                line |= {"video": _relative(video.on_disk, folder), "fps": video.stated_fps}
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    partial.replace(folder / FILE_NAME)


def read_sources(folder: Path) -> dict[str, Source]:
    """Every case of a run by id; empty for a run folder that has no such file."""
    file = folder / FILE_NAME
    if not file.is_file():
        return {}
    sources: dict[str, Source] = {}
    for number, line in enumerate(file.read_text("utf-8").rstrip("\n").split("\n"), start=1):
        try:
            content = json.loads(line)
            case = Case.model_validate(content["case"]).at(folder / content["root"])
        except ValidationError as error:
            raise WorldGaugeError(f"{file} line {number}: {first_problem(error)}") from error
        except (json.JSONDecodeError, KeyError) as error:
            raise WorldGaugeError(f"{file} line {number} is damaged", "run the same command again") from error
        video = Video(folder / content["video"], content.get("fps")) if content.get("video") else None
        sources[case.id] = Source(case, video if video is not None and video.is_there else None)
    return sources


def _relative(path: Path, folder: Path) -> str:
    # Unlike `Path.resolve`, `realpath` does not stumble over a link that leads to itself.
    real = os.path.realpath(path)
    try:
        return os.path.relpath(real, os.path.realpath(folder))
    except ValueError:
        # Another drive.
        return real
