"""The benchmark file, its notes and its published tables agree with each other and with the registry."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.memobench import MANIFEST
from worldgauge.benchmarks.memobench.commands import app
from worldgauge.benchmarks.memobench.official import columns
from worldgauge.benchmarks.memobench.official.files import RAW_OF
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.published import read_published
from worldgauge.engine.definitions import choose_seats, resolve

FILE = read_benchmark_file("memobench")
OURS = ("house_", "pocket_", "failure_")


@pytest.mark.parametrize("protocol", FILE.protocols)
def test_every_metric_resolves_with_its_parameters(protocol: str) -> None:
    definitions = resolve(resolved_uses(FILE, protocol), choose_seats("pocket"))
    official = [d for d in definitions if not d.id.startswith(OURS)]
    assert {d.parameters["protocol"] for d in official} == {protocol}


def test_protocols_differ_in_every_official_fingerprint() -> None:
    released, paper = (
        {d.id: d.fingerprint for d in resolve(resolved_uses(FILE, p), choose_seats("pocket"))}
        for p in ("released", "paper")
    )
    same = {name for name in released if released[name] == paper[name]}
    assert same == {name for name in released if name.startswith(OURS)}


def test_the_notes_explain_every_deviation() -> None:
    notes = (MANIFEST.folder / "NOTES.md").read_text("utf-8")
    assert len(FILE.deviations) == 33
    assert [d.id for d in FILE.deviations if f"| `{d.id}` |" not in notes] == []


def test_every_official_column_has_a_source() -> None:
    known = {use.id for use in FILE.metrics}
    own = {"id", "scene", "data_type", "fx", "fy"}
    assert [c for c in columns.BASE if c not in own and RAW_OF.get(c, c) not in known] == []
    assert len(columns.ALL) == 48


def test_published_tables_are_all_there_and_name_our_columns() -> None:
    tables = {table.id: table for table in read_published(MANIFEST.folder).tables}
    assert set(tables) == {f"paper-table-{n}" for n in ("2", "3", *(f"s{i}" for i in range(2, 11)))}
    printed = CliRunner().invoke(app, ["published"]).stdout
    assert all(table.source in printed for table in tables.values())
    alone = CliRunner().invoke(app, ["published", "--table", "S8", "--json"]).stdout
    assert [held["id"] for held in json.loads(alone)] == ["paper-table-s8"]
    known = {use.id for use in FILE.metrics} | {group.id for group in FILE.groups}
    assert set(tables["paper-table-2"].columns) <= known
    assert tables["paper-table-2"].score("LTX-Video", "CameraControllability") == 17.1
    assert tables["paper-table-3"].score("HunyuanWorldPlay", "PhysicsAdherence") == 63.6
