"""Fixtures of the command's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from worldgauge.cli.main import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command as a user types it, in this process: exit code, output, errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["worldgauge", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        out, err = capsys.readouterr()
        return (code if isinstance(code, int) else 0), out, err

    return run
