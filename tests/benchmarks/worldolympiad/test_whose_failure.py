"""A clip without a 3D score: 0 where the released procedure itself gives 0, unscored where our instrument failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import helpers
from benchmarks.worldolympiad.released_tree import write_case
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.analyses.reaggregate import read_official
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.benchmarks.worldolympiad.official.write import write_official
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video
from worldgauge.report.summary import Summary, summarise

HERE = Path(__file__).parent
COLUMNS = ("GS", "Meta", "Camera", "Geometry")
SIZE = (96, 72)
GOOD, LOST = "general/good", "general/lost"


def film(count: int = 24) -> np.ndarray:
    return np.stack(list(helpers.moving_texture(count, *SIZE)))


def scenes(count: int = 24) -> np.ndarray:
    """Every frame another place: no tracker can follow a corner."""
    random = np.random.default_rng(0)
    small = random.integers(0, 256, (count, 9, 12, 3), np.uint8)
    return np.repeat(np.repeat(small, 8, axis=1), 8, axis=2)


CLIPS = {
    "lost": scenes(),
    "black": np.zeros((24, SIZE[1], SIZE[0], 3), np.uint8),
    "flat": np.full((24, SIZE[1], SIZE[0], 3), 120, np.uint8),
    "single": film(1),
}


def scored(root: Path, kind: str, protocol: str, poses: str = "bundle", judge: str = "answer") -> Run:
    """A run on two cases: a clip that can be measured, and one of the kind."""
    tree = root / "outputs_batch"
    for name in (GOOD, LOST):
        write_case(tree / name, 1, ("longlive",))
        (tree / name / "prompt.txt").write_text("a ball falls")
        write_video(tree / name / f"ref_{Path(name).name}.mp4", film(), fps=8.0)
        frames = CLIPS[kind] if name == LOST and kind in CLIPS else film()
        write_video(tree / name / f"longlive_gen_{Path(name).name}.mp4", frames, fps=8.0)
    file = root / "longlive.json"
    submission_of(tree, "longlive", read_dataset(tree)).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, protocol=protocol, metrics=",".join(COLUMNS),
        judge=f"scripted:{HERE / 'scripted_judge.py'}:{judge}", store=root / "store", out=root / "run",
        includes=[HERE / "stub_networks.py"],
        use=["phrase_follower=stub_boxes", f"poses={poses}", "reconstruction=stub_reconstruction"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return Run(root / "run")


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))


def of(run: Run, column: str, case: str = "lost") -> dict[str, Any]:
    return next(line for line in run.records() if (line["metric"], line["case"]) == (column, case))


def judge_file(run: Run, root: Path) -> dict[str, Any] | None:
    """What the authors' form of the run has of the clip in question."""
    write_official(run, root / "official", "longlive", root / "store", allow_unofficial=True)
    file = root / "official" / "outputs_batch" / "general" / "lost" / "longlive_unofficial_judge_lost.json"
    return json.loads(file.read_text())["three_d"] if file.exists() else None


@pytest.mark.parametrize("protocol", ["released", "published"])
def test_a_clip_that_our_tracker_cannot_place_costs_the_model_nothing(tmp_path: Path, protocol: str) -> None:
    run = scored(tmp_path, "lost", protocol)
    summary, good = summarise(run), of(run, "Geometry", "good")["raw"]
    for column in COLUMNS:
        assert (of(run, column)["status"], of(run, column)["code"]) == ("unscored", "of-the-instrument")
        score = summary.metrics[column]
        assert score.value == pytest.approx(of(run, column, "good")["raw"]), "of the clip that was measured"
        assert score.bounds == pytest.approx((score.value / 2, (score.value + 1) / 2))
    assert summary.metrics["Geometry"].value == good
    assert judge_file(run, tmp_path) is None, "nor is it a 0 in the authors' form"
    (row,) = (one.row() for one in read_official(tmp_path / "official") if one.domain == "general")
    assert row["geometry"] == pytest.approx(good, abs=1e-4) and row["geometry_failed"] == 0


@pytest.mark.parametrize(("kind", "status"), [("black", "unscored"), ("flat", "unscored"), ("single", "invalid")])
def test_a_clip_that_shows_nothing_is_zero_with_any_instrument(tmp_path: Path, kind: str, status: str) -> None:
    run = scored(tmp_path, kind, "published")
    summary = summarise(run)
    for column in COLUMNS:
        assert (of(run, column)["status"], of(run, column)["code"]) == (status, "of-the-clip")
        assert summary.metrics[column].value == pytest.approx(of(run, column, "good")["raw"] / 2)
        assert summary.metrics[column].bounds is None
    found = judge_file(run, tmp_path)
    assert found is not None and found["final_score"] == found["gs_score"] == 0


def test_by_the_paper_nothing_is_zero_without_a_number(tmp_path: Path) -> None:
    summary = summarise(scored(tmp_path, "black", "paper"))
    score: Summary | Any = summary.metrics["Geometry"]
    assert score.value is not None and score.bounds is not None and score.bounds[0] == pytest.approx(score.value / 2)


def test_a_video_that_cannot_be_read_has_no_file_and_does_not_count(tmp_path: Path) -> None:
    run = scored(tmp_path, "good", "published", poses="stub_path")
    video = tmp_path / "outputs_batch" / LOST / "longlive_gen_lost.mp4"
    video.write_bytes(video.read_bytes()[:200])
    run = scored_again(tmp_path)
    assert of(run, "Geometry")["status"] == "invalid" and not of(run, "Geometry").get("code")
    assert summarise(run).metrics["Geometry"].value == of(run, "Geometry", "good")["raw"]


def scored_again(root: Path) -> Run:
    job = build_job(
        root / "longlive.json", benchmark="worldolympiad", data=root / "outputs_batch", protocol="published",
        metrics=",".join(COLUMNS), judge=f"scripted:{HERE / 'scripted_judge.py'}:answer", store=root / "store",
        out=root / "again", includes=[HERE / "stub_networks.py"],
        use=["phrase_follower=stub_boxes", "poses=stub_path", "reconstruction=stub_reconstruction"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return Run(root / "again")


def test_an_answer_that_cannot_be_read_is_zero_as_released(tmp_path: Path) -> None:
    run = scored(tmp_path, "good", "published", poses="stub_path", judge="no_meta")
    assert of(run, "Meta")["code"] == of(run, "Geometry")["code"] == "no-answer"
    scores = summarise(run).metrics
    assert (scores["Meta"].value, scores["Geometry"].value, scores["GS"].value) == (0, 0, 0.6)
