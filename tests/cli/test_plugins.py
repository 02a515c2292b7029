"""A third-party metric in one short file: by --include and by an entry point, in list, show, run and report."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import helpers

PLUGIN = Path(__file__).with_name("plugin_metric.py")


def test_the_example_is_short() -> None:
    assert len(PLUGIN.read_text().splitlines()) <= 25


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug-in as an installed distribution: a module and its metadata on the path."""
    site = tmp_path / "site"
    info = site / "colour_drift_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "colour_drift_plugin.py").write_text(PLUGIN.read_text())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: colour-drift-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[worldgauge]\ncolour = colour_drift_plugin\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))


def check_everywhere(videos: Path, *flags: object) -> None:
    names = [row["metric"] for row in json.loads(helpers.worldgauge("list", "metrics", *flags, "--json").stdout)]
    assert "colour_drift" in names
    shown = helpers.run_json("show", "colour_drift", *flags)
    assert shown["what"] == "Largest change of the mean colour since the first frame."
    for workers in (1, 2):
        out = f"out-{workers}"
        found = helpers.run_json("run", videos, *flags, "-m", "colour_drift,psnr", "-o", out, "-w", workers)
        assert found["metrics"]["colour_drift"]["statuses"] == {"ok": 3}
    # A report needs no plug-in: everything it shows is in the run folder.
    table = helpers.worldgauge("report", "out-1", "out-2", "--format", "md").stdout
    assert "colour_drift ↓ [levels]" in table


def test_include(videos: Path) -> None:
    check_everywhere(videos, "--include", PLUGIN)


@pytest.mark.usefixtures("installed")
def test_entry_point(videos: Path) -> None:
    check_everywhere(videos)


def test_a_broken_plug_in_is_named_and_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, videos: Path) -> None:
    info = tmp_path / "site" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[worldgauge]\nbroken = no_such_module_here\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    done = helpers.worldgauge("list")
    assert "plug-in 'broken' (no_such_module_here) could not be loaded" in done.stderr
    assert "psnr" in done.stdout
