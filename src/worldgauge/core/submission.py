"""`Submission`: a model's card and its videos, by case id."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import is_folder, path_of, readable
from worldgauge.core.reading import first_problem as first_problem
from worldgauge.core.reading import read_json, read_text, validated
from worldgauge.core.video import Video

SCHEMA: Final = 1
FILE_NAME = "submission.json"


class ModelCard(BaseModel):
    """Who made the videos. Anything else one wants to say goes beside the name."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(min_length=1)

    @model_validator(mode="after")
    def _writable(self) -> ModelCard:
        # `run.json` repeats the card. JSON can spell characters that no file can hold.
        if not _is_text(json.dumps(self.model_extra, ensure_ascii=False, default=str)):
            raise ValueError("the card holds a text that is not Unicode")
        return self

    @property
    def stands_for(self) -> str:
        """The `baseline` a card may state (oracle, frozen, random, ...); empty for a model under test."""
        stated = (self.model_extra or {}).get("baseline")
        return stated if isinstance(stated, str) else ""


class VideoEntry(BaseModel):
    """Where a case's video lies, relative to the submission file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    fps: float | None = Field(default=None, gt=0)
    """Rate of a frame folder, which has none of its own."""
    beside: str | None = None
    """A file that says something about this very video, such as when each of its chunks begins."""

    @model_validator(mode="before")
    @classmethod
    def _bare_path(cls, content: Any) -> Any:
        return {"path": content} if isinstance(content, str) else content

    @field_validator("path", "beside")
    @classmethod
    def _names_a_file(cls, name: str | None) -> str | None:
        try:
            if b"\0" in os.fsencode(name or ""):
                raise ValueError
        except ValueError:
            raise ValueError("no file can have this name") from None
        return name


class SubmissionFile(BaseModel):
    """`submission.json` as it lies on disk."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    model: ModelCard
    videos: dict[str, VideoEntry | Annotated[list[VideoEntry], Field(min_length=1)]] | None = None
    """Case id to an entry, or to the path alone; to a list of them where the model made several takes of a case. A file
    without this field is a model's card: the folder is then searched as one without a file is."""


class Submission:
    """A model's videos. An entry whose file is not there counts as missing, not as an error."""

    def __init__(
        self, model: ModelCard, videos: dict[str, Video], further: Mapping[str, Sequence[Video]] | None = None
    ) -> None:
        self.model = model
        self.videos = videos
        """The video of each case, the first where there are several takes."""
        self.further = dict(further or {})
        """Further takes (other seeds, other rollouts) of the same cases."""
        self.read_from: Path | None = None
        """The file or folder it was read from; None for one made in memory."""
        self.left_out: dict[str, str] = {}
        """Folders below that folder that were not searched for videos, each with what it is: report, run folder ..."""

    def video(self, case_id: str) -> Video | None:
        """The first video of a case, or None when there is none."""
        return self.takes(case_id)[0]

    def takes(self, case_id: str) -> list[Video | None]:
        """Every video of a case, None for one that is not there; a case without any has one that is missing."""
        named = [self.videos.get(case_id), *self.further.get(case_id, ())]
        return [video if video is not None and video.is_there else None for video in named]

    @classmethod
    def read(cls, path: Path, search: Callable[[Path], Submission] | None = None) -> Submission:
        """Read `submission.json`, or the folder that holds one.

        Where the file is a card that names no videos, `search` returns those of its folder; without it every video
        below the folder is taken, as by `from_folder`.
        """
        file = path / FILE_NAME if path.is_dir() else path
        read = read_json(file, unique=True, missing="name a submission.json or a folder of videos")
        content = validated(SubmissionFile, read, str(file))
        if content.videos is None:
            searched = (search or cls.from_folder)(file.parent)
            searched.model, searched.read_from = content.model, path
            return searched
        check_case_ids(content.videos, str(file))
        takes = {
            case_id: [
                Video(path_of(file.parent / e.path), e.fps, beside=e.beside and path_of(file.parent / e.beside))
                for e in (entry if isinstance(entry, list) else [entry])
            ]
            for case_id, entry in content.videos.items()
        }
        found = cls(
            content.model,
            {case_id: of_case[0] for case_id, of_case in takes.items()},
            {case_id: of_case[1:] for case_id, of_case in takes.items() if len(of_case) > 1},
        )
        found.read_from = path
        return found

    @classmethod
    def from_folder(cls, folder: Path, name: str | None = None) -> Submission:
        """Every video under a folder; its case id is its path without suffix (`street/03.mp4` is case `street/03`).

        What is named like a video and is none stays in the list: probing it says why it has no score. Reports, run
        folders and the like are not searched: `left_out` names them.
        """
        from worldgauge.media.folder_scan import find_videos

        if not is_folder(folder):
            raise WorldGaugeError(f"{folder} is not a folder", "name a folder of videos or a submission.json")
        videos: dict[str, Video] = {}
        left_out: dict[str, str] = {}

        def leave_out(path: Path, kind: str) -> None:
            left_out[readable(path.relative_to(folder).as_posix())] = kind

        for path in find_videos(folder, leave_out):
            relative = path.relative_to(folder)
            case_id = readable((relative if is_folder(path) else relative.with_suffix("")).as_posix())
            if case_id in videos:
                names = " and ".join(readable(other.name) for other in (videos[case_id].path, path))
                raise WorldGaugeError(
                    f"two videos for case '{case_id}': {names}", "keep one, or write a submission.json"
                )
            videos[case_id] = Video(path)
        if not videos:
            aside = f" outside of {folders_in_words(left_out)}" if left_out else ""
            raise WorldGaugeError(
                f"{folder} holds no video{aside}", "expected mp4, webm, mkv, avi, mov, gif or folders of png/jpg frames"
            )
        found = cls(ModelCard(name=name or readable(folder.resolve().name)), videos)
        found.read_from, found.left_out = folder, left_out
        return found

    def write(self, file: Path) -> None:
        """Write `submission.json` with paths relative to it."""
        videos = {case: self._entries(case, file.parent) for case in sorted(self.videos)}
        content = {"schema": SCHEMA, "model": self.model.model_dump(mode="json"), "videos": videos}
        file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")

    @staticmethod
    def write_card(folder: Path, card: ModelCard) -> Path:
        """Write a `submission.json` that is a model's card, and return its path. The videos stay where the official
        naming rule expects them.

        Raises:
            WorldGaugeError: where the folder has another `submission.json`, which may name videos.
        """
        file, content = folder / FILE_NAME, {"schema": SCHEMA, "model": card.model_dump(mode="json")}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if file.exists() and read_text(file) != text:
            raise WorldGaugeError(f"{file} is there already and differs", "add the fields there, or move it away")
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def _entries(self, case: str, root: Path) -> Any:
        entries = [_entry(video, root) for video in (self.videos[case], *self.further.get(case, ()))]
        return entries if len(entries) > 1 else entries[0]


def check_case_ids(ids: Iterable[str], where: str) -> None:
    """Refuse ids that no case can have: the empty one, and what cannot be written as UTF-8."""
    for case_id in ids:
        if not case_id:
            raise WorldGaugeError(f"{where}: a case id is empty", "give every video the id of its case")
        if not _is_text(case_id):
            raise WorldGaugeError(f"{where}: the case id '{case_id}' is not Unicode text", "write it as UTF-8")


def _is_text(text: str) -> bool:
    """Whether UTF-8 can hold it."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def folders_in_words(left_out: Mapping[str, str], limit: int = 3) -> str:
    """Folders by what they are.

    >>> folders_in_words({"page": "report", "runs/a": "run folder", "runs/b": "run folder"})
    '1 report (page), 2 run folders (runs/a, runs/b)'
    """
    kinds: dict[str, list[str]] = {}
    for folder, kind in left_out.items():
        kinds.setdefault(kind, []).append(folder)
    parts = []
    for kind, folders in kinds.items():
        noun = kind if len(folders) == 1 else f"{kind}s"
        more = ", ..." if len(folders) > limit else ""
        parts.append(f"{len(folders)} {noun} ({', '.join(folders[:limit])}{more})")
    return ", ".join(parts)


def single_video(path: Path) -> Submission | None:
    """The submission that one video file is, under its own name; None where the path is no video file."""
    from worldgauge.media import decoder

    if path.suffix.lower() not in decoder.SUFFIXES or not path.is_file():
        return None
    return Submission(ModelCard(name=path.stem), {path.stem: Video(path)})


def _entry(video: Video, root: Path) -> Any:
    if video.on_disk is None:
        raise WorldGaugeError("a video in memory has no place in a submission.json", "write it to a file first")
    entry: dict[str, Any] = {"path": _text(video.on_disk, root)}
    if video.stated_fps is not None:
        entry["fps"] = video.stated_fps
    if video.beside is not None:
        entry["beside"] = _text(video.beside, root)
    return entry if len(entry) > 1 else entry["path"]


def _text(file: Path, root: Path) -> str:
    path = Path(os.path.realpath(file))
    return readable(path.relative_to(root.resolve()).as_posix() if path.is_relative_to(root.resolve()) else str(path))
