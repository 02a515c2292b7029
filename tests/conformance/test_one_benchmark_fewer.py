"""Deleting a benchmark's folder, its tests and its entry point leaves a working package with one benchmark fewer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import helpers

ROOT = Path(__file__).parents[2]
COPIED = ("src", "tests", "bench", "tools", "docs", "pyproject.toml", "Makefile")
COPIED += ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
OURS = sorted(folder.parent.name for folder in (ROOT / "src" / "worldgauge" / "benchmarks").glob("*/__init__.py"))
NO_PLUGINS = ("-p", "no:hypothesispytest", "-p", "no:xdist")
"""What these files do not need takes longer to import than they take to run."""
QUICK = ("test_imports.py", "test_names.py", "test_formulas.py", "test_official_instruments.py", "test_registry.py")


class Copy:
    """The repository without one benchmark."""

    def __init__(self, folder: Path, without: str, whole: bool = False) -> None:
        self.folder = folder
        self.source = folder / "src"
        folder.mkdir()
        for name in COPIED if whole else (n for n in COPIED if n != "docs"):
            # Compiled files come along: they are believed where the time of their source is the same.
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, folder / name)
        shutil.rmtree(self.source / "worldgauge" / "benchmarks" / without)
        shutil.rmtree(folder / "tests" / "benchmarks" / without, ignore_errors=True)
        self._forget_entry_point(without)
        self._write_metadata()

    def _forget_entry_point(self, name: str) -> None:
        file = self.folder / "pyproject.toml"
        lines = file.read_text("utf-8").splitlines()
        kept = [line for line in lines if not line.startswith(f"{name} = ")]
        assert len(kept) == len(lines) - 1
        file.write_text("\n".join(kept) + "\n", "utf-8")

    def _write_metadata(self) -> None:
        """Of an installed package, beside the copied source: the first on the path is believed."""
        project = tomllib.loads((self.folder / "pyproject.toml").read_text("utf-8"))["project"]
        info = self.source / f"worldgauge-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: worldgauge\nVersion: {project['version']}\n")
        points = "\n".join(f"{name} = {value}" for name, value in project["entry-points"]["worldgauge"].items())
        (info / "entry_points.txt").write_text(f"[worldgauge]\n{points}\n")

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.source)}

    def run(self, *arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=timeout, check=False
        )
        assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-2000:]}"
        return done


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    return helpers.make_videos(tmp_path / "videos", cases=2, frames=4)


def check_commands(copy: Copy, without: str, videos: Path) -> None:
    """List, show, plan and run with the copy's code."""
    flags = ("-m", "psnr,warp_error", "-o", copy.folder / "out", "--store", copy.folder / "store", "--json")
    listed, metrics, shown, planned, run = helpers.worldgauge_many(
        ("list", "benchmarks", "--json"),
        ("list", "metrics"),
        ("show", "psnr", "--json"),
        ("plan", videos, *flags),
        ("run", videos, *flags, "-w", 1),
        env=copy.environment,
    )
    assert {row["benchmark"] for row in json.loads(listed)} == set(OURS) - {without}
    assert f"{without}/" not in metrics
    assert json.loads(shown)["written in"].startswith("copy/src/"), "the code that ran is the copy's"
    assert json.loads(planned)["records_to_write"] == 4
    assert json.loads(run)["metrics"]["psnr"]["statuses"] == {"ok": 2}


def check_conformance(copy: Copy) -> None:
    """Import rules, names, formulas, official instruments and documentation of what is left."""
    files = [copy.folder / "tests" / "conformance" / name for name in QUICK]
    done = copy.run("-m", "pytest", *NO_PLUGINS, *files, "-m", "not slow and not nightly")
    assert " passed" in done.stdout


def one_fewer(tmp_path: Path, name: str, videos: Path) -> None:
    copy = Copy(tmp_path / "copy", name)
    check_commands(copy, name, videos)
    check_conformance(copy)


def test_without_the_largest(tmp_path: Path, videos: Path) -> None:
    sizes = {
        name: sum(file.stat().st_size for file in (ROOT / "src/worldgauge/benchmarks" / name).rglob("*.py"))
        for name in OURS
    }
    one_fewer(tmp_path, max(sizes, key=lambda name: sizes[name]), videos)


@pytest.mark.nightly
@pytest.mark.parametrize("name", OURS)
def test_without_each(tmp_path: Path, videos: Path, name: str) -> None:
    one_fewer(tmp_path, name, videos)


@pytest.mark.hours
@pytest.mark.parametrize("name", OURS)
def test_the_whole_remaining_suite(tmp_path: Path, name: str) -> None:
    """Locks and the pages of metrics and calibration are made from what there is, so they are made anew first."""
    copy = Copy(tmp_path / "copy", name, whole=True)
    copy.run("tools/update_locks.py")
    copy.run("tools/ship_calibration.py")
    deselected = ("--deselect", "tests/conformance/test_one_benchmark_fewer.py")
    done = copy.run("-m", "pytest", "-n", "2", *deselected, timeout=1800)
    assert " passed" in done.stdout
