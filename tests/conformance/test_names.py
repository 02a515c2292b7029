"""Nothing outside a benchmark's folder names a benchmark; a formula's origin may, on a line that begins `Source:`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from worldgauge.core.manifest import benchmarks

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "worldgauge"
OURS = {name for name, manifest in benchmarks().items() if manifest.package.startswith("worldgauge.benchmarks.")}
TWO_MEANINGS = {"pocket"}
"""Also the name of an instrument set: of these only the folder must not be named."""
FORBIDDEN = re.compile(
    "|".join([*sorted(OURS - TWO_MEANINGS), *(rf"benchmarks[./]{name}" for name in TWO_MEANINGS)]),
    re.IGNORECASE,
)
SOURCE = re.compile(r'^\s*(?:""")?Source:')
BINARY = {".png", ".npz", ".npy", ".mp4", ".mkv", ".pyc", ".ico"}


def shared_files() -> Iterator[Path]:
    """Every text file of the package outside the benchmarks' folders, and the tools around it."""
    for folder in (PACKAGE, ROOT / "bench", ROOT / "tools"):
        for file in sorted(folder.rglob("*")):
            inside = file.relative_to(folder).parts
            ours = folder == PACKAGE and inside[0] == "benchmarks" and len(inside) > 2
            if file.is_file() and not ours and file.suffix not in BINARY:
                yield file


def naming_lines(lines: Iterable[str]) -> list[tuple[int, str]]:
    return [
        (number, line.strip())
        for number, line in enumerate(lines, start=1)
        if FORBIDDEN.search(line) and not SOURCE.match(line)
    ]


def test_shared_code_names_no_benchmark() -> None:
    found = {
        f"{file.relative_to(ROOT)}:{number}": line
        for file in shared_files()
        for number, line in naming_lines(file.read_text("utf-8").splitlines())
    }
    assert not found


def test_file_names_name_no_benchmark() -> None:
    assert not [file for file in shared_files() if naming_lines([str(file.relative_to(ROOT))])]


def test_pyproject_names_benchmarks_only_as_entry_points() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    points = tomllib.loads(text)["project"]["entry-points"]["worldgauge"]
    expected = {f'{name} = "{value}"' for name, value in points.items()}
    assert {line for _, line in naming_lines(text.splitlines())} <= expected


@pytest.mark.parametrize("name", sorted(OURS - TWO_MEANINGS))
def test_a_name_is_seen(name: str) -> None:
    """In any case and inside a word; not on a line that says where a formula comes from."""
    lines = [f"    x = '{name.title()}Rows'", f"Source: {name}, Eq. 3", f"as in {name}. Source: {name}"]
    assert [number for number, _ in naming_lines(lines)] == [1, 3]


def test_a_folder_is_seen() -> None:
    lines = ["from worldgauge.benchmarks.pocket import demo", "instruments = 'pocket'", "benchmarks/pocket/demo.py"]
    assert [number for number, _ in naming_lines(lines)] == [1, 3]
