"""Commands as a user types them, and what they are given."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import helpers
from report.synthetic import write_run
from trust.typed_command import Command, Done
from worldgauge.cli.main import main


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command as a user types it, in this process."""

    def run(*arguments: object) -> Done:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
        monkeypatch.setattr(sys, "argv", ["worldgauge", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@pytest.fixture
def clip() -> Path:
    """A single video file, away from others."""
    made = helpers.make_videos(Path("one"), cases=1, frames=3)
    return (made / "case-00.mkv").rename("clip.mkv")


@pytest.fixture(scope="module")
def report_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run") / "Aurora", "Aurora", cases=4)
