"""Prompts are files: their bytes are part of what is measured, and a user may put others in their place.

In the place of a file may stand a folder, a checkout of the authors' code: then their text is taken out of its source.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from worldgauge.core.authors_code import AuthorsCode, AuthorsPrompt, read_authors_table
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.reading import read_text

log = logging.getLogger(__name__)

FOLDER = "prompts"
SUFFIX = ".md"

_placed: dict[str, Path] = {}
"""Prompts of the user, by their name or the last part of it."""


def place_prompts(items: Iterable[str]) -> None:
    """Put a user's files in the place of ours: `NAME=PATH` strings."""
    for item in items:
        name, equals, path = item.partition("=")
        if not equals or not name:
            raise WorldGaugeError(f"--prompt {item}: expected NAME=FILE")
        if not Path(path).exists():
            raise WorldGaugeError(
                f"--prompt {item}: {path} does not exist", "name a text file, or a checkout of the authors' code"
            )
        _placed[name] = Path(path).absolute()


def forget_prompts() -> None:
    """Back to the files that come with the package."""
    _placed.clear()


def placed_prompts() -> tuple[str, ...]:
    """What `place_prompts` was given: what a worker must place too."""
    return tuple(f"{name}={path}" for name, path in _placed.items())


def prompt_file(name: str) -> Path:
    """Where a prompt lies: `worldgauge.judge:questions` is `prompts/questions.md` in that package, or the user's."""
    short = name.rpartition(":")[2]
    return _placed.get(name) or _placed.get(short) or _folder_of(name) / f"{short}{SUFFIX}"


def _folder_of(name: str) -> Path:
    """The folder of the prompts of a package."""
    found = importlib.util.find_spec(name.rpartition(":")[0])
    if found is None or not found.origin:
        raise WorldGaugeError(f"prompt '{name}' belongs to no package on disk")
    return Path(found.origin).parent / FOLDER


def authors_items(checkouts: Iterable[Path], folder: Path, benchmark: str) -> list[str]:
    """`NAME=CHECKOUT` for every prompt of a benchmark that one of the checkouts has, for `place_prompts`; `folder` is
    the benchmark's. Texts in a version that nobody compared with the released requests are remarked."""
    table = read_authors_table(folder / FOLDER)
    if table is None:
        raise WorldGaugeError(
            f"--authors: the authors of '{benchmark}' have released no prompts that could be taken from their code",
            "leave --authors out; --prompt NAME=FILE puts a text of your own in the place of one",
        )
    items, unknown = list[str](), list[str]()
    for place in checkouts:
        for short, entry in table.prompt.items():
            if (place / entry.functions[0].partition(":")[0]).is_file():
                items.append(f"{table.package}:{short}={place.absolute()}")
                if AuthorsCode(place).digest(entry) not in entry.digests:
                    unknown.append(short)
    if not items:
        first = {entry.functions[0].partition(":")[0] for entry in table.prompt.values()}
        raise WorldGaugeError(
            f"--authors {', '.join(map(str, checkouts))}: none of {', '.join(sorted(first))} is there",
            f"name a checkout of the released code of '{benchmark}'",
        )
    if unknown:
        log.warning("the checkout has another version of the texts of %s than was compared", ", ".join(unknown))
    return items


def authors_entry(name: str) -> tuple[AuthorsCode, AuthorsPrompt] | None:
    """The checkout that a prompt is taken from, and where it is in it; None where the prompt is a file."""
    place = prompt_file(name)
    if not place.is_dir():
        return None
    table = read_authors_table(_folder_of(name))
    entry = None if table is None else table.prompt.get(name.rpartition(":")[2])
    if entry is None:
        raise WorldGaugeError(f"prompt '{name}' is in no released code", f"name a text file, not the folder {place}")
    return AuthorsCode(place), entry


def read_prompt(name: str) -> str:
    """The text of a prompt."""
    return read_text(prompt_file(name), missing="restore the prompt file")


def are_authors_texts(prompts: Mapping[str, str]) -> bool:
    """Whether all of these prompts, name to digest, are the authors' own in a version that was compared."""
    for name, digest in prompts.items():
        try:
            table = read_authors_table(_folder_of(name))
        except (WorldGaugeError, ImportError):
            # The package that the run was made with is not here.
            return False
        entry = None if table is None else table.prompt.get(name.rpartition(":")[2])
        if entry is None or digest not in entry.digests:
            return False
    return bool(prompts)


def digest_of_prompt(name: str) -> str:
    """sha256 of the prompt's bytes, or of the authors' functions that write it: one changed byte asks anew."""
    if (found := authors_entry(name)) is not None:
        code, entry = found
        return code.digest(entry)
    return digest_file(prompt_file(name))
