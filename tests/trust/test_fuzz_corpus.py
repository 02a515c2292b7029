"""The kept corpus of `python -m tools.fuzz`: every file is read, or refused in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.fuzz.targets import CORPUS, VIDEO, all_targets, seeds  # noqa: E402  the path is set above
from tools.fuzz.video import Child  # noqa: E402

TARGETS = all_targets()
LARGEST = 600_000
"""Bytes of the whole corpus: it travels with the sources."""


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs_are_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    assert seeds(name), f"no corpus for {name}: run python -m tools.fuzz --only {name} --keep"
    for file in seeds(name):
        TARGETS[name](file.read_bytes(), tmp_path)


def test_kept_videos_neither_crash_nor_hang_nor_swell() -> None:
    child = Child()
    try:
        for file in seeds(VIDEO):
            assert child.read(file) == "", file.name
    finally:
        child.close()


def test_the_corpus_is_small() -> None:
    assert sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) < LARGEST
