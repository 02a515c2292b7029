"""Beside every judged column stand answers that pay no heed to the clips; a case shows what was asked and said."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from report.browser import Watched
from report.judged_runs import add_clips, made_evidence, write_judged_run
from worldgauge.core.record_lines import RecordLines
from worldgauge.core.run_folder import Run
from worldgauge.report.fit import fit_matrix
from worldgauge.report.html import ReportSource, write_report
from worldgauge.report.summary import summarise
from worldgauge.report.tables import build_table, terminal_cells, to_csv, to_json, to_latex, to_markdown


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("judged")
    folders = [write_judged_run(root / model, model) for model in ("Aurora", "Borealis")]
    add_clips(folders, root / "clips")
    return folders


def test_constant_answers_are_scored_on_the_videos_that_have_an_answer(runs: list[Path]) -> None:
    aurora, borealis = (summarise(Run(folder)).metrics["answers"] for folder in runs)
    # Aurora has answers in three cases, of whose questions (25 + 50 + 50) / 3 percent want yes.
    assert aurora.constants == pytest.approx({"always yes": 125 / 3, "always no": 175 / 3, "coin": 50.0})
    assert borealis.constants == {"always yes": 50.0, "always no": 50.0, "coin": 50.0}
    assert summarise(Run(runs[0])).metrics["sharpness"].constants == {}


def test_they_are_rows_of_every_table_and_are_never_ranked(runs: list[Path]) -> None:
    table = build_table([summarise(Run(folder)) for folder in runs])
    assert [row.model for row in table.rows] == ["Aurora", "Borealis", "always yes", "always no", "coin"]
    assert {k for k, _ in table.ranks} == {0, 1}, "only models have a rank"
    markdown, latex = to_markdown(table), to_latex(table)
    assert "| always yes | 50.00 | - |" in markdown and "| coin | 50.00 | - |" in markdown
    assert latex.index(r"\midrule", latex.index("Borealis")) < latex.index("always yes & 50.00 & --")
    rows = {row["model"]: row for row in csv.DictReader(to_csv(table).splitlines())}
    assert (rows["always no"]["answers"], rows["always no"]["baseline"]) == ("50.0", "constant answer")
    assert rows["always no"]["sharpness"] == "" and rows["Aurora"]["answers"] == "75.0"
    content = json.loads(to_json(table))
    assert content["models"][0]["scores"]["answers"]["constants"]["coin"] == 50.0
    assert all(len(line) <= 80 for line in fit_matrix(*terminal_cells(table), width=80))


def test_notes_tell_how_much_was_not_answered(runs: list[Path]) -> None:
    notes = " ".join(build_table([summarise(Run(folder)) for folder in runs]).notes)
    assert "Aurora 25.0 % (1 of 4), Borealis 0.0 % (0 of 4)" in notes
    assert "always yes, always no, coin: what such answers score" in notes


def test_a_record_whose_constants_are_no_numbers_is_damaged(runs: list[Path], tmp_path: Path) -> None:
    lines = (runs[0] / "records-0.jsonl").read_text().splitlines()
    bad = [lines[0].replace("50.0", '"a"'), lines[0].replace('"coin":50.0', '"coin":1e999'), lines[0]]
    bad.append(lines[0].replace('"repeats":[', '"repeats":["x",'))
    (tmp_path / "records-0.jsonl").write_text("\n".join(bad) + "\n")
    read = RecordLines(tmp_path)
    assert len(list(read)) == 1 and len(read.damaged) == 3


@pytest.fixture(scope="module")
def report(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page") / "report"
    write_report(ReportSource([Run(folder) for folder in runs], evidence=made_evidence), out)
    return out


def test_the_page_has_the_constant_answers_and_the_noise(browser: Watched) -> None:
    rows = browser.page.locator("#board .constants tr").all_inner_texts()
    assert [row.split("constant")[0].strip() for row in rows] == ["always yes", "always no", "coin"]
    browser.page.get_by_role("link", name="Judge").click()
    browser.ready("#/judge")
    text = browser.page.locator("#view").inner_text()
    assert "25.0 % unscored" in text and "m-1" in text
    # Aurora's answers swing by five either way in three cases: 25 of variance each, over three; Borealis' not at all.
    noise = browser.page.locator("#view table").nth(1).locator("tbody td").all_inner_texts()
    spread, own, once = (float(cell) for cell in noise[:3])
    assert spread == pytest.approx(((75 - 37.5) ** 2 / 2) ** 0.5, abs=0.01)
    assert own == pytest.approx((25 / 3 / 2) ** 0.5, abs=0.01) and once == pytest.approx(own * 2**0.5, abs=0.01)
    assert noise[3] == f"{100 * (25 / 3 / 2) / ((75 - 37.5) ** 2 / 2):.1f} %"
    browser.go("#/metric/answers")
    rows = browser.page.locator("#view table tr", has_text="constant answer").all_inner_texts()
    assert len(rows) == 3 and "50.00" in rows[0]


def test_a_case_shows_what_was_asked_sent_and_said(browser: Watched) -> None:
    browser.go("#/case/0")
    section = browser.page.locator(".judge")
    text = section.inner_text()
    for told in ("Does the duck come back?", "memory", "it is gone", "take 2", "3 attempts, none read"):
        assert told in text
    assert section.locator("table.answers tbody tr").count() == 2
    section.get_by_label("Questions").select_option("takes or judges disagree")
    assert section.locator("table.answers tbody th").all_inner_texts()[0].startswith("Does it melt?")
    section.locator("details summary").nth(1).click()
    assert section.locator("details").nth(1).locator("pre").all_inner_texts() == ["prose", '{"answers": 2}']
    strip = section.locator("details").nth(1).locator(".strip button")
    assert strip.all_inner_texts() == ["0", "4", "9"]
    browser.until("[...document.querySelectorAll('.strip canvas')].every(c => c.width > 0)")
    strip.nth(1).click()
    assert browser.page.locator(".clock").inner_text().startswith("frame 4")


def test_cases_are_filtered_by_what_the_judge_said(browser: Watched) -> None:
    browser.go("#/cases")
    for kind, count in (("not as wanted", 4), ("takes or judges disagree", 4), ("without an answer", 1)):
        browser.page.get_by_label("Judge").select_option(kind)
        browser.until(f"document.querySelector('[role=status]').textContent === '{count} of 4 cases'")
