"""Fixtures: small clips, a small benchmark on disk, and a place of one's own for the store."""

from __future__ import annotations

from pathlib import Path

import pytest

import helpers


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in its own folder with its own store, and sees no settings of the user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORLDGAUGE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    """A folder of three small clips with references beside them."""
    return helpers.make_videos(tmp_path / "videos", cases=3)
