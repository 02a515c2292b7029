"""The nightly job that installs the wheel: which Pythons it takes, which versions, and what it does after a failure."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.wheel_job import candidates, discover, main, supported  # noqa: E402  the path is set above

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ANSWERS_ONCE = """#!/bin/sh
# Says that it is a Python, and can do nothing else.
[ "$1" = -I ] && { echo '3.12.9 True'; exit 0; }
echo 'Error: no room for an environment' >&2
exit 1
"""


def interpreter(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_job_tries_every_python_that_the_project_declares() -> None:
    assert supported(PROJECT) == ["3.11", "3.12", "3.13"]


def test_pythons_are_those_of_variables_of_path_and_of_pyenv(tmp_path: Path) -> None:
    named = interpreter(tmp_path / "opt/my-python", "#!/bin/sh\necho 3.11.1 True\n")
    interpreter(tmp_path / "bin/python3.13", "#!/bin/sh\necho 3.13.2 True\n")
    interpreter(tmp_path / "bin/python3-config", "#!/bin/sh\necho 3.13.9 True\n")
    interpreter(tmp_path / "shims/python3.12", "#!/bin/sh\necho 'version not set' >&2; exit 127\n")
    interpreter(tmp_path / "pyenv/versions/3.12.1/bin/python", "#!/bin/sh\necho 3.12.1 True\n")
    interpreter(tmp_path / "pyenv/versions/3.12.7/bin/python", "#!/bin/sh\necho 3.12.7 True\n")
    interpreter(tmp_path / "pyenv/versions/3.10.1/bin/python", "#!/bin/sh\necho 3.10.1 True\n")
    interpreter(tmp_path / "venv/bin/python3.12", "#!/bin/sh\necho 3.12.8 False\n")
    environ = {
        "HOME": str(tmp_path),
        "PYTHON3_11": str(named),
        "PYENV_ROOT": str(tmp_path / "pyenv"),
        "PATH": os.pathsep.join(str(tmp_path / name) for name in ("bin", "shims", "venv/bin")),
    }
    found = discover(candidates(environ), ["3.11", "3.12", "3.13", "3.14"])
    assert [p.path for p in found["3.11"]] == [named]
    assert [p.version for p in found["3.12"]] == [(3, 12, 7), (3, 12, 1), (3, 12, 8)], "real ones first"
    assert [p.version for p in found["3.13"]] == [(3, 13, 2)]
    assert found["3.14"] == []


def test_the_python_of_this_test_is_found_by_its_name() -> None:
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert discover([Path(sys.executable)], [minor])[minor][0].version == sys.version_info[:3]


def test_it_goes_on_after_a_failure_and_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python = interpreter(tmp_path / "bin/python3.12", ANSWERS_ONCE)
    wheel = tmp_path / "worldgauge.whl"
    wheel.touch()
    code = main(["--python", str(python), "--wheel", str(wheel), "--out", str(tmp_path / "out")])
    printed = capsys.readouterr().out
    assert code == 1
    rows = [line.split() for line in printed.split("\n\n")[1].splitlines()]
    assert [row[:3] for row in rows[1:]] == [["3.12.9", "newest", "-"], ["3.12.9", "lowest", "-"]]
    assert printed.count("Error: no room for an environment") == 4
    assert "Python 3.13: not on this machine" in printed
    assert "0 of 2 passed" in printed
    assert "no room" in (tmp_path / "out/3.12-lowest/log.txt").read_text("utf-8")


def test_no_python_at_all_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--python", str(tmp_path / "python3.12")]) == 2
    assert "name one with --python PATH" in capsys.readouterr().err


def test_every_requirement_of_the_base_has_a_lower_bound() -> None:
    for text in PROJECT["dependencies"]:
        assert any(part.operator == ">=" for part in Requirement(text).specifier), text


def test_a_python_that_was_named_and_does_not_start_is_an_error(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", str(ROOT / "tools" / "make_venv.sh"), str(tmp_path / "venv")],
        env={"PATH": os.environ["PATH"], "PYTHON": str(tmp_path / "python3.12")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "python3.12 does not start, or is older than Python 3.11" in done.stderr
    assert not (tmp_path / "venv").exists()
