"""The notes explain every place where code, tables and paper disagree, and what they say is so."""

from __future__ import annotations

import pytest

from worldgauge.benchmarks.worldolympiad.formulas.adherence import FRAMES_PER_CHUNK
from worldgauge.benchmarks.worldolympiad.formulas.combination import AUX_FROM, AUX_TO, LAMBDA, clip_aux
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import JUDGE_FRAMES, MASK_FRAMES, RECONSTRUCTION_FRAMES
from worldgauge.benchmarks.worldolympiad.formulas.interaction import Levels, mean_of_levels, pooled_levels
from worldgauge.benchmarks.worldolympiad.formulas.physical import Verdict, case_summary, pooled
from worldgauge.benchmarks.worldolympiad.formulas.splat_views import render_lens, splat_views
from worldgauge.cli.show_benchmark import tree_lines
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.manifest import benchmarks
from worldgauge.core.status import Status

FILE = read_benchmark_file("worldolympiad")
NOTES = (benchmarks()["worldolympiad"].folder / "NOTES.md").read_text("utf-8")


def test_the_notes_explain_every_deviation() -> None:
    assert [one.id for one in FILE.deviations if f"| `{one.id}` |" not in NOTES] == []
    assert all(set(one.under) == set(FILE.protocols) for one in FILE.deviations)


@pytest.mark.parametrize("protocol", FILE.protocols)
def test_every_column_resolves(protocol: str) -> None:
    uses = {use.id: use for use in resolved_uses(FILE, protocol)}
    expected = "physical_case" if protocol == "released" else "physical_rate"
    assert uses["Physical"].use == f"worldolympiad/{expected}"
    assert uses["ClipAux"].scale is not None
    assert uses["ClipAux"].scale.level == ("case" if protocol == "paper" else "model")


def test_clip_is_scaled_after_rounding_the_mean() -> None:
    scale = next(use for use in resolved_uses(FILE, "published") if use.id == "ClipAux").scale
    assert scale is not None
    assert scale(0.23049) == pytest.approx(clip_aux(0.230))
    assert (AUX_FROM, AUX_TO, LAMBDA) == (0.2, 0.4, 0.1)


def test_numbers_of_frames() -> None:
    assert (RECONSTRUCTION_FRAMES, MASK_FRAMES, JUDGE_FRAMES, FRAMES_PER_CHUNK) == (32, 64, 8, 8)


def test_nothing_that_applies_is_a_half_under_released_and_nothing_elsewhere() -> None:
    verdicts = [Verdict("gravity", "mechanics", False)]
    assert case_summary(verdicts).score == 0.5
    assert pooled(verdicts).rate is None


def test_poolings_differ() -> None:
    levels = Levels((1.0, 1.0, 1.0), (1.0, 1.0), 5.0)
    assert pooled_levels(levels) == pytest.approx(10 / 6)
    assert mean_of_levels(levels) == pytest.approx(7 / 3)
    assert mean_of_levels(Levels((1.0,), (), 5.0)) == 3.0, "one chunk has no transition"


def test_a_wide_picture_gets_a_longer_lens() -> None:
    import numpy as np

    lens = np.array([[[403.0, 0, 252.0], [0, 403.0, 140.0], [0, 0, 1]]])
    _, focal = render_lens(lens)
    assert focal[0, 0] / 403 == pytest.approx(1.041, abs=1e-3)
    assert focal[0, 1] / 403 == pytest.approx(1.060, abs=1e-3)
    poses = np.tile(np.eye(4), (32, 1, 1))
    poses[:, 2, 3] = np.linspace(0, 2, 32)
    assert len(splat_views(poses, np.repeat(lens, 32, 0), False, None).focal) == 328


@pytest.mark.parametrize("protocol", FILE.protocols)
def test_the_total_is_the_mean_of_three_columns(protocol: str) -> None:
    total = next(group for group in FILE.under_protocol(protocol).groups if group.id == "All")
    interaction = "InteractJudged" if protocol == "released" else "Interact"
    physics = "PhysicalSubsets" if protocol == "paper" else "Physical"
    assert total.of == {physics: 1.0, "Geometry": 1.0, interaction: 1.0}


def test_the_definition_tells_what_the_total_is_made_of_in_every_protocol() -> None:
    lines = [line.strip() for line in tree_lines(FILE, "All")]
    assert "under released: 33.3% Physical, 33.3% Geometry, 33.3% InteractJudged" in lines
    assert "under paper: 33.3% PhysicalSubsets, 33.3% Geometry, 33.3% Interact" in lines


def test_a_failure_counts_as_zero_in_four_columns_of_two_protocols() -> None:
    zero = {
        (use.id, protocol): use.policy_for(FILE.policy, {}, protocol).rule(Status.UNSCORED, "no-answer") == 0.0
        for use in FILE.metrics
        for protocol in FILE.protocols
    }
    assert {key for key, counts in zero.items() if counts} == {
        (column, protocol) for column in ("GS", "Meta", "Camera", "Geometry") for protocol in ("released", "published")
    }
    camera = next(use for use in FILE.metrics if use.id == "Camera")
    assert camera.policy_for(FILE.policy, {}, "released").rule(Status.UNSCORED, "unavailable") == "exclude"
