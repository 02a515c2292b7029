"""One case in one stage: what a worker tells, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import helpers
import stubs
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.status import Status
from worldgauge.core.video import Video
from worldgauge.engine.job import Setup
from worldgauge.engine.work import Worker, WorkItem


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """A worker for one metric that needs a signal and one that needs nothing."""
    with stubs.own_registries():
        stubs.make_metric("m_seen", stubs.make_signal("s_seen")())
        stubs.make_metric("m_plain")
        (tmp_path / "out").mkdir()
        metrics = (MetricUse(id="m_seen"), MetricUse(id="m_plain"))
        made = Worker(Setup(metrics, store=tmp_path / "store", out=tmp_path / "out"), perceive=True)
        yield made
        made.close()


def _item(tmp_path: Path, metrics: tuple[str, ...] = ("m_seen", "m_plain"), lost: str = "") -> WorkItem:
    video = Video(helpers.make_videos(tmp_path / "videos", cases=1, frames=4) / "case-00.mkv")
    return WorkItem(Case(id="a"), 0, video, 0, metrics, lost)


def test_a_result_counts_what_was_done(tmp_path: Path, worker: Worker) -> None:
    result = worker.perform(_item(tmp_path))
    assert result.case == "a"
    assert result.statuses == {Status.OK: 2}
    assert result.counters == {"signals_computed": 1, "computed:s_seen": 1, "records_written": 2}
    assert list(result.seconds) == ["s_seen"]
    assert result.megapixels == pytest.approx(4 * 64 * 48 / 1e6)
    assert result.not_stored == []
    assert [r["metric"] for r in helpers.records(tmp_path / "out")] == ["m_plain", "m_seen"]


def test_what_was_not_perceived_has_no_size_and_what_was_not_asked_no_record(tmp_path: Path, worker: Worker) -> None:
    result = worker.perform(_item(tmp_path, ("m_plain",)))
    assert (result.megapixels, result.seconds, result.statuses.total()) == (0.0, {}, 1)
    assert [r["metric"] for r in helpers.records(tmp_path / "out")] == ["m_plain"]


def test_a_lost_case_is_not_looked_at(tmp_path: Path, worker: Worker) -> None:
    result = worker.perform(_item(tmp_path, lost="the worker died"))
    assert result.statuses == {Status.ERROR: 2}
    assert result.counters == {"records_written": 2}
    assert {r["reason"] for r in helpers.records(tmp_path / "out")} == {"the worker died"}


def test_a_case_without_a_video_is_missing(tmp_path: Path, worker: Worker) -> None:
    assert worker.perform(WorkItem(Case(id="a"), 0, None, 0, ("m_seen",))).statuses == {Status.MISSING: 1}


def test_without_perceiving_what_is_not_stored_is_named(tmp_path: Path, worker: Worker) -> None:
    worker.parts = [replace(part, loaded=None) for part in worker.parts]
    result = worker.perform(_item(tmp_path))
    assert result.not_stored == ["m_seen"]
    assert result.statuses == {Status.OK: 1}


def test_a_signal_is_perceived_in_its_stage_and_its_metric_is_written_in_a_later_one(
    tmp_path: Path, worker: Worker
) -> None:
    stages = replace(worker.stages, networks=((), ()), of_metric={"m_seen": 1, "m_plain": 0})
    worker.stages, worker.parts = stages, [replace(part, stages=stages) for part in worker.parts]
    item = _item(tmp_path)
    first = worker.perform(item)
    assert first.counters == {"signals_computed": 1, "computed:s_seen": 1, "records_written": 1}
    second = worker.perform(replace(item, stage=1))
    assert second.counters == {"signals_reused": 1, "records_written": 1}
    assert [r["metric"] for r in helpers.records(tmp_path / "out")] == ["m_plain", "m_seen"]
