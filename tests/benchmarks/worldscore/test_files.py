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
from worldgauge.core.run_folder import DefinitionFile, Run, RunFile
from worldgauge.core.status import Status
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


def write_run(folder, cases, protocol="released", statuses=None):
    """`cases`: id to (tags, metric to raw). `statuses`: (case, metric) to a status instead of a value."""
    file = benchmark_file()
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
                signals=[{"signal": "toy", "instrument": {"name": "toy", "version": 1}}],
            )
        )
    folder.mkdir()
    RunFile(
        benchmark=file,
        protocol=protocol,
        instruments={"flow": "toy"},
        model=ModelCard(name="toy", type="Video"),
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
                    cluster=case,
                    metric=metric,
                    fingerprint="f",
                    inputs="i",
                    video="v",
                    status=status,
                    raw=raw if ok else None,
                    value=(scales[metric](raw) if scales[metric] else raw) if ok else None,
                    tags=tags,
                ).model_dump_json(by_alias=True)
            )
    (folder / "records-0.jsonl").write_text("\n".join(lines) + "\n")
    return Run(folder)


@pytest.fixture
def cases():
    return {
        "static/photorealistic/indoor/a/000": (INDOOR, STATIC),
        "static/stylized/outdoor/b/001": (OUTDOOR, STATIC | {"optical_flow_aepe": 0.0}),
        "dynamic/photorealistic/rigid/000": (FIXED, DYNAMIC),
    }


def test_tree(tmp_path, cases):
    out = tmp_path / "official"
    result = write_files(write_run(tmp_path / "run", cases), out)
    content = json.loads((out / "static/photorealistic/indoor/a/000/evaluation.json").read_text())
    assert content["camera_control"]["camera_error"] == {"score": [3.0, 0.1], "score_normalized": pytest.approx(0.8)}
    assert list(content) == list(result.scores)[:7]
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
    assert (row["Model Name"], row["Model Type"]) == ("toy", "Video")
    assert float(row["WorldScore-Dynamic"]) == scores["WorldScore-Dynamic"]


def test_only_static_worlds_as_by_a_3d_model(tmp_path, cases):
    del cases["dynamic/photorealistic/rigid/000"]
    result = official_result(write_run(tmp_path / "run", cases))
    assert result.scores["motion_accuracy"] == 0
    static = [result.scores[key] for key in list(result.scores)[:7]]
    assert result.scores["WorldScore-Dynamic"] == pytest.approx(sum(static) / 10, abs=0.006)
    assert any("WorldScore-Dynamic counts three zeros" in remark for remark in result.remarks)


def test_failures(tmp_path, cases):
    lost = {("dynamic/photorealistic/rigid/000", "motion_accuracy"): Status.UNSCORED}
    run = write_run(tmp_path / "run", cases, statuses=lost)
    left_out = official_result(run)
    assert "motion_accuracy" not in left_out.evaluations["dynamic/photorealistic/rigid/000"]
    as_zero = official_result(run, failures_as_zero=True).evaluations["dynamic/photorealistic/rigid/000"]
    assert as_zero["motion_accuracy"]["motion_accuracy"] == {"score": -100, "score_normalized": 0.0}


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
    (table,) = published_tables("worldscore")
    reasons = why_not_beside_published(summarise(run), table)
    assert any("'paper'" in reason for reason in reasons)
    assert any("toy" in reason for reason in reasons)
    done = CliRunner().invoke(app, ["published", str(run.folder), "--json"], catch_exceptions=False)
    (shown,) = json.loads(done.stdout)
    assert len(shown["rows"]) == 19
    assert [(apart["run"], apart["because"]) for apart in shown["apart"]] == [(run.name, reasons)]


def test_commands(tmp_path, cases):
    run = write_run(tmp_path / "run", cases)
    for arguments in (["files", str(run.folder), "-o", "out"], ["breakdown", str(run.folder)], ["published"]):
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert "WorldScore-Static" in CliRunner().invoke(app, ["files", str(run.folder), "-o", "out"]).stdout
