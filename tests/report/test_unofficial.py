"""Another instrument in an official seat is told wherever the number is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.official import InstrumentsFile, OfficialUse
from worldgauge.core.run_folder import Run
from worldgauge.report import unofficial as module
from worldgauge.report.unofficial import unofficial, unofficial_notes

OFFICIAL = InstrumentsFile(
    schema=1,
    benchmark="b",
    use=(
        OfficialUse(signal="flow_fields", official="raft_large", parameters={"updates": 20}, what="RAFT"),
        OfficialUse(signal="poses", official="their_slam", what="SLAM"),
        OfficialUse(signal="object_track", what="none: a house column"),
    ),
)


@pytest.fixture(autouse=True)
def _named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "official_instruments", lambda _: OFFICIAL)


def run(**columns: dict[str, Any]) -> Run:
    definitions = [
        SimpleNamespace(id=name, signals=[{"signal": "flow_pairs", "needs": [told]}], unavailable=told.get("why", ""))
        for name, told in columns.items()
    ]
    file = SimpleNamespace(benchmark=BenchmarkFile(name="b"), protocol="released", definitions=definitions)
    return cast(Run, SimpleNamespace(file=file))


def told(signal: str, name: str, **beside: Any) -> dict[str, Any]:
    parameters = beside.pop("parameters", {})
    return {"signal": signal, "instrument": {"name": name, "parameters": parameters} | beside}


RAFT = {"updates": 20, "value_range": "signed", "padding": "split", "batch": 8}


def test_the_official_instrument_and_house_columns_are_not_marked() -> None:
    official = told("flow_fields", "raft_large", parameters=RAFT | {"batch": 2})
    theirs = told("poses", "their_slam", parameters={"anything": 1})
    assert unofficial(run(a=official, b=theirs, c=told("object_track", "colour_track"))) == {}


def test_other_instruments_settings_and_weights_are_marked() -> None:
    columns = {
        "a": told("flow_fields", "dis"),
        "b": told("flow_fields", "raft_large", parameters=RAFT | {"updates": 12}),
        "c": told("flow_fields", "raft_large", parameters=RAFT, other_weights=["raft_large"]),
        "d": told("poses", "bundle"),
        "e": told("flow_fields", "dis"),
        "f": told("flow_fields", "dis") | {"why": "cannot run here"},
    }
    found = run(**columns)
    assert unofficial(found) == {
        "a": ["flow_fields: dis instead of raft_large"],
        "b": ["flow_fields: raft_large with updates=12 instead of 20"],
        "c": ["flow_fields: raft_large with other weights than the published ones"],
        "d": ["poses: bundle instead of their_slam"],
        "e": ["flow_fields: dis instead of raft_large"],
    }
    assert unofficial_notes([found])[0] == (
        "Not the official instrument: flow_fields: dis instead of raft_large (a, e)."
    )
