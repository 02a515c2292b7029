"""One frame in twenty is black or a flash: what a metric says of the world stays what it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.benchmarks.pocket.bench.bad_frames import (
    ABOUT_FRAMES,
    POINTS,
    columns,
    lines_of,
    records,
    spoilt,
)
from worldgauge.blocks.block import Block
from worldgauge.blocks.subjects import reference_frames
from worldgauge.blocks.write import make_cases
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.status import Status

SIZE, FRAMES, FPS = (224, 126), 33, 10.0
PLACES = (
    ("room", "away_left", "rolling"),
    ("street", "away_right", "crossing"),
    ("yard", "exit_wait_reenter", "windmill"),
    ("shelf", "head_turn", "inflating"),
    ("pool", "walk_past", "burning"),
)
OTHERS = {"object_identity": 0.02, "flow_magnitude": 0.07}
"""Metrics of the world that the pocket benchmark has no column for, and by which share they may move. In a clip that
speeds up and slows down nobody knows what moved in the pairs that are lost, only what moved before and after."""


def uses() -> list[MetricUse]:
    """Scores of the pocket benchmark, 0 to 100, and raw values of the others."""
    return [*columns(), *(MetricUse(id=name) for name in (*OTHERS, "psnr"))]


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(len(PLACES)))
def test_one_bad_frame_in_twenty_costs_nothing(number: int, tmp_path: Path) -> None:
    (case,) = make_cases(tmp_path, [Block(7300 + number, *PLACES[number], SIZE, FRAMES, FPS)])
    frames = reference_frames(case)
    changed, at = spoilt(frames, number)
    whole, hurt = records(uses(), case, frames, tmp_path / "whole"), records(uses(), case, changed, tmp_path / "hurt")
    scored = [use.id for use in uses() if whole[use.id].status is Status.OK]
    for name in [name for name in scored if name not in (*ABOUT_FRAMES, *OTHERS, "psnr")]:
        assert hurt[name].value == pytest.approx(whole[name].value, abs=POINTS), (name, at, hurt[name].reason)
    for name, share in OTHERS.items():
        assert hurt[name].value == pytest.approx(whole[name].value, rel=share), (name, at)
    after = case.reference.phases is not None and at[-1] >= case.reference.phases.back
    for name in (*ABOUT_FRAMES, "psnr"):
        if after or name != "return_fidelity":
            assert hurt[name].value < whole[name].value, name
    if "camera" in scored:
        assert hurt["camera"].left_out == pytest.approx(len(at) / FRAMES, abs=1e-6)
    assert "left out" in hurt["style"].reason and "left out" in hurt["motion"].reason


@pytest.mark.nightly
def test_half_of_the_frames_black_is_too_little(tmp_path: Path) -> None:
    (case,) = make_cases(tmp_path, [Block(7300, *PLACES[0], SIZE, FRAMES, FPS)])
    frames = reference_frames(case)
    frames[1::2] = 0
    found = records(uses(), case, frames, tmp_path / "store")
    for name in (
        "camera",
        "presence",
        "identity",
        "state",
        "colours",
        "motion",
        "direction",
        "steadiness",
        "lighting",
        "exposure",
        "stability",
    ):
        assert (found[name].status, found[name].code) == (Status.UNSCORED, TOO_FEW_FRAMES), name


def test_the_lines_tell_what_moves_and_what_gets_no_score() -> None:
    whole = {"camera": 90.0, "state": 80.0, "exposure": 99.0, "presence": None}
    draws = [
        {"at": [3, 7], "hurt": {"camera": 91.0, "state": 84.0, "exposure": 40.0, "presence": None}},
        {"at": [4, 9], "hurt": {"camera": None, "state": 80.0, "exposure": 50.0, "presence": 5.0}},
    ]
    assert list(lines_of([{"clip": "pool oracle", "whole": whole, "draws": draws}])) == [
        "pool oracle, frames [3, 7]: state 80.0 to 84.0",
        "pool oracle, frames [4, 9]: camera 90.0 to no score",
        "all columns within 2 points: 0 of 2 draws",
        "camera 1 of 2, state 1 of 2",
        "means over the draws move by: camera +1.00, state +2.00",
    ]
