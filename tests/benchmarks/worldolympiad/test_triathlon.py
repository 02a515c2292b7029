"""All three tracks together: three models, twelve cases in the released layout, a scripted judge and tiny networks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.worldolympiad.released_tree import write_case
from helpers import records
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.analyses.domain_tables import domain_cells
from worldgauge.benchmarks.worldolympiad.analyses.sensitivity import Parts, sensitivity
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.benchmarks.worldolympiad.formulas.failure_tags import TAGS
from worldgauge.benchmarks.worldolympiad.official.write import write_official
from worldgauge.core.run_folder import Run
from worldgauge.engine.evidence import stored_evidence
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.engine.store import Store
from worldgauge.report.html.source import ReportSource
from worldgauge.report.html.write import write_report
from worldgauge.report.summary import summarise

HERE = Path(__file__).parent
MODELS = ("longlive", "matrix_game2", "wow")
CASES = {
    **{f"gaming/g{k}_part1": chunks for k, chunks in enumerate((1, 2, 3, 2))},
    **{f"embodied/arm_fold_{k}": chunks for k, chunks in enumerate((7, 2, 3, 2))},
    **{f"general/yt{k}_part{k}": chunks for k, chunks in enumerate((3, 2, 2, 4))},
}
OFFICIAL = (
    "Physical", "Mechanics", "Thermotics", "Material", "gravity", "impact", "melting", "hardness", "GS", "Meta",
    "Camera", "Geometry", "Chunk", "Transition", "Global", "InteractJudged", "ClipRaw", "ClipAux", "PhysicalSubsets",
    "Interact", "All",
)  # fmt: skip
COLUMNS = ",".join(name for name in OFFICIAL if name not in ("PhysicalSubsets", "Interact", "All"))
USE = tuple(
    f"{seat}={name}"
    for seat, name in (
        ("phrase_follower", "stub_boxes"),
        ("text_image", "stub_likeness"),
        ("poses", "stub_path"),
        ("reconstruction", "stub_reconstruction"),
    )
)
BROKEN, NO_TIMES, DOWN = "g1_part1", "yt1_part1", "yt2_part2"


def judge(function: str) -> str:
    return f"scripted:{HERE / 'triathlon_judge.py'}:{function}"


def write_cases(root: Path, cases: dict[str, int], models: tuple[str, ...] = MODELS) -> Path:
    for name, chunks in cases.items():
        write_case(root / "outputs_batch" / name, chunks, models)
        (root / "outputs_batch" / name / "prompt.txt").write_text(f"A ball falls in the room of {Path(name).name}.")
    return root / "outputs_batch"


def run(tree: Path, model: str, function: str = "answer", protocol: str = "released") -> dict[Any, dict[str, Any]]:
    file = tree.parent / f"{model}.json"
    submission_of(tree, model, read_dataset(tree)).write(file)
    out = tree.parent / f"{protocol}-{model}"
    job = build_job(
        file, benchmark="worldolympiad", data=tree, protocol=protocol, metrics=COLUMNS, judge=judge(function),
        store=tree.parent / "store", out=out, includes=[HERE / "stub_networks.py"], use=list(USE),
    )  # fmt: skip
    execute(job, make_plan(job))
    return {(line["case"], line["metric"]): line for line in records(out)}


@pytest.mark.nightly
def test_three_models_and_twelve_cases_end_in_all_official_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))
    tree = write_cases(tmp_path, CASES)
    broken = tree / "gaming" / BROKEN / f"wow_gen_{BROKEN}.mp4"
    broken.write_bytes(broken.read_bytes()[:300])
    (tree / "general" / NO_TIMES / f"longlive_gen_{NO_TIMES}_chunk_timestamps.json").unlink()
    found = {}
    for model in MODELS:
        monkeypatch.setenv("JUDGE_DOWN", f"of {DOWN}" if model == "matrix_game2" else "")
        found[model] = run(tree, model)
    status = {model: {key: line["status"] for key, line in lines.items()} for model, lines in found.items()}
    assert {status["wow"][BROKEN, name] for name in ("Physical", "Camera", "Chunk", "ClipRaw")} == {"invalid"}
    assert status["longlive"][NO_TIMES, "Chunk"] == "unscored" and status["longlive"][NO_TIMES, "Physical"] == "ok"
    assert found["longlive"][NO_TIMES, "Chunk"]["code"] == "no-chunk-times"
    assert status["matrix_game2"][DOWN, "Chunk"] == "unscored" and status["matrix_game2"][DOWN, "Global"] == "ok"
    assert "connection refused" in found["matrix_game2"][DOWN, "Chunk"]["reason"]
    assert status["wow"]["g0_part1", "Transition"] == "skipped" and status["wow"]["g0_part1", "InteractJudged"] == "ok"
    seven = found["wow"]["arm_fold_0", "Chunk"]
    assert seven["status"] == "ok" and len(seven["curve"]) == 7
    runs = [Run(tmp_path / f"released-{model}") for model in MODELS]
    for one in runs:
        scores = summarise(one).scores
        assert all(scores[name].value is not None for name in OFFICIAL), [
            n for n in OFFICIAL if scores[n].value is None
        ]
    _check_domain_table(runs)
    # The outage is over: only what had no answer is asked.
    before = (tmp_path / "asked.jsonl").read_text().splitlines()
    monkeypatch.setenv("JUDGE_DOWN", "")
    again = run(tree, "matrix_game2")
    assert again[DOWN, "Chunk"]["status"] == "ok"
    _check_official(tmp_path, runs)
    _check_protocols(tree, monkeypatch)
    assert len(before) > 300
    parts = [Parts.of_run(one, tmp_path / "store") for one in runs]
    assert all(len(one.verdicts) >= 11 and len(one.levels) >= 10 for one in parts)
    assert sensitivity(parts)[0]["kendall"] == 1.0
    _check_case_page(tmp_path, runs)


def _check_domain_table(runs: list[Run]) -> None:
    cells = {(cell.domain, cell.model, cell.column): cell for cell in domain_cells(runs, OFFICIAL)}
    assert {domain for domain, _, _ in cells} == {"gaming", "robotics", "general", "all"}
    assert len(cells) == 4 * 3 * len(OFFICIAL)
    absent = [key for key, cell in cells.items() if cell.value is None]
    assert absent == []
    # One broken video: eleven of its own cases, ten that all three models have chunks of.
    wow = cells["all", "WoW", "Chunk"]
    assert (wow.cases, wow.common_cases) == (11, 9)
    assert cells["gaming", "WoW", "Chunk"].cases == 3
    gravity = cells["all", "LongLive", "gravity"]
    assert gravity.value == 1.0 and gravity.judgements == 12
    same = cells["all", "Matrix-Game 2.0", "ClipRaw"]
    assert same.value != same.common, "another set of cases"


def _check_official(root: Path, runs: list[Run]) -> None:
    """Our files carry our numbers: pooled rates as they are, interaction rounded to four decimals."""
    for one, model in zip(runs, MODELS, strict=True):
        files = write_official(one, root / "official", model, root / "store", allow_unofficial=True)
        assert len([file for file in files if file.name == "score_summary.json"]) == 3
    summary = json.loads((root / "official/batch_logs/general_longlive_unofficial/score_summary.json").read_text())
    cells = {(c.domain, c.column): c for c in domain_cells(runs[:1], ("InteractJudged", "ClipRaw", "Geometry"))}
    means = summary["scores"]
    cells |= {(c.domain, c.column): c for c in domain_cells(runs[:1], ("Combined", "All"))}
    # A case without chunk times has two tracks: its mean counts, which is not the mean of three columns.
    assert means["combined"]["mean"] == pytest.approx(cells["general", "Combined"].value, abs=1e-4)
    assert means["combined"]["mean"] != pytest.approx(cells["general", "All"].value, abs=1e-3)
    assert means["three_d"]["mean"] == pytest.approx(cells["general", "Geometry"].value, abs=1e-4)
    assert means["three_d"]["count"] == 4 and means["combined"]["count"] == 4
    assert means["interaction"]["mean"] == pytest.approx(cells["general", "InteractJudged"].value, abs=1e-4)
    assert means["clip_interaction"]["mean"] == pytest.approx(cells["general", "ClipRaw"].value, abs=1e-5)


def _check_protocols(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of the other protocols come of the same answers: only scenes without what moves are shown anew."""
    log = tree.parent / "asked_later.jsonl"
    monkeypatch.setenv("JUDGE_LOG", str(log))
    totals = {}
    for protocol in ("published", "paper"):
        run(tree, "longlive", protocol=protocol)
        scores = {name: one.value for name, one in summarise(Run(tree.parent / f"{protocol}-longlive")).scores.items()}
        physics = "PhysicalSubsets" if protocol == "paper" else "Physical"
        parts = [scores[name] for name in (physics, "Geometry", "Interact")]
        assert None not in parts
        totals[protocol] = scores["All"]
        assert scores["All"] == pytest.approx(np.mean(parts))
    assert totals["paper"] != totals["published"]
    asked = Counter(json.loads(line)[0] for line in log.read_text().splitlines()) if log.exists() else Counter[str]()
    assert set(asked) <= {"views", "meta"}


def _check_case_page(root: Path, runs: list[Run]) -> None:
    source = ReportSource(runs, evidence=stored_evidence(Store(root / "store")))
    evidence = source._evidence(0, "yt0_part0")
    titles = [figure.title for figure in evidence.figures]
    assert titles[:4] == ["Rules of physics", "Frames with boxes", "Reference with boxes", "Views of the rebuilt scene"]
    assert len([title for title in titles if title.startswith("Chunk ")]) == 3
    assert [len(figure.stills) for figure in evidence.figures[:4]] == [0, 8, 8, 9]
    views, meta = evidence.figures[3].lines
    assert views.startswith("views 0.") and meta.startswith("meta-view 0.") and views.endswith(": The room is seen.")
    chunk = next(figure for figure in evidence.figures if figure.title.startswith("Chunk 1"))
    assert len(chunk.stills) == 4 and chunk.lines[0].startswith("action W: part 1 of yt0") and len(chunk.lines) == 3
    drawn = np.asarray(evidence.figures[1].stills[0].picture())
    assert (drawn[..., 1].astype(int) - drawn[..., 0] > 60).any(), "boxes are drawn"
    assert evidence.recovered is not None and "reference" in evidence.paths
    assert evidence.marks and set(evidence.marks) <= set(TAGS)
    page = write_report(source, root / "page")
    assert page.is_file() and len(list((root / "page" / "media").glob("*-figure-*.jpg"))) > 100


@pytest.mark.nightly
def test_killed_in_each_track_it_goes_on_at_the_call(tmp_path: Path) -> None:
    tree = write_cases(tmp_path, {"general/c1": 3}, ("longlive",))
    submission_of(tree, "longlive", read_dataset(tree)).write(tmp_path / "longlive.json")
    command = [
        sys.executable, "-m", "worldgauge", "--include", str(HERE / "stub_networks.py"), "run", "longlive.json",
        "-b", "worldolympiad", "--data", str(tree), "-m", COLUMNS, "--judge", judge("answer"), "--store", "store",
        "--out", "run", "-w", "1", *(part for use in USE for part in ("--use", use)),
    ]  # fmt: skip
    log = tmp_path / "asked.jsonl"
    deaths = ("relevance:2", "compliance:1", "views:1", "chunk:2")
    for death in (*deaths, ""):
        env = {**os.environ, "JUDGE_LOG": str(log), "JUDGE_DIES": death}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120)
        assert (done.returncode != 0) == bool(death), done.stderr[-2000:]
    assert {line["status"] for line in records(tmp_path / "run")} <= {"ok", "skipped"}
    asked = Counter(log.read_text().splitlines())
    # Each death costs the question that was in the air, asked again; the names are asked of clip and reference.
    assert sum(asked.values()) - len(asked) <= len(deaths)
    assert {json.loads(line)[0] for line, count in asked.items() if count > 1} <= {d.partition(":")[0] for d in deaths}
