"""`compare` on the command line."""

import json

import pytest
from typer.testing import CliRunner

from report.synthetic import write_run
from worldgauge.cli.compare import app
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.report.joint import Joint


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    root = tmp_path_factory.mktemp("pair")
    return [str(write_run(root / model, model)) for model in ("Aurora", "Cirrus")]


def compare(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_json_equals_the_library(pair):
    result = compare(*pair, "--json", "--cases", "3")
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    expected = Joint([Run(folder) for folder in pair]).difference(0, 1)
    for key, difference in expected.items():
        assert content["differences"][key]["value"] == difference.value
        assert content["differences"][key]["p_value"] == difference.p_value
    assert len(content["cases"]) == 6
    differences = [case["first"] - case["second"] for case in content["cases"]]
    assert differences == sorted(differences, reverse=True)


def test_table_names_both_models_and_the_difference(pair):
    result = compare(*pair)
    assert result.exit_code == 0
    for word in ("Aurora", "Cirrus", "rotation_error", "p (Holm)", "detectable"):
        assert word in result.stdout


def test_report_is_written(pair, tmp_path):
    result = compare(*pair, "--html", str(tmp_path / "report"))
    assert result.exit_code == 0
    assert (tmp_path / "report" / "index.html").is_file()


def test_wrong_metric_names_the_nearest(pair):
    result = compare(*pair, "--metric", "pnsr")
    assert isinstance(result.exception, WorldGaugeError)
    assert "psnr" in str(result.exception)


def test_scores_over_other_cases_than_the_difference_are_pointed_out(tmp_path):
    first, second = (write_run(tmp_path / model, model, cases=8) for model in ("Aurora", "Borealis"))
    note = "scores: each over all cases of its run"
    even = compare(str(first), str(second)).stdout
    file = second / "records-0.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    scored = next(k for k, line in enumerate(lines) if json.loads(line)["status"] == "ok")
    file.write_text("".join(lines[:scored] + lines[scored + 1 :]), "utf-8")
    assert note not in even
    assert note in compare(str(first), str(second)).stdout


def without(folder, dropped):
    """The run without the records of some metrics."""
    file = folder / "records-0.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not dropped(json.loads(line)["metric"])), "utf-8")


def test_what_no_case_has_in_both_is_named_below_the_table(tmp_path):
    first, second = (write_run(tmp_path / model, model, cases=8) for model in ("Aurora", "Borealis"))
    without(second, lambda metric: metric == "flow_consistency")
    shown = compare(str(first), str(second)).stdout
    table, _, notes = shown.partition("difference: ")
    assert "ssim" in table and "flow_consistency" not in table
    assert "no case has a number in both: flow_consistency" in " ".join(notes.split())


def test_runs_that_share_nothing_are_refused(tmp_path):
    first, second = (write_run(tmp_path / model, model, cases=8) for model in ("Aurora", "Borealis"))
    without(second, lambda metric: True)
    result = compare(str(first), str(second))
    assert isinstance(result.exception, WorldGaugeError)
    assert "no case with a number in both; compare runs over the same cases" in str(result.exception)
    assert compare(str(first), str(second), "--json").exit_code == 0
