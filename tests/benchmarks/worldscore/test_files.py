"""Official files and breakdowns of a run whose records are written by hand."""

import csv
import json

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.worldscore.analyses.breakdown import breakdown
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.benchmarks.worldscore.official.aspects import benchmark_file, normalised
from worldgauge.benchmarks.worldscore.official.files import official_result, write_files
from worldgauge.core.benchmark import resolved_uses
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.metric import METRICS
from worldgauge.core.published import published_tables
from worldgauge.core.record import Record
from worldgauge.core.run_file import DefinitionFile, RunFile
from worldgauge.core.run_folder import Run
from worldgauge.core.status import Policy, Status
from worldgauge.core.submission import ModelCard
from worldgauge.report.beside_published import why_not_beside_published
from worldgauge.report.summary import summarise

STATIC = {
    "camera_rotation": 3.0,
    "camera_translation": 0.1,
    "camera_control": 0.8,
    "object_control": 0.5,
    "clip_score": 27.0,
    "reprojection_error": 0.5,
    "optical_flow_aepe": 0.5,
    "gram_matrix": 0.001,
    "clip_iqa": 0.6,
    "clip_aesthetic": 5.5,
}
DYNAMIC = {
    "motion_accuracy": 0.5,
    "motion_magnitude": 4.0,
    "smoothness_mse": 10.0,
    "smoothness_ssim": 0.98,
    "smoothness_lpips": 0.004,
}
INDOOR = {"movement": "static", "style": "photorealistic", "scene": "indoor", "camera": "move_left", "world": "small"}
OUTDOOR = INDOOR | {"scene": "outdoor", "camera": "push_in", "style": "stylized"}
FIXED = {"movement": "dynamic", "style": "photorealistic", "motion": "rigid"}


TOY = {"name": "toy", "version": 1}


def write_run(folder, cases, protocol="released", statuses=None, card=None, policy=None, clusters=None, instrument=TOY):
    """`cases`: id to (tags, metric to raw). `statuses`: (case, metric) to a status instead of a value. `clusters`: case
    to its scene, else each is one. `instrument` perceives for every column."""
    file = benchmark_file()
    if policy is not None:
        file = file.model_copy(update={"policy": policy})
    definitions = []
    for use in resolved_uses(file, protocol):
        metric = METRICS.get(use.use)
        definitions.append(
            DefinitionFile(
                id=use.id,
                fingerprint="f",
                metric=metric.name,
                version=metric.version,
                unit=metric.unit,
                higher_is_better=metric.higher_is_better,
                bounds=metric.bounds,
                scale=use.scale,
                unscaled=use.unscaled,
                signals=[{"signal": "toy", "instrument": instrument}],
            )
        )
    folder.mkdir()
    RunFile(
        benchmark=file,
        protocol=protocol,
        instruments={"flow": "toy"},
        model=card or ModelCard(name="toy", type="Video"),
        cases=3000,
        definitions=definitions,
    ).write(folder)
    scales = {d.id: d.scale for d in definitions}
    lines = []
    for case, (tags, raws) in cases.items():
        for metric, raw in raws.items():
            status = (statuses or {}).get((case, metric), Status.OK)
            ok = status is Status.OK
            lines.append(
                Record(
                    case=case,
                    cluster=(clusters or {}).get(case, case),
                    metric=metric,
                    fingerprint="f",
                    inputs="i",
                    video="v",
                    status=status,
                    raw=raw if ok else None,
                    value=_value(raw, scales[metric]) if ok else None,
                    tags=tags,
                ).model_dump_json(by_alias=True)
            )
    (folder / "records-0.jsonl").write_text("\n".join(lines) + "\n")
    return Run(folder)


def _value(raw, scale):
    return scale(raw) if scale is not None and scale.level == "case" else raw


@pytest.fixture
def cases():
    return {
        "static/photorealistic/indoor/a/000": (INDOOR, STATIC),
        "static/stylized/outdoor/b/001": (OUTDOOR, STATIC | {"optical_flow_aepe": 0.0}),
        "dynamic/photorealistic/rigid/000": (FIXED, DYNAMIC),
    }


def test_tree(tmp_path, cases):
    out = tmp_path / "official"
    result = write_files(write_run(tmp_path / "run", cases), out, allow_unofficial=True)
    content = json.loads((out / "static/photorealistic/indoor/a/000/evaluation.json").read_text())
    assert content["camera_control"]["camera_error"] == {"score": [3.0, 0.1], "score_normalized": pytest.approx(0.8)}
    assert list(content) == [*list(result.scores)[:7], "unofficial"]
    intra = json.loads((out / "static/stylized/outdoor/b/001/evaluation.json").read_text())
    assert "content_alignment" not in intra
    dynamic = json.loads((out / "dynamic/photorealistic/rigid/000/evaluation.json").read_text())
    smooth = dynamic["motion_smoothness"]["motion_smoothness"]
    assert smooth["score"] == [10.0, 0.98, 0.004]
    scores = json.loads((out / "worldscore.json").read_text())
    mean = (normalised("optical_flow_aepe", 0.5) + 1.0) / 2
    assert scores["photometric_consistency"] == pytest.approx(100 * mean, abs=0.005)
    assert scores["motion_smoothness"] == pytest.approx(100 * smooth["score_normalized"], abs=0.005)
    assert scores["WorldScore-Static"] == pytest.approx(sum(list(scores.values())[:7]) / 7, abs=0.006)
    with (out / "leaderboard.csv").open() as stream:
        row = next(csv.DictReader(stream))
    assert (row["Model Name"], row["Model Type"]) == ("toy (unofficial)", "Video")
    assert float(row["WorldScore-Dynamic"]) == scores["WorldScore-Dynamic"]


def test_what_nobody_measured_is_null(tmp_path, cases):
    del cases["dynamic/photorealistic/rigid/000"]
    run = write_run(tmp_path / "run", cases)
    result = write_files(run, tmp_path / "official", allow_unofficial=True)
    scores = json.loads((tmp_path / "official" / "worldscore.json").read_text())
    assert scores["motion_accuracy"] is None
    assert scores["WorldScore-Dynamic"] is None
    assert scores["WorldScore-Static"] > 0
    assert any("--absent-as-zero" in remark for remark in result.remarks)
    with (tmp_path / "official" / "leaderboard.csv").open() as stream:
        assert next(csv.DictReader(stream))["WorldScore-Dynamic"] == ""
    zeros = official_result(run, absent_as_zero=True)
    assert zeros.scores["WorldScore-Dynamic"] == pytest.approx(0.7 * scores["WorldScore-Static"], abs=0.006)
    assert not any("--absent-as-zero" in remark for remark in zeros.remarks)


@pytest.mark.parametrize("protocol", ["released", "paper"])
def test_a_3d_model_gets_zeros_for_motion(tmp_path, cases, protocol):
    """Its card says what it is; its dynamic worlds are missing."""
    absent = {("dynamic/photorealistic/rigid/000", metric): Status.MISSING for metric in DYNAMIC}
    run = write_run(tmp_path / "run", cases, protocol, absent, card=ModelCard(name="toy", type="3d"))
    scores = summarise(run).scores
    assert scores["motion_magnitude"].value == scores["motion_accuracy"].value == 0.0
    if protocol == "paper":
        # Its squares have no bound, so 0 is no score of theirs.
        assert scores["smoothness_mse"].value is None
        return
    assert scores["dynamic"].value == pytest.approx(0.7 * scores["static"].value)
    assert official_result(run).scores["WorldScore-Dynamic"] == pytest.approx(scores["dynamic"].value, abs=0.01)


def test_a_missing_clip_counts_as_a_score_of_0(tmp_path, cases):
    """Also where only the mean is scaled: half the model's score, not half its pixels."""
    cases["dynamic/photorealistic/rigid/001"] = (FIXED, DYNAMIC)
    absent = {("dynamic/photorealistic/rigid/001", metric): Status.MISSING for metric in DYNAMIC}
    whole = summarise(write_run(tmp_path / "whole", cases, "paper", absent)).scores
    run = write_run(tmp_path / "run", cases, "paper", absent, policy=Policy(missing=0.0))
    counted = summarise(run).scores
    for metric in ("motion_accuracy", "motion_magnitude", "smoothness_ssim"):
        assert counted[metric].value == pytest.approx(whole[metric].value / 2)
    assert counted["smoothness_mse"].value == whole["smoothness_mse"].value


def test_a_column_without_a_bound_enters_no_total(tmp_path, cases):
    scores = summarise(write_run(tmp_path / "run", cases, "paper")).scores
    assert scores["gram_matrix"].value == pytest.approx(0.001)
    assert scores["style_consistency"].value is None
    assert scores["static"].reason == "no score for style_consistency"
    assert scores["style_consistency"].reason == "no score for gram_matrix"


def test_failures(tmp_path, cases):
    lost = {("dynamic/photorealistic/rigid/000", "motion_accuracy"): Status.UNSCORED}
    run = write_run(tmp_path / "run", cases, statuses=lost)
    left_out = official_result(run)
    assert "motion_accuracy" not in left_out.evaluations["dynamic/photorealistic/rigid/000"]
    toy = official_result(run, failures_as_zero=True).evaluations["dynamic/photorealistic/rigid/000"]
    assert "motion_accuracy" not in toy, "what another instrument could not measure is no official failure"
    authors = write_run(tmp_path / "authors", cases, statuses=lost, instrument=None)
    as_zero = official_result(authors, failures_as_zero=True).evaluations["dynamic/photorealistic/rigid/000"]
    assert as_zero["motion_accuracy"]["motion_accuracy"] == {"score": -100, "score_normalized": 0.0}
    broken = write_run(tmp_path / "broken", cases, statuses=dict.fromkeys(lost, Status.ERROR), instrument=None)
    ours = official_result(broken, failures_as_zero=True).evaluations["dynamic/photorealistic/rigid/000"]
    assert "motion_accuracy" not in ours, "an error of our own program says nothing of the model"


def test_paper_runs_have_no_official_files(tmp_path, cases):
    with pytest.raises(WorldGaugeError, match="the official files need WorldScore under 'released'"):
        official_result(write_run(tmp_path / "run", cases, protocol="paper"))


def test_breakdown(tmp_path, cases):
    rows = {(r["domain"], r["value"]): r for r in breakdown(write_run(tmp_path / "run", cases))}
    indoor, outdoor = rows["scene", "indoor"], rows["scene", "outdoor"]
    assert outdoor["photometric_consistency"] == 100.0
    assert indoor["photometric_consistency"] == pytest.approx(100 * normalised("optical_flow_aepe", 0.5))
    assert indoor["dynamic"] is None
    assert rows["motion", "rigid"]["static"] is None
    assert rows["style", "photorealistic"]["cases"] == 2


def test_published_numbers_stay_apart(tmp_path, cases):
    run = write_run(tmp_path / "run", cases)
    table = published_tables("worldscore")[0]
    reasons = why_not_beside_published(summarise(run), table)
    assert any("'paper'" in reason for reason in reasons)
    assert any("toy" in reason for reason in reasons)
    done = CliRunner().invoke(app, ["published", str(run.folder), "--json"], catch_exceptions=False)
    shown, people = json.loads(done.stdout)
    assert len(shown["rows"]) == 19
    assert [(apart["run"], apart["because"]) for apart in shown["apart"]] == [(run.name, reasons)]
    assert (len(people["rows"]), people["apart"]) == (12, [])


def test_commands(tmp_path, cases):
    run = write_run(tmp_path / "run", cases)
    files = ["files", str(run.folder), "-o", "out", "--unofficial"]
    for arguments in (files, ["breakdown", str(run.folder)], ["published"]):
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert "WorldScore-Static" in CliRunner().invoke(app, files).stdout
