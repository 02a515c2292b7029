"""Prompts are files: their bytes are part of what is measured, and a user may put others in their place."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.reading import read_text

FOLDER = "prompts"
SUFFIX = ".md"

_placed: dict[str, Path] = {}
"""Prompts of the user, by the last part of their name."""


def place_prompts(items: Iterable[str]) -> None:
    """Put a user's files in the place of ours: `NAME=PATH` strings."""
    for item in items:
        name, equals, path = item.partition("=")
        if not equals or not name:
            raise WorldGaugeError(f"--prompt {item}: expected NAME=FILE")
        if not Path(path).is_file():
            raise WorldGaugeError(f"--prompt {item}: {path} does not exist", "name a text file")
        _placed[name] = Path(path).absolute()


def forget_prompts() -> None:
    """Back to the files that come with the package."""
    _placed.clear()


def placed_prompts() -> tuple[str, ...]:
    """What `place_prompts` was given: what a worker must place too."""
    return tuple(f"{name}={path}" for name, path in _placed.items())


def prompt_file(name: str) -> Path:
    """Where a prompt lies: `worldgauge.judge:questions` is `prompts/questions.md` in that package, or the user's."""
    package, _, short = name.rpartition(":")
    if short in _placed:
        return _placed[short]
    found = importlib.util.find_spec(package)
    if found is None or not found.origin:
        raise WorldGaugeError(f"prompt '{name}' belongs to no package on disk")
    return Path(found.origin).parent / FOLDER / f"{short}{SUFFIX}"


def read_prompt(name: str) -> str:
    """The text of a prompt."""
    return read_text(prompt_file(name), missing="restore the prompt file")


def digest_of_prompt(name: str) -> str:
    """sha256 of the prompt's bytes: one changed byte asks anew."""
    return digest_file(prompt_file(name))
