"""Camera control through its seat: poses come from a child process, a double of the tests that turns as it is told."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import helpers
from benchmarks.memobench.released_layout import FRAMES, write_dataset
from isolated.conftest import double  # noqa: F401  a fixture
from isolated.gone import wait_until_gone
from worldgauge import evaluate
from worldgauge.core.benchmark import load_benchmark
from worldgauge.core.run_folder import Run
from worldgauge.media.encoder import write_video
from worldgauge.report.summary import summarise
from worldgauge.report.tables import build_table

STEP = 40.0 / (FRAMES - 1)
"""Degrees a frame by which the data set asks the camera to turn."""
ASKED = np.linspace(0, 40, FRAMES)


def scored(folder: Path, clips: int = 1) -> Run:
    write_dataset(folder / "data")
    opened = load_benchmark("memobench", folder / "data")
    videos = {}
    for number, case in enumerate([case for case in opened.cases if case.id.startswith("real")][:clips]):
        videos[case.id] = folder / f"{number}.mkv"
        write_video(videos[case.id], helpers.moving_texture(FRAMES, 32, 24, seed=number), fps=16)
    files = {case: str(file) for case, file in videos.items()}
    evaluate(files, benchmark=opened, metrics="CameraControllability", cases=list(files), out=folder / "run")
    return Run(folder / "run")


@pytest.mark.parametrize(("step", "score"), [(STEP, 1.0), (0.0, 1 - math.sqrt((ASKED**2).mean()) / 40), (-STEP, 0.0)])
def test_the_column_has_its_value(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    double: Path,  # noqa: F811
    step: float,
    score: float,
) -> None:
    monkeypatch.setenv("DOUBLE_TURN", str(step))
    run = scored(tmp_path)
    (record,) = run.records()
    assert record["status"] == "ok"
    # The released code rounds to four places; the column is in percent.
    assert record["value"] == pytest.approx(100 * score, abs=6e-3)
    (definition,) = [one for one in run.file.definitions if one.id == "CameraControllability"]
    told = str(definition.signals)
    assert "'stands_in': 'test double'" in told and "'packages': {'mapanything': '0'}" in told
    table = build_table([summarise(run)])
    assert "Not the official instrument: poses: map_anything through a test double" in " ".join(table.notes)


@pytest.mark.parametrize("fault", ["kill", "nan"])
def test_a_run_ends_whatever_its_child_does(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    double: Path,  # noqa: F811
    fault: str,
) -> None:
    monkeypatch.setenv("DOUBLE_FAULT", fault)
    records = list(scored(tmp_path, clips=2).records())
    status, told = {
        "kill": ("error", "map_anything: its process ended by SIGKILL"),
        "nan": ("unscored", "map_anything: its answer is not finite"),
    }[fault]
    assert [record["status"] for record in records] == [status] * 2
    assert all(record["reason"].startswith(told) for record in records)
    for line in double.read_text().splitlines():
        wait_until_gone(int(line.split()[1]))
