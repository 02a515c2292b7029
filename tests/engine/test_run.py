"""What a run visits, counts and remembers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

from worldgauge.core.case import Case
from worldgauge.core.errors import CannotWrite
from worldgauge.core.signal import SignalUse
from worldgauge.core.status import Status
from worldgauge.core.video import Video
from worldgauge.engine.plan import RATES_FILE, CaseWork, Plan, read_rates
from worldgauge.engine.rates import remember_costs
from worldgauge.engine.run import Totals, _items_of, _make_folder
from worldgauge.engine.run_description import environment
from worldgauge.engine.stages import Stages
from worldgauge.engine.work import WorkResult

PLAIN, DEEP = SignalUse("s_plain"), SignalUse("s_deep")


def _visits(stage: int, *works: tuple[str, tuple[str, ...], tuple[SignalUse, ...]]) -> list[tuple[str, Any, Any]]:
    """Case, stage and metrics of the visits, for a plan with one network."""
    stages = Stages(((), ()), {PLAIN: 0, DEEP: 1}, {"m_plain": 0, "m_deep": 1})
    made = [CaseWork(Case(id=name), 0, cast(Video, name), todo, compute) for name, todo, compute in works]
    plan = Plan(len(made), made, [], stages)
    items = list(_items_of(plan, stage, 0))
    assert [item.final for item in items] == [stage == 1 or item.metrics == ("m_plain",) for item in items]
    return [(item.case.id, item.stage, item.metrics) for item in items]


def test_a_case_is_visited_where_a_metric_ends_or_a_signal_belongs() -> None:
    works = (
        ("both", ("m_plain", "m_deep"), (PLAIN, DEEP)),
        ("plain", ("m_plain",), ()),
        ("deep", ("m_deep",), (DEEP,)),
        ("below", ("m_deep",), (PLAIN, DEEP)),
        ("done", (), ()),
    )
    assert _visits(0, *works) == [
        ("both", 0, ("m_plain", "m_deep")),
        ("plain", 0, ("m_plain",)),
        ("below", 0, ("m_deep",)),
    ]
    assert _visits(1, *works) == [("both", 1, ("m_deep",)), ("deep", 1, ("m_deep",)), ("below", 1, ("m_deep",))]


def _result(megapixels: float = 2.0, **seconds: float) -> WorkResult:
    return WorkResult(
        "a", Counter({Status.OK: 2}), Counter({"records_written": 2}), dict(seconds), megapixels, ["m_gone"]
    )


def test_totals_are_sums() -> None:
    totals = Totals()
    for _ in range(2):
        totals.add(_result(s_flow=3.0))
    assert totals.statuses == {Status.OK: 4}
    assert totals.counters == {"records_written": 4}
    assert totals.not_stored == {"m_gone": 2}
    assert totals.signal_seconds == {"s_flow": 6.0}
    assert totals.costs["s_flow"].costs == [1.5, 1.5], "seconds for a frame of one megapixel, clip by clip"
    assert not totals.finished


def test_rates_are_seconds_per_megapixel_and_older_ones_stay(tmp_path: Path) -> None:
    (tmp_path / RATES_FILE).write_text(json.dumps({"s_old": 9.0, "s_flow": 8.0}))
    totals = Totals()
    totals.add(_result(megapixels=4.0, s_flow=3.0))
    totals.add(_result(megapixels=0.0, s_nothing=3.0))
    remember_costs(tmp_path, totals.costs)
    assert read_rates(tmp_path) == {"s_old": 9.0, "s_flow": 0.75}
    assert [file.name for file in tmp_path.iterdir()] == [RATES_FILE]


def test_nothing_measured_and_nowhere_to_write_are_harmless(tmp_path: Path) -> None:
    remember_costs(tmp_path, Totals().costs)
    assert list(tmp_path.iterdir()) == []
    totals = Totals()
    totals.add(_result(s_flow=3.0))
    remember_costs(tmp_path / "nowhere", totals.costs)
    (tmp_path / RATES_FILE).mkdir()
    remember_costs(tmp_path, totals.costs)
    assert [file.name for file in tmp_path.iterdir()] == [RATES_FILE]


def test_a_folder_is_made_with_those_above_it_or_the_problem_is_told(tmp_path: Path) -> None:
    _make_folder(tmp_path / "a" / "b")
    _make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match=r"cannot write to .*file/out"):
        _make_folder(tmp_path / "file" / "out")


def test_the_environment_names_what_is_installed_only() -> None:
    found = environment()
    assert found["numpy"] == __import__("numpy").__version__
    assert {"python", "platform", "machine", "worldgauge"} <= set(found)
    assert all(found.values())
