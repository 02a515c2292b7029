"""Columns kept beside the records of a large run: the same numbers, and never those of another state."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from worldgauge.core import column_file
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.column_file import FILE_NAME, load_columns, save_columns
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Columns, Run
from worldgauge.core.status import Status
from worldgauge.core.submission import ModelCard

METRICS = ("sharp", "stable")


def line(case: int, metric: str, value: float | None, **more: object) -> str:
    status = "ok" if value is not None else "unscored"
    record = {"schema": 3, "case": f"c{case}", "cluster": f"s{case // 2}", "metric": metric, "fingerprint": "f",
              "inputs": "i", "video": None, "status": status, "value": value, "raw": value, **more}  # fmt: skip
    return json.dumps(record) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(column_file, "LEAST_BYTES", 1)
    defined = [
        DefinitionFile(id=m, fingerprint="f", metric=m, version=1, unit="", higher_is_better=True, bounds=(0, 9))
        for m in METRICS
    ]
    benchmark = BenchmarkFile.model_validate({"name": "b", "metric": [{"id": m} for m in METRICS]})
    RunFile(
        benchmark=benchmark, protocol="plain", instruments={}, model=ModelCard(name="m"), cases=5, definitions=defined
    ).write(tmp_path)
    lines = [line(n, m, n + k / 10) for n in range(4) for k, m in enumerate(METRICS)]
    lines += [line(4, "sharp", None, reason="too dark", code="too-few-frames"), "no record\n"]
    (tmp_path / "records-0.jsonl").write_text("".join(lines))
    return tmp_path


def as_plain(columns: dict[str, Columns]) -> dict[str, object]:
    return {
        name: (c.cases, c.takes, c.clusters, c.statuses, c.values.tolist(), c.raws.tolist(), c.codes, c.repeats)
        for name, c in columns.items()
    }


def test_the_second_reading_is_of_the_file_and_says_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Run(folder)
    found = first.columns()
    assert (folder / FILE_NAME).is_file()
    monkeypatch.setattr(Run, "counting", lambda _: pytest.fail("the lines are read again"))
    second = Run(folder)
    np.testing.assert_equal(as_plain(second.columns()), as_plain(found))
    assert second.left_out == first.left_out and second.left_out.damaged


def test_records_of_a_large_run_come_one_by_one_and_are_the_same(folder: Path) -> None:
    with (folder / "records-1.jsonl").open("w") as stream:
        stream.write(line(1, "sharp", 7.0, invocation=1, tags={"place": "outdoors"}))
    run = Run(folder)
    assert list(run.each_record()) == run.records()
    assert run.tags()["c1"] == {"place": "outdoors"} and run.tags()["c0"] == {}
    first, second = run.columns().values()
    assert second.takes is not None and first.cases[:4] == second.cases


@pytest.mark.parametrize("kept", [False, True], ids=["just read", "from the file"])
def test_a_file_that_comes_in_between_moves_no_line(folder: Path, kept: bool) -> None:
    """A run that is being written has more files by the time that somebody looks at a case."""
    (folder / "records-2.jsonl").write_text(line(4, "stable", 0.5, tags={"place": "outdoors"}))
    if kept:
        Run(folder).columns()
    run = Run(folder)
    row, places = run.columns()["stable"].cases.index("c4"), run.columns()["stable"].places
    (folder / "records-1.jsonl").write_text(line(4, "stable", 0.1) * 3)
    assert places is not None
    with run.lines() as lines:
        assert lines.record(*places[row].tolist())["tags"] == {"place": "outdoors"}


def test_another_program_can_ask_the_file(folder: Path) -> None:
    Run(folder).columns()
    asked = f"select metric, avg(value) from '{folder / FILE_NAME}' where status = 'ok' group by metric order by metric"
    assert duckdb.execute(asked).fetchall() == [("sharp", 1.5), ("stable", 1.6)]


def test_columns_of_another_state_are_not_used(folder: Path) -> None:
    assert Run(folder).columns()["sharp"].values[1] == 1.0
    with (folder / "records-0.jsonl").open("a") as stream:
        stream.write(line(1, "sharp", 7.0, invocation=1))
    assert Run(folder).columns()["sharp"].values[1] == 7.0
    assert Run(folder).columns()["sharp"].values[1] == 7.0


@pytest.mark.parametrize("damage", [b"", b"PAR1 and then nothing"])
def test_a_damaged_file_is_made_again(folder: Path, damage: bytes) -> None:
    found = Run(folder).columns()
    whole = (folder / FILE_NAME).stat().st_size
    (folder / FILE_NAME).write_bytes(damage)
    np.testing.assert_equal(as_plain(Run(folder).columns()), as_plain(found))
    assert (folder / FILE_NAME).stat().st_size == whole


def test_without_pyarrow_lines_are_read_and_the_extra_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = as_plain(Run(folder).columns())
    (folder / FILE_NAME).unlink()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    np.testing.assert_equal(as_plain(Run(folder).columns()), kept)
    assert not (folder / FILE_NAME).exists() and "pip install 'worldgauge[parquet]'" in caplog.text


def test_a_small_run_has_no_such_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "LEAST_BYTES", 10**9)
    Run(folder).columns()
    assert not (folder / FILE_NAME).exists()


def test_what_rests_on_answers_comes_back(tmp_path: Path) -> None:
    column = Columns(
        cases=["a", "b"], takes=[0, 1], clusters=["x", "x"], statuses=[Status.OK, Status.UNSCORED],
        values=np.array([1.0, np.nan]), raws=np.array([0.5, np.nan]), weights=np.array([np.nan, 2.0]),
        codes=["", "judge"], constants={"yes": np.array([1.0, np.nan]), "no": np.array([0.0, 0.0])},
        repeats=np.array([[1.0, 0.5], [np.nan, 1.0]]), tags=[{"place": "indoors"}, {}],
        places=np.array([[0, 0], [1, 2**40]]),
    )  # fmt: skip
    save_columns(tmp_path, "stamp", {"m": column}, {"stale": {}, "damaged": []}, [tmp_path / "records-0.jsonl"])
    loaded = load_columns(tmp_path, "stamp")
    assert loaded is not None and load_columns(tmp_path, "another") is None
    back = loaded[0]["m"]
    for name in vars(column):
        np.testing.assert_equal(getattr(back, name), getattr(column, name))
