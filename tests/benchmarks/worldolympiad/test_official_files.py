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
    # Of one chunk there are two levels; CLIP is scaled clip by clip: halfway, and nothing.
    assert (general["Chunk"], general["Global"], general["Transition"]) == (
        pytest.approx(0.7),
        pytest.approx(0.7),
        None,
    )
    assert general["interaction_paper"] == pytest.approx(0.9 * 0.7 + 0.1 * 0.25)
    assert general["all_paper"] == pytest.approx((0.75 + 0.2 + general["interaction_paper"]) / 3)
    whole = found["all"]
    assert (whole["cases"], whole["unreadable"], whole["judgements"]) == (3, 1, 6)
    assert whole["interaction_released"] == pytest.approx((0.6 + 0.8 + 0.6) / 3), "over cases, not over domains"


def test_poolings_of_existing_results_differ(tmp_path: Path) -> None:
    file = judge_file(tmp_path, "gaming", "a", RULES, 3.0, 0.25)
    content = judge_json(verdicts(RULES), [{"overall": 1.0}] * 3, [{"overall": 1.0}] * 2, [{"overall": 5.0}], 0.25)
    file.write_text(json.dumps(content))
    row = read_official(tmp_path)[0].row()
    assert row["interaction_released"] == pytest.approx(10 / 6 / 5, abs=1e-4)
    assert row["interaction_paper"] == pytest.approx(0.9 * 7 / 15 + 0.1 * 0.25)
    assert row["geometry"] is None and row["all_paper"] is None, "a mean of two tracks is another number"


def test_a_score_that_is_no_number_is_no_perfect_one(tmp_path: Path) -> None:
    """The released code writes 1.0 for a sum that is no number; here such a file has no 3D score, and is counted."""
    for name, raw, normalised in (("a", 1.5, 0.5), ("b", float("nan"), 1.0)):
        file = judge_file(tmp_path, "gaming", name, RULES, 3.0, 0.25)
        content = json.loads(file.read_text())
        parts = {"gs_score": raw / 3, "meta_score": 0.5, "camera_motion_score": 0.5}
        content["three_d"] = {**parts, "final_score_raw": raw, "final_score_normalized": normalised}
        file.write_text(json.dumps(content))
    row = read_official(tmp_path)[0].row()
    assert (row["geometry"], row["GS"], row["Meta"]) == (0.5, 0.5, 0.5)
    assert (row["geometry_no_number"], row["geometry_failed"]) == (1, 0)
    assert row["all_published"] is not None


def test_rules_of_existing_results_have_their_numbers(tmp_path: Path) -> None:
    for k in range(8):
        judge_file(tmp_path, "general", f"film{k // 2}_part{k % 2}", {"gravity": k % 4 != 0, "impact": True}, 3.0, 0.3)
    rows = {(row["domain"], row["rule"]): row for one in read_official(tmp_path) for row in one.rule_rows()}
    gravity = rows["general", "gravity"]
    assert (gravity["rate"], gravity["judged"], gravity["correct"]) == (0.75, 8, 6)
    low, high = gravity["interval"]
    assert low < 0.75 < high, "four films, two of which break the rule once"
    assert rows["all", "melting"]["rate"] is None and rows["all", "melting"]["irrelevant"] == 8
    shown = CliRunner().invoke(app, ["reaggregate", str(tmp_path), "--rules"])
    assert shown.exit_code == 0 and "gravity" in shown.output and "melting" not in shown.output


def test_summary_files(tree: Path) -> None:
    place = "outputs_batch/general/{0}/longlive_judge_{0}.json"
    rows = [{"id": name, "status": "ok", "exit_code": 0, "output": place.format(name)} for name in ("a", "b", "gone")]
    _, summary, cases = write_summary(rows, tree, tree / "batch_logs" / "general_longlive")
    content = json.loads(summary.read_text())
    assert content["source_summary"] == "batch_logs/general_longlive/summary_from_outputs.jsonl", "no folder of ours"
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
