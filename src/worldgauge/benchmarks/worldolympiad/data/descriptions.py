"""The description of a video, as the physical and the geometry track read it: raw text beside the videos."""

from __future__ import annotations

from pathlib import Path

NAMES = ("prompt.txt", "prompt.json")


def description_file(reference: Path | None, generated: Path | None) -> Path | None:
    """The first file with any text: beside the reference, then beside the generated video, text before JSON.

    Folders are those of the files themselves, where videos are links. What cannot be read raises, as in the original.
    """
    for video in (reference, generated):
        if video is None:
            continue
        for name in NAMES:
            file = video.resolve().parent / name
            if file.exists() and read_description(file):
                return file
    return None


def read_description(file: Path) -> str:
    """The text without white space around it; of `prompt.json` the JSON as it is written."""
    return file.read_text("utf-8").strip()


def description(explicit: str | None, reference: Path | None, generated: Path | None, required: bool = True) -> str:
    """The text that is used; one that was given wins where it is not empty."""
    if explicit:
        return explicit
    file = description_file(reference, generated)
    if file is None and required:
        raise FileNotFoundError("neither prompt.txt nor prompt.json says anything beside the videos")
    return "" if file is None else read_description(file)
