"""Digests of files: one look at a file that has not changed, another digest as soon as it has."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from worldgauge.core import file_digests
from worldgauge.core.file_digests import digest_file, unchanged
from worldgauge.media.door import content_digest


@pytest.fixture
def settled(tmp_path: Path) -> Path:
    """A file that has not been touched for a while."""
    file = tmp_path / "frame.png"
    file.write_bytes(b"one")
    os.utime(file, (1, 1))
    return file


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # The time of a file's entry cannot be set, so that what was just written counts as settled here.
    monkeypatch.setattr(file_digests, "_SETTLED_NS", 0)


@pytest.mark.parametrize("small", [0, 2**24])
def test_a_file_is_read_whole_or_in_pieces(settled: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr(file_digests, "_SMALL", small)
    assert digest_file(settled) == hashlib.sha256(b"one").hexdigest()


def test_a_file_as_it_was_is_not_opened_again(settled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert unchanged(settled) is None
    before = content_digest(settled)
    with monkeypatch.context() as closed:
        closed.setattr(Path, "read_bytes", lambda _: pytest.fail("opened"))
        assert content_digest(settled) == before
    settled.write_bytes(b"two")
    assert unchanged(settled) is None and content_digest(settled) != before
    settled.unlink()
    assert unchanged(settled) is None


def test_an_empty_file_is_refused_whoever_has_read_it_before(tmp_path: Path) -> None:
    empty = tmp_path / "frame.png"
    empty.touch()
    refused = content_digest(empty)
    assert digest_file(empty) == hashlib.sha256(b"").hexdigest()
    assert unchanged(empty) is not None and content_digest(empty) == refused
