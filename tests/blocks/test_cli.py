"""`worldgauge blocks` end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from worldgauge.cli.blocks import app
from worldgauge.core.errors import WorldGaugeError

SMALL = [
    "--family",
    "room",
    "--process",
    "rolling",
    "--path",
    "away_left",
    "--size",
    "96x54",
    "--frames",
    "25",
    "--fps",
    "5",
]


def test_make_resume_and_show(tmp_path: Path) -> None:
    runner = CliRunner()
    first = runner.invoke(app, ["make", str(tmp_path), "-n", "1", *SMALL], catch_exceptions=False)
    again = runner.invoke(app, ["make", str(tmp_path), "-n", "1", *SMALL], catch_exceptions=False)
    assert "made   room-rolling-away_left-0000" in first.output and "found  room-rolling" in again.output
    shown = runner.invoke(app, ["show", str(tmp_path / "cases/room-rolling-away_left-0000")], catch_exceptions=False)
    assert Path(shown.output.strip()).stat().st_size > 10_000


def test_names_are_listed() -> None:
    out = CliRunner().invoke(app, ["list"]).output
    assert "street" in out and "melting" in out and "exit_wait_reenter" in out


@pytest.mark.parametrize("size", ["320", "axb", "320x"])
def test_a_bad_size_is_one_line(tmp_path: Path, size: str) -> None:
    with pytest.raises(WorldGaugeError, match="is not WxH"):
        CliRunner().invoke(app, ["make", str(tmp_path), "--size", size], catch_exceptions=False)
