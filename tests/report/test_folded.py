"""Columns about none of a run's cases: named in one line, shown in no table, kept in files for programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import helpers
from report.test_summary import make_run
from worldgauge.api.building import build_job
from worldgauge.cli.report import print_summary
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Status
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.report.card import model_card
from worldgauge.report.folded import folded, of_no_case
from worldgauge.report.html import ReportSource
from worldgauge.report.summary import summarise
from worldgauge.report.tables import build_table, to_csv, to_json, to_latex, to_markdown

TREE = """
schema = 2
name = "b"
protocols = ["p"]
[[metric]]
id = "ssim"
[[metric]]
id = "none"
use = "ssim"
cases = { parity = "neither" }
[[metric]]
id = "given_none"
use = "ssim"
given = "none"
cases = { parity = "neither" }
[[metric]]
id = "unmet"
use = "ssim"
given = "zero"
[[metric]]
id = "zero"
use = "psnr"
scale = { from = [0.0, 1e9] }
[[group]]
id = "of_none"
of = { none = 1.0, given_none = 1.0 }
[[group]]
id = "of_both"
of = { none = 1.0, ssim = 1.0 }
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("folded")
    videos = helpers.make_videos(folder / "videos", cases=3)
    cases = helpers.make_cases(folder / "cases", videos)
    (cases / "benchmark.toml").write_text(TREE)
    job = build_job(videos, benchmark=cases, out=folder / "run", store=folder / "store")
    execute(job, make_plan(job))
    return Run(folder / "run")


HIDDEN = ["none", "given_none", "of_none"]


def test_which_columns_are_about_no_case(run: Run) -> None:
    """Not one whose condition no case meets, nor a group with a member that is about some."""
    assert folded([summarise(run)]) == HIDDEN


def test_tables_name_them_in_one_line(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    summary = summarise(run)
    table = build_table([summary])
    line = "3 columns are about none of these cases: none, given_none, of_none."
    assert [column.id for column in table.columns] == ["of_both", "ssim", "unmet", "zero"]
    assert [column.id for column in table.folded] == ["of_none", "none", "given_none"]
    assert line in table.notes and not any(note.startswith("none:") for note in table.notes)
    for text in (to_markdown(table), to_latex(table)):
        assert "given" in text and text.count("given_none") + text.count(r"given\_none") == 1
    assert line in model_card(summary) and "| none |" not in model_card(summary)
    print_summary(summary)
    shown = capsys.readouterr().out
    assert line in shown and "\nnone " not in shown and "\nof_none" not in shown


def test_programs_are_told_all(run: Run) -> None:
    table = build_table([summarise(run)])
    (row,) = csv.DictReader(io.StringIO(to_csv(table)))
    assert row["none"] == "" and row["none.expected"] == "0" and row["ssim.expected"] == "3"
    told = json.loads(to_json(table))
    assert {column["id"] for column in told["columns"]} >= {*HIDDEN, "ssim"}


def test_the_page_keeps_their_definitions(run: Run) -> None:
    source = ReportSource([run], media=False)
    index = {column["id"]: column for column in source.index()["columns"]}
    assert [name for name, column in index.items() if column.get("folded")] == HIDDEN
    page = source.content("index.html").decode()
    assert "3 columns are about none of these cases" in page
    assert 'data-id="none"' not in page and 'data-id="ssim"' in page


def test_a_run_of_nothing_else_shows_them(tmp_path: Path) -> None:
    """Without them the table would be empty."""
    lonely = make_run(tmp_path / "run", {"a": [(Status.SKIPPED, None)]})
    summary = summarise(lonely)
    assert of_no_case(summary) >= {"a"} and folded([summary]) == []
