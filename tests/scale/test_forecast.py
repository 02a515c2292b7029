"""Forecasts from measured unit costs: against formulas, and against runs that were then really done."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.plan import RATES_FILE, make_plan
from worldgauge.engine.run import execute
from worldgauge.engine.scale.forecast import forecast
from worldgauge.engine.scale.schedule import CORES, DRIVER, START
from worldgauge.engine.unit_costs import FILE_NAME, UnitCosts
from worldgauge.media.encoder import write_video

METRIC = "picture_quality"
NAPS = '''
import time

import numpy as np

from worldgauge import Case, Clip, Measurement, metric, signal


@signal(version=1, reads=("video",), name="nap_by_frame")
def nap_by_frame(clip: Clip):
    """Mean brightness, after a nap for each frame: work that other work on the machine does not slow down."""
    levels = [frame.mean() for frame in clip.frames()]
    time.sleep(0.03 * len(levels))
    return {"mean": np.array(levels)}


@metric(unit="levels", higher_is_better=None, bounds=(0, 255), needs=[nap_by_frame()])
def napped(case: Case, levels) -> Measurement:
    """Mean brightness."""
    return Measurement.from_curve(levels["mean"])
'''


def test_a_forecast_is_made_of_the_unit_costs(tmp_path: Path) -> None:
    videos, store = helpers.make_videos(tmp_path / "v", cases=8, frames=5), tmp_path / "s"
    store.mkdir()
    job = build_job(videos, metrics=METRIC, out=tmp_path / "out", store=store)
    plan = make_plan(job)
    [signal] = plan.signals()
    (store / RATES_FILE).write_text(json.dumps({signal: 100.0}))
    (store / FILE_NAME).write_text(json.dumps({"start": 5.0, "driver": 0.25, "beside": 0.1, "stored": 9.0}))
    clip = 100.0 * 5 * 64 * 48 / 1e6 + 0.1
    found = forecast([(job, plan)], 6)
    assert [count for count, _ in found.rows] == [1, 2, 4, 6]
    one = found.rows[0][1]
    assert one.seconds == pytest.approx(5.0 + 8 * (0.25 + clip)) and one.bound == CORES
    assert one.busy[DRIVER] == pytest.approx(8 * 0.25 / one.seconds)
    # Eight clips on six cores: half of the time goes by before the first one.
    assert found.rows[-1][1].bound == START and not found.on_gpu
    assert set(found.measured) == {signal, "start", "driver", "clip beside signals", "stored"}
    assert found.declared == ()
    # A store that takes three bytes a second holds everybody up.
    assert forecast([(job, plan)], 1, bandwidth=3.0).rows[0][1].seconds == pytest.approx(5.0 + 8 * (0.25 + clip + 3.0))


def test_what_is_not_measured_is_told(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "v", cases=2, frames=3)
    job = build_job(videos, metrics=METRIC, out=tmp_path / "out", store=tmp_path / "s")
    found = forecast([(job, make_plan(job))], 1)
    assert found.measured == () and "driver" in found.declared and "start" in found.declared
    execute(job, make_plan(job))
    with pytest.raises(WorldGaugeError, match="nothing is left to do"):
        forecast([(job, make_plan(job))], 1)
    # One worker in the calling process has nothing to start.
    left = UnitCosts.read(job.setup.store)
    assert left.start is None and left.driver is not None and 0 < left.driver < 1
    assert left.stored is not None and left.stored > 0


def test_damaged_unit_costs_are_none(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"start": "soon"}', '{"other": 1}'):
        (tmp_path / FILE_NAME).write_text(text)
        assert UnitCosts.read(tmp_path) == UnitCosts()
    UnitCosts(start=2.0).remember(tmp_path)
    UnitCosts(driver=0.5).remember(tmp_path)
    assert UnitCosts.read(tmp_path) == UnitCosts(start=2.0, driver=0.5)


def test_the_verb_prints_a_table_of_eighty_columns(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "v", cases=3, frames=3)
    flags = ["plan", videos, "-m", METRIC, "--store", tmp_path / "s", "--out", tmp_path / "out", "--gpus", 256]
    told, as_json = helpers.worldgauge_many(flags, [*flags, "--json"])
    table = told[told.index("core hours") :]
    assert "bound by" in table and "Not measured here" in table
    assert max(map(len, table.split("\n\n")[0].splitlines())) <= 80
    rows = json.loads(as_json)["forecast"]["rows"]
    assert [row["workers"] for row in rows] == [2**k for k in range(9)]
    assert all(later["seconds"] <= row["seconds"] for row, later in itertools.pairwise(rows))


@pytest.mark.nightly
def test_two_measured_runs_are_reproduced(tmp_path: Path) -> None:
    """Unit costs are measured by one run of two workers; runs of two other sizes are foretold, then done."""
    (tmp_path / "naps.py").write_text(NAPS)

    def planned(name: str, clips: int) -> tuple[object, object]:
        (tmp_path / name).mkdir()
        for number in range(clips):
            frames = helpers.moving_texture(20 if number % 3 else 40, seed=1000 * clips + number)
            write_video(tmp_path / name / f"case-{number:03d}.mkv", frames, fps=12)
        job = build_job(
            tmp_path / name,
            metrics="napped",
            includes=[tmp_path / "naps.py"],
            out=tmp_path / f"out-{name}",
            store=tmp_path / "store",
            workers=2,
        )
        return job, make_plan(job)

    execute(*planned("first", 8))  # type: ignore[arg-type]
    for name, clips in (("small", 16), ("large", 48)):
        job, plan = planned(name, clips)
        foretold = forecast([(job, plan)], 2).rows[-1][1].seconds  # type: ignore[list-item]
        execute(job, plan)  # type: ignore[arg-type]
        taken = json.loads((tmp_path / f"out-{name}" / "run.json").read_text())["invocations"][-1]["seconds"]
        print(f"{clips} clips: foretold {foretold:.2f} s, taken {taken:.2f} s, {foretold / taken - 1:+.1%}")  # noqa: T201
        assert foretold == pytest.approx(taken, rel=0.15)
