"""Official files out of a run and in again, without any video."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.worldolympiad.analyses.reaggregate import read_official
from worldgauge.benchmarks.worldolympiad.commands import app
from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.official.summary import CASE_COLUMNS
from worldgauge.benchmarks.worldolympiad.official.write import judge_json, write_summary

RULES = {"gravity": True, "impact": False, "hardness": True}


def verdicts(judged: dict[str, bool], confidence: float = 0.6) -> list[dict[str, object]]:
    return [
        {
            "question_id": rule.id,
            "dimension": rule.dimension,
            "related": rule.id in judged,
            "compliant": judged.get(rule.id),
            "confidence": confidence if judged.get(rule.id) else 0.0,
        }
        for rule in rules()
    ]


def judge_file(root: Path, folder: str, name: str, judged: dict[str, bool], overall: float, clip: float) -> Path:
    file = root / "outputs_batch" / folder / name / f"longlive_judge_{name}.json"
    file.parent.mkdir(parents=True)
    answer = [{"overall": overall}]
    content = judge_json(verdicts(judged), answer, [], answer, clip)
    content["three_d"] = {"final_score_normalized": 0.2, "final_score_raw": 0.6}
    file.write_text(json.dumps(content))
    return file


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    judge_file(tmp_path, "general", "a", RULES, 3.0, 0.3)
    judge_file(tmp_path, "general", "b", RULES, 4.0, 0.2)
    judge_file(tmp_path, "embodied", "c", {}, 3.0, 0.3)
    return tmp_path


def test_existing_results_are_aggregated_again_in_all_ways(tree: Path) -> None:
    (tree / "outputs_batch" / "general" / "broken").mkdir()
    (tree / "outputs_batch" / "general" / "broken" / "longlive_judge_broken.json").write_text("")
    found = {one.domain: one.row() for one in read_official(tree)}
    general = found["general"]
    assert (general["cases"], general["unreadable"]) == (2, 1)
    assert general["physical_published"] == pytest.approx(4 / 6) and general["judgements"] == 6
    assert general["physical_paper"] == pytest.approx((0.5 + 1.0) / 2)
    assert general["physical_released"] == pytest.approx(0.4)
    assert general["interaction_published"] == pytest.approx(0.9 * 0.7 + 0.1 * 0.25)
    assert found["robotics"]["physical_published"] is None, "nothing was judged: not a zero"


def test_summary_files(tree: Path) -> None:
    place = "outputs_batch/general/{0}/longlive_judge_{0}.json"
    rows = [{"id": name, "status": "ok", "exit_code": 0, "output": place.format(name)} for name in ("a", "b", "gone")]
    _, summary, cases = write_summary(rows, tree, tree / "batch_logs" / "general_longlive")
    content = json.loads(summary.read_text())
    assert content["scores"]["interaction"]["mean"] == pytest.approx(0.7)
    assert content["error_counts"] == {"missing_output": 1}
    overall = content["physical_questions"]["overall"]
    assert overall == {"total": 28, "correct": 4, "incorrect": 2, "irrelevant": 22, "unknown": 0}
    with cases.open() as stream:
        table = list(csv.DictReader(stream))
    assert tuple(table[0]) == CASE_COLUMNS and table[2]["error"] == "missing_output"


def test_verbs(tree: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(app, ["reaggregate", str(tree), "--json"])
    assert shown.exit_code == 0 and json.loads(shown.output)[0]["domain"] == "general"
    shown = runner.invoke(app, ["arithmetic", "--json"])
    assert json.loads(shown.output)["win_rate_sum"] == 3.974
    assert runner.invoke(app, ["check", str(tree / "outputs_batch"), "--no-videos"]).exit_code == 0
