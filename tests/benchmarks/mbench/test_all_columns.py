"""All twelve scores and all totals in one run over gauge blocks, and what is told of clips that have none.

Networks are small and random, saved by the test and loaded by the real code; a process of the tests' own answers for
Depth Anything 3, and the judge is a script.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mbench.block_run import made_blocks, run_over
from isolated.conftest import DOUBLE
from worldgauge.benchmarks.mbench.official.metric_ids import scores_of
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.run_folder import Run
from worldgauge.engine.evidence import stored_evidence
from worldgauge.engine.store import Store
from worldgauge.report.summary import Summary, summarise
from worldgauge.report.tables import build_table

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnxruntime")

T_OBJECT, T_HUMAN, T_ENVIRONMENT, T_CAUSAL, A_OBJECT, A_HUMAN, A_ENVIRONMENT, A_CAUSAL = range(8)
"""Numbers of the first block's cases; the next block's are eight more."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong at which worlds."""

    missing: frozenset[int]
    no_trigger: frozenset[int]
    no_evolution: frozenset[int]
    """Whose answer nobody can read."""
    no_poses: frozenset[int]
    """At whose clip, a frame longer than the others, the camera's process dies."""
    no_words: frozenset[int]
    """At whose captions the network for words raises."""


FEW = Faults(*map(frozenset, ({A_OBJECT}, {T_OBJECT}, {A_CAUSAL}, {A_ENVIRONMENT}, ())))
MANY = Faults(
    missing=frozenset({T_OBJECT, 8 + T_HUMAN, 16 + A_ENVIRONMENT, 24 + A_CAUSAL, 32 + T_ENVIRONMENT}),
    no_trigger=frozenset({8 + T_OBJECT, 16 + T_CAUSAL}),
    no_evolution=frozenset({8 + A_CAUSAL}),
    no_poses=frozenset({24 + A_ENVIRONMENT}),
    no_words=frozenset({8 + T_CAUSAL}),
)
OF_WORDS = {"t_text", "a_text"}
OF_POSES = {
    *("a_geometry", "t_geometry", "a_epipolar", "t_epipolar", "a_reprojection", "t_reprojection", "a_lighting"),
    *("a_action", "a_action_turning", "a_executed", "a_epipolar_turning", "a_reprojection_turning"),
    *("a_geometry_left", "a_epipolar_left", "a_reprojection_left", "a_lighting_left"),
    *("a_trigger_geometric", "a_trigger_geometric_environment"),
}
NAMES = ("texture", "identity")
OF_EVOLUTION = {"a_state", "a_correctness", "a_state_forward"}


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    from instruments.neural.weight_folder import write_weights

    folder = tmp_path_factory.mktemp("weights")
    (folder / "double").mkdir()
    for name in ("model.safetensors", "config.json"):
        (folder / "double" / name).write_text("{}")
    double = f"depth_anything_3_giant={folder / 'double' / 'model.safetensors'}"
    return f"{write_weights(folder / 'networks')} {double}"


@pytest.fixture(autouse=True)
def _placed(weights: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"WORLDGAUGE_WEIGHTS": weights, "WORLDGAUGE_ENVIRONMENTS": f"depth-anything-3={DOUBLE}"}
    # Its camera turns left and back, beside its way out, so that views of one place have a baseline.
    given |= {"DOUBLE_FOLD": "1", "DOUBLE_TURN": "-24"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    # Six times as small as the official size, and a CPU is done with it sooner.
    monkeypatch.setattr("worldgauge.instruments.neural.grounding_dino.SHORTER", 128)


def all_scores_and_totals(summary: Summary) -> None:
    """Twelve scores (eleven of each setting), M-Scores, groups and totals, by the tree as it is."""
    scores = {name: score.value for name, score in summary.scores.items()}
    # What never leaves the picture has no return.
    assert {name for name, value in scores.items() if value is None} <= {f"{s}_{n}_return" for s in "ta" for n in NAMES}
    named = {one.score for setting in "ta" for one in scores_of(setting)}
    assert len(named) == 12
    for setting in "ta":
        columns = [f"{setting}_{one.score}" for one in scores_of(setting)]
        assert len(columns) == 11 and scores.keys() >= {*columns, *(f"{name}_m" for name in columns)}
        groups = [scores[f"{setting}_{name}"] for name in ("entity", "environment", "causal")]
        assert scores[f"{setting}_total"] == pytest.approx(sum(groups) / 3)
        assert 0 < scores[f"{setting}_total"] < 100


def run_with(faults: Faults, folder: Path, made: Any, frames: int, patch: pytest.MonkeyPatch, **flags: Any) -> Run:
    """A run in which all of that goes wrong."""
    from worldgauge.instruments.neural.clip import ClipB32Text

    unreadable = [f"trigger:{k}" for k in faults.no_trigger] + [f"evolution:{k}" for k in faults.no_evolution]
    patch.setenv("UNREADABLE", " ".join(unreadable))
    patch.setenv("DOUBLE_FAULT", "kill")
    patch.setenv("DOUBLE_FAULT_FRAMES", str(frames + 1))
    sound = ClipB32Text.similarities

    def similarities(self: Any, frames: Any, texts: Any) -> Any:
        if any(f"World {number}," in texts[0] for number in faults.no_words):
            raise RuntimeError("the network for words crashes")
        return sound(self, frames, texts)

    patch.setattr(ClipB32Text, "similarities", similarities)
    cases, videos = made
    there = {case.id: videos[case.id] for number, case in enumerate(cases) if number not in faults.missing}
    return run_over(folder, cases, there, **flags)


def expected_statuses(faults: Faults, column: str, count: int) -> Counter[str]:
    """By hand: what becomes of every case that a column is about."""
    uses = {use.id: use for use in read_benchmark_file("mbench").metrics}
    about = [number for number in range(count) if _about(uses[column].cases, number)]
    return Counter(_status(faults, uses, column, number) for number in about)


def _about(wanted: dict[str, str], number: int) -> bool:
    subsets = ("object", "human", "environment", "causal")
    tags = {"setting": "TA"[number % 8 // 4], "subset": subsets[number % 4]}
    return all(tags[tag] == value for tag, value in wanted.items())


def _status(faults: Faults, uses: dict[str, Any], column: str, number: int) -> str:
    condition = uses[column].given
    if number in faults.missing:
        return "missing"
    if (column in OF_POSES and number in faults.no_poses) or (column in OF_WORDS and number in faults.no_words):
        return "error"
    asked = column.startswith("t_trigger_") and column != "t_trigger_text"
    unread = (asked and number in faults.no_trigger) or (column in OF_EVOLUTION and number in faults.no_evolution)
    # Where nobody knows whether a clip counts, nobody knows its number.
    unknown = bool(condition) and _status(faults, uses, condition, number) in ("unscored", "error")
    return "unscored" if unread or unknown else "ok"


def told_statuses(summary: Summary, column: str) -> dict[str, int]:
    return {status: count for status, count in summary.metrics[column].statuses.items() if status != "skipped"}


FRAMES = 6


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Eight cases of one block, and their clips."""
    return made_blocks(tmp_path_factory.mktemp("block"), 1, FRAMES, longer=FEW.no_poses)


def test_every_score_and_total_of_one_block(block: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.instruments.neural.grounded_sam2 import GroundedSam2Masks

    asked: list[str] = []
    sound = GroundedSam2Masks.segment
    monkeypatch.setattr(
        GroundedSam2Masks, "segment", lambda self, frames, *more: asked.extend(more[0]) or sound(self, frames, *more)
    )
    run = run_over(tmp_path, *block)
    summary = summarise(run)
    all_scores_and_totals(summary)
    assert run.file.instruments["track"] == "sam2_hiera_b_plus_track"
    assert run.file.instruments["depth"] == "depth_anything_3_giant_depth"
    assert asked == ["person"] * 2 * FRAMES, "the frames of the two clips with people, and nobody else's"
    notes = " ".join(build_table([summary]).notes)
    assert "depth_anything_3_giant through a test double, not the authors' code" in notes
    drawn(run, tmp_path / "store")


def drawn(run: Run, store: Path) -> None:
    """What the case pages show of it: pairs of both settings, the way of the camera of action clips."""
    shown = {}
    for case, source in run.sources().items():
        figures = stored_evidence(Store(store))(run, source).figures
        shown["/".join(case.split("/")[:2])] = sorted(figure.title for figure in figures)
    target, pairs, way = "Target in view", "Views that are compared", "Yaw over frames"
    assert shown["A/object"] == [target, pairs, way] and shown["A/environment"] == [pairs, way]
    assert shown["A/human"] == shown["A/causal"] == [way], "their scores compare no views"
    assert shown["T/object"] == shown["T/environment"] == [pairs]
    assert shown["T/human"] == shown["T/causal"] == []


def test_what_is_told_of_clips_without_a_number(block: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ["t_trigger_object", "t_trigger_causal", "t_state", "a_state", "a_correctness", "a_action"]
    summary = summarise(run_with(FEW, tmp_path, block, FRAMES, monkeypatch, metrics=columns))
    for column in columns:
        assert told_statuses(summary, column) == expected_statuses(FEW, column, 8), column
    assert summary.metrics["a_action"].statuses == {"ok": 2, "skipped": 4, "missing": 1, "error": 1}
    assert summary.metrics["a_action"].coverage_in_words == "2/4"
    assert summary.metrics["t_trigger_object"].value is None
    assert summary.metrics["t_trigger_object"].bounds == (0.0, 100.0), "its answer cannot be read"
    # A clip that is not there did not trigger: it lowers the rate and leaves the reliability, so nothing is open.
    assert summary.metrics["a_action"].bounds is None


@pytest.mark.nightly
def test_forty_cases_of_both_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five videos are missing, three answers cannot be read, two tools crash."""
    assert (len(MANY.missing), len(MANY.no_trigger | MANY.no_evolution), len(MANY.no_poses | MANY.no_words)) == (
        5,
        3,
        2,
    )
    made = made_blocks(tmp_path / "data", 5, 12, longer=MANY.no_poses)
    run = run_with(MANY, tmp_path, made, 12, monkeypatch)
    summary = summarise(run)
    assert run.file.cases == 40
    all_scores_and_totals(summary)
    for column in summary.metrics:
        expected = expected_statuses(MANY, column, 40)
        assert told_statuses(summary, column) == expected, column
        assert summary.metrics[column].coverage == pytest.approx(expected["ok"] / expected.total()), column
    for total in ("t_total", "a_total"):
        low, high = summary.scores[total].bounds
        assert low < summary.scores[total].value < high
