"""Gauge blocks as cases, the judge that is told the truth, and what is declared about the scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import helpers
from worldgauge.benchmarks.mbench.data.case_parts import captions_of, legs_of
from worldgauge.benchmarks.mbench.formulas.action import action_scores, ideal_twists, twists
from worldgauge.benchmarks.mbench.on_blocks.cases import pose_block, pose_blocks
from worldgauge.benchmarks.mbench.on_blocks.declarations import PANELS
from worldgauge.benchmarks.mbench.on_blocks.measure import Workshop, on_blocks
from worldgauge.benchmarks.mbench.on_blocks.result import FILE_NAME, OnBlocks, page
from worldgauge.benchmarks.mbench.on_blocks.truth_judge import Seen, answers
from worldgauge.benchmarks.mbench.on_blocks.worlds import SETS, subjects_of
from worldgauge.blocks.block import Block
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.subjects import clip_path, make_subjects
from worldgauge.blocks.write import make_cases
from worldgauge.core.benchmark import ONLY_PROTOCOL, Benchmark, BenchmarkFile, MetricUse
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.metric import METRICS
from worldgauge.core.video import Video

DOCS = Path(__file__).parents[3] / "docs" / "benchmarks"
SHIPPED = Path(on_blocks.__code__.co_filename).with_name(FILE_NAME)
TWELVE = {
    "geometry", "texture", "identity", "appearance", "epipolar", "reprojection", "lighting", "style", "state",
    "correctness", "text", "action",
}  # fmt: skip


@pytest.fixture(scope="module")
def worlds(tmp_path_factory) -> list[Case]:
    """A world whose camera turns away from a thing that stands still, and one whose target the dark hides."""
    blocks = [
        Block(3, "room", "away_left", "standing_marked", (128, 72), 17, 5.0),
        Block(4, "yard", "lights_out", "melting", (96, 54), 17, 5.0),
    ]
    return make_cases(tmp_path_factory.mktemp("mbench_blocks"), blocks)


def test_a_block_is_a_case_of_both_settings(worlds):
    posed = {case.id: case for case in pose_blocks(worlds, subsets=("object",))}
    turning, dark = worlds
    assert list(posed) == [f"T/object/{turning.id}", f"A/object/{turning.id}", f"T/object/{dark.id}"]
    action = posed[f"A/object/{turning.id}"]
    assert (action.tags["condition"], action.tags["direction"]) == ("left_then_right", "left")
    assert posed[f"T/object/{dark.id}"].tags["hiding"] == "dimming"
    assert len(captions_of(action)) == 5 and "out of view" in captions_of(action)[2]
    x0, _, x1, _ = turning.reference.target.box
    assert action.extras["anchor"]["center_x"] == (x0 + x1) / 2 and action.extras["anchor"]["source"] == "gauge block"


def test_the_action_script_asks_for_what_the_camera_does(worlds):
    from worldgauge.core.cameras import CameraPath

    case = pose_block(worlds[0], "A", "object")
    path = CameraPath.load(case.path(case.condition.camera))
    found = twists(path.poses)
    scores = action_scores(found, ideal_twists(legs_of(case), len(found)))
    assert np.nanmin(scores) > 0.99 and np.isfinite(scores).sum() >= 4


def test_what_no_script_asks_for_is_refused(worlds):
    side = worlds[0].condition.model_copy(update={"actions": ("I",) * 17})
    with pytest.raises(WorldGaugeError, match="is no action case"):
        pose_block(worlds[0].model_copy(update={"condition": side}), "A", "object")
    with pytest.raises(WorldGaugeError, match="is not a gauge block"):
        pose_block(Case(id="a"), "T", "object")


def seen(clock, visible=None, turn=0.0) -> Seen:
    count = len(clock)
    poses = np.tile(np.eye(4), (count, 1, 1))
    angle = np.radians(turn) * np.sin(np.pi * np.linspace(0, 1, count))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angle)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angle), -np.sin(angle)
    shown = np.ones(count, bool) if visible is None else np.array(visible, bool)
    return Seen(shown, np.array(clock, np.float64), np.arange(count, dtype=np.float64), poses)


RUNNING, HIDDEN = np.arange(11.0), [1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]


def test_the_truth_of_a_process():
    assert answers("evolution", seen(RUNNING)) == {"state": 5, "plausibility": 5}
    assert answers("evolution", seen(RUNNING * 0)) == {"state": 1, "plausibility": 1}
    # Four of ten seconds are forgotten while nobody looks.
    reset = np.where(np.arange(11) < 7, np.minimum(RUNNING, 3), RUNNING - 4)
    assert answers("evolution", seen(reset, HIDDEN)) == {"state": 3, "plausibility": 3}
    # What nobody can see does not count.
    assert answers("evolution", seen(np.where(HIDDEN, RUNNING, 99), HIDDEN)) == {"state": 5, "plausibility": 5}
    assert answers("direction", seen(RUNNING[::-1])) == {"direction": "backward"}
    assert answers("direction", seen(RUNNING * 0)) == {"direction": "none"}


@pytest.mark.parametrize(
    ("question", "clip", "word"),
    [
        ("trigger_object", seen(RUNNING, HIDDEN), "yes"),
        ("trigger_object", seen(RUNNING), "no"),
        ("trigger_human", seen(RUNNING, [1] * 6 + [0] * 5), "no"),
        ("trigger_environment", seen(RUNNING, turn=60.0), "yes"),
        ("trigger_environment", seen(RUNNING), "no"),
        ("trigger_causal", seen(RUNNING), "yes"),
        ("trigger_causal", seen(RUNNING * 0), "no"),
    ],
)
def test_the_truth_of_a_challenge(question, clip, word):
    assert answers(question, clip) == {"trigger": word, "confidence": 100}


def test_every_score_has_a_fault_to_see_and_one_to_ignore():
    seeing, ignoring = set(), set()
    for panel in PANELS:
        assert panel.worlds in SETS
        for gauge in panel.gauges:
            name = METRICS.full_name(gauge.metric).removeprefix("mbench/")
            known = {"lighting_by_view": "lighting", "style_over_time": "style"}.get(name, name.removeprefix("named_"))
            seeing |= {known} if gauge.sees else set()
            ignoring |= {known} if gauge.ignores else set()
            assert {*gauge.sees, *gauge.ignores} <= set(FAULTS) and not set(gauge.sees) & set(gauge.ignores)
    assert seeing >= TWELVE and ignoring >= TWELVE
    assert {made.kind for made in SETS.values()} == {"returns", "layouts", "fixed"}


def test_the_oracle_has_the_geometry_of_a_still_target_and_a_teleported_one_has_not(worlds, tmp_path):
    case, shop = worlds[0], Workshop(tmp_path, lambda *_: None)
    subjects = subjects_of(("teleport",))
    folders = make_subjects([case], subjects, tmp_path / "subjects", views=shop.views)
    posed = [pose_block(case, "A", "object").model_copy(update={"id": subject.name}) for subject in subjects]
    videos = {name: Video(clip_path(folder, case)) for name, folder in folders.items()}
    setup = replace(shop.setup("run", videos), metrics=(MetricUse(id="geometry", use="mbench/geometry"),))
    run = shop.run(setup, Benchmark(BenchmarkFile(name="b"), tuple(posed)), videos, "m", ONLY_PROTOCOL)
    values = dict(zip(run.columns()["geometry"].cases, run.columns()["geometry"].values, strict=True))
    by_dose = [values[subject.name] for subject in subjects]
    assert by_dose[0] >= 0.95 and all(later < earlier for earlier, later in pairwise(by_dose)), by_dose
    told = {record["case"]: record["reason"] for record in run.records()}
    assert "rule fold" in told["oracle"] and "the target moved by" not in told["oracle"]
    assert "the target moved by" in told["teleport-0.25"]


@pytest.mark.nightly
def test_shape_on_six_worlds(tmp_path):
    panels = [panel for panel in PANELS if panel.name == "shape of objects, action"]
    found = on_blocks(Workshop(tmp_path, lambda *_: None, worlds=6), panels, trap=False)
    assert found.failures() == []
    (geometry,) = found.panels[0].gauges
    assert geometry.oracle >= 0.95
    for fault in ("teleport", "geometry_wobble"):
        means = [geometry.oracle, *(dose.mean for dose in geometry.response(fault).doses)]
        assert all(later < earlier for earlier, later in pairwise(means))


def test_subjects_are_the_oracle_and_every_dose():
    names = [subject.name for subject in subjects_of(("vanish", "lighting_drift"))]
    assert names == ["oracle", "vanish-1", "lighting_drift-0.5", "lighting_drift-1"]


def test_the_page_shows_what_is_shipped_or_says_that_nothing_is():
    shown = (DOCS / "mbench_calibration.md").read_text("utf-8")
    if not SHIPPED.is_file():
        assert "Not measured on 16 worlds of each set yet" in shown
        return
    shipped = OnBlocks.read(SHIPPED)
    # What does not hold is named here and on the page; anything else that fails is news.
    assert shipped.failures() == [] and shown == page(shipped)
    measured = {panel.name for panel in shipped.panels}
    assert [panel.name for panel in shipped.panels] == [panel.name for panel in PANELS if panel.name in measured]


def test_show_tells_what_a_score_was_found_to_see():
    printed = helpers.worldgauge_many(["show", "mbench/a_geometry"], ["show", "mbench/epipolar"])
    column, metric = (" ".join(text.split()) for text in printed)
    assert "a_geometry on 16 worlds (shape of objects, action; the truth sits in the seats): oracle" in column
    assert "teleport: seen from severity 0.02" in column and "must get worse, holds over 16 worlds" in column
    assert "lighting_drift" in metric and "DECLARATION FAILS, must stay still (the pocket matcher" in metric
