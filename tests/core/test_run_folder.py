"""A run read back: the latest record of each case and metric, and one line for what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from report.test_summary import make_run
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_file import RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status


def test_columns_are_the_records_sorted_by_case(tmp_path: Path) -> None:
    rows = {"b": [(Status.OK, 3.0), (Status.UNSCORED, None)], "a": [(Status.OK, 1.0)]}
    run = Run(make_run(tmp_path / "r", rows).folder)
    columns = run.columns()
    assert list(columns) == ["b", "a"]
    assert columns["b"].cases == columns["b"].clusters == ["c0", "c1"]
    assert columns["b"].statuses == [Status.OK, Status.UNSCORED]
    np.testing.assert_array_equal(columns["b"].values, [3.0, np.nan])
    np.testing.assert_array_equal(columns["b"].raws, [3.0, np.nan])
    assert columns["b"].count() == {Status.OK: 1, Status.UNSCORED: 1}
    assert [(r["metric"], r["case"]) for r in run.records()] == [("a", "c0"), ("b", "c0"), ("b", "c1")]
    assert run.name == "m"


def test_of_several_records_the_last_invocations_counts_and_of_one_invocation_the_last_line(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"a": [(Status.OK, 1.0)]})
    line = json.loads((run.folder / "records-0.jsonl").read_text())
    newer = [{**line, "value": value, "invocation": number} for value, number in ((2.0, 5), (3.0, 5), (4.0, 2))]
    newer += [{**line, "value": 9.0, "invocation": 9, "fingerprint": "old"}, {**line, "metric": "gone"}]
    (run.folder / "records-1.jsonl").write_text("".join(json.dumps(n) + "\n" for n in newer) + '{"torn')
    assert [r["value"] for r in run.records()] == [3.0]
    assert run.columns()["a"].values.tolist() == [3.0]


def test_a_table_has_a_column_per_tag(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"a": [(Status.OK, 1.0), (Status.OK, 2.0)]})
    lines = [json.loads(line) for line in (run.folder / "records-0.jsonl").read_text().splitlines()]
    lines[0]["tags"] = {"place": "indoors"}
    (run.folder / "records-0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    frame = run.to_pandas()
    assert frame["model"].tolist() == ["m", "m"]
    assert frame["value"].tolist() == [1.0, 2.0]
    assert frame["tag.place"].fillna("").tolist() == ["indoors", ""]


def test_what_is_not_a_run_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match=r"is not a run: it has no run\.json"):
        RunFile.read(tmp_path)
    (tmp_path / "run.json").write_text('{"protocol": 3}')
    with pytest.raises(WorldGaugeError, match=r"run\.json is damaged \(\w+: (Field required|Input should be)"):
        RunFile.read(tmp_path)
    (tmp_path / "run.json").unlink()
    (tmp_path / "run.json").mkdir()
    with pytest.raises(WorldGaugeError, match=r"run\.json cannot be read \(Is a directory\)"):
        RunFile.read(tmp_path)


def test_a_run_file_is_written_whole_and_reads_back(tmp_path: Path) -> None:
    run = make_run(tmp_path / "r", {"a": [(Status.OK, 1.0)]}, bounds=(0, float("inf")))
    again = RunFile.read(run.folder)
    assert again == run.file
    assert again.definitions[0].bounds == (0, float("inf"))
    assert not list(run.folder.glob(".*"))
