"""A folder with forty entries, fifteen of them odd: the run ends, and every entry has a row."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import odd_videos as odd
import worldgauge
from worldgauge.cli.main import app
from worldgauge.core.sources import read_sources

METRICS = ("picture_quality", "frame_similarity")
NOT_UTF8 = os.fsdecode(b"caf\xe9")
TWINS = 7
"""Plain clips that an odd one has the same pictures as; the further ones are copies."""


def _plain(folder: Path, name: str, seed: int) -> Path:
    return odd.encoded(folder / f"{name}.mkv", odd.clip(seed))


def _odd_but_valid(folder: Path) -> dict[str, tuple[str, float, str]]:
    """Seven of them: case id to its twin's, how near the score must be, and the remark it must have."""
    odd.encoded(folder / "ten-bit.mkv", odd.clip(0), "yuv420p10le")
    odd.encoded(folder / "interlaced.mkv", odd.clip(1), codec="libx264", interlaced=True)
    stored = np.ascontiguousarray(np.rot90(odd.clip(2), -1, axes=(1, 2)))
    odd.encoded(folder / "upright.mp4", stored, codec="libx264", container="mp4")
    odd.turned(folder / "upright.mp4", folder / "rotated.mp4", odd.QUARTER_TURN)
    (folder / "upright.mp4").unlink()
    odd.encoded(folder / "variable.mkv", odd.clip(3), times=[0, 100, 200, 700, 800, 900])
    odd.encoded(folder / "wrong-extension.mp4", odd.clip(4))
    _plain(folder, "two\nlines", 5)
    _plain(folder, NOT_UTF8, 6)
    return {
        "ten-bit": ("plain-00", 1e-12, "10 bits rounded to 8"),
        "interlaced": ("plain-01", 0.02, "interlaced"),
        "rotated": ("plain-02", 0.02, "rotated by 90 degrees as the file asks"),
        "variable": ("plain-03", 1e-12, "variable frame rate"),
        "wrong-extension": ("plain-04", 1e-12, ""),
        "two\nlines": ("plain-05", 1e-12, ""),
        "caf\\xe9": ("plain-06", 1e-12, ""),
    }


def _forty(folder: Path) -> tuple[dict[str, str], dict[str, tuple[str, float, str]]]:
    folder.mkdir()
    for number in range(25):
        if number < TWINS:
            _plain(folder, f"plain-{number:02d}", number)
        else:
            shutil.copyfile(folder / f"plain-{number % TWINS:02d}.mkv", folder / f"plain-{number:02d}.mkv")
    expected = odd.bad_entries(folder), _odd_but_valid(folder)
    assert len(list(folder.iterdir())) == 40
    return expected


def test_thirty_two_are_scored_and_eight_say_why_not(tmp_path: Path) -> None:
    bad, valid = _forty(tmp_path / "videos")
    run = worldgauge.evaluate(tmp_path / "videos", metrics=METRICS, out=tmp_path / "run")
    rows = run.cases
    assert len(rows) == 40
    scored = {case for case, row in rows.items() if all(row[metric].status == "ok" for metric in METRICS)}
    assert len(scored) == 32
    assert set(rows) - scored == set(bad)
    for case, word in bad.items():
        for metric in METRICS:
            found = rows[case][metric]
            assert (found.status, found.value) == ("invalid", None)
            assert word in found.reason
            assert "\n" not in found.reason
    for case, (twin, tolerance, remark) in valid.items():
        for metric in METRICS:
            assert rows[case][metric].value == pytest.approx(rows[twin][metric].value, abs=tolerance), case
            assert rows[case][metric].reason == remark
            assert rows[twin][metric].reason == ""
    # The way out: where the videos lie, the table and the pages.
    sources = read_sources(run.folder)
    assert sources["caf\\xe9"].video is not None
    assert sources["caf\\xe9"].video.path.name == f"{NOT_UTF8}.mkv"
    assert "32/40" in str(run.table())
    done = CliRunner().invoke(app, ["report", str(run.folder), "-f", "html", "-o", str(tmp_path / "pages")])
    assert done.exit_code == 0, done.output
    assert any((tmp_path / "pages").iterdir())
    again = worldgauge.evaluate(tmp_path / "videos", metrics=METRICS, out=tmp_path / "run")
    assert again.cases == rows
