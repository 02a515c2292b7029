"""The command is quick to answer and imports nothing heavy to do so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer

import helpers
from worldgauge.cli.main import VERBS, as_command

HEAVY = ("torch", "cv2", "av", "scipy", "pandas", "mujoco", "transformers", "PIL")


def seconds(code: str, repeats: int = 7) -> float:
    """Processor seconds of a fresh interpreter, the least of a few runs: other work on the machine only ever adds."""
    best = float("inf")
    for _ in range(repeats):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def test_help_takes_at_most_three_times_importing_typer() -> None:
    """Both are measured in the same run on the same machine, so that a slow machine slows both."""
    help_code = "import sys; sys.argv = ['worldgauge', '--help']\nfrom worldgauge.cli.main import main\nmain()"
    base = seconds("import typer")
    assert seconds(help_code) <= 3 * base


def test_import_worldgauge_costs_nothing() -> None:
    assert seconds("import worldgauge") <= 1.5 * seconds("pass") + 0.02


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["run", "--help"], ["list"], ["show", "psnr"], ["doctor"]]
)
def test_no_heavy_import(arguments: list[str]) -> None:
    code = (
        f"import sys; sys.argv = ['worldgauge', *{arguments!r}]\n"
        "from worldgauge.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip().endswith("LOADED []"), done.stdout[-300:]


def test_every_verb_has_help() -> None:
    listing = helpers.worldgauge("--help").stdout
    for verb in VERBS:
        assert f"  {verb} " in listing
        shown = helpers.worldgauge(verb, "--help")
        assert "Usage:" in shown.stdout


def test_a_wrong_verb_is_refused() -> None:
    done = helpers.worldgauge("rnu", check=False)
    assert done.returncode == 2
    assert "No such command 'rnu'" in done.stderr


def test_examples_stay_lines() -> None:
    """They would be filled into one paragraph, and two commands would read as one."""
    app, inner = typer.Typer(), typer.Typer()

    @inner.command()
    def files() -> None:
        """Write files.

        worldgauge mine files runs/one -o a/folder/with/a/long/name
        worldgauge mine check a/folder/with/a/long/name
        """

    @inner.command()
    def check() -> None:
        """Check files."""

    app.add_typer(inner, name="mine")
    command = as_command(app, "any").commands["mine"].commands["files"]
    shown = command.get_help(typer.Context(command, info_name="files", terminal_width=40))
    lines = [line.strip() for line in shown.splitlines()]
    assert "worldgauge mine files runs/one -o a/folder/with/a/long/name" in lines
    assert "worldgauge mine check a/folder/with/a/long/name" in lines
