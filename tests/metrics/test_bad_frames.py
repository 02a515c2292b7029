"""One frame in twenty is black or a flash: what a metric says of the world stays what it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldgauge.blocks.block import Block
from worldgauge.blocks.subjects import reference_frames
from worldgauge.blocks.write import make_cases
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.record import Record
from worldgauge.core.status import Status
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats, resolve
from worldgauge.engine.evaluate import evaluate
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store

SIZE, FRAMES, FPS = (224, 126), 33, 10.0
PLACES = (
    ("room", "away_left", "rolling"),
    ("street", "away_right", "crossing"),
    ("yard", "exit_wait_reenter", "windmill"),
    ("shelf", "head_turn", "inflating"),
    ("pool", "walk_past", "burning"),
)
OF_THE_WORLD = ("camera_control", "object_presence", "object_identity", "return_identity", "style_consistency")
"""Metrics of the world, whose scores lie between 0 and 1: a point is a hundredth."""
OF_MOTION = ("flow_magnitude", "flow_consistency")
"""Likewise, in pixels."""
OF_PICTURES = ("psnr", "ssim", "warp_error", "picture_quality")
"""Metrics of the pictures themselves: a black frame is a wrong picture."""


def records(case: Case, frames: np.ndarray, folder: Path) -> dict[str, Record]:
    seats = choose_seats("pocket")
    definitions = resolve([MetricUse(id=name) for name in (*OF_THE_WORLD, *OF_MOTION, *OF_PICTURES)], seats)
    inputs = CaseInputs(case, Video.from_array(frames, layout="THWC", fps=FPS))
    perception = Perception(inputs, seats, Store(folder), Loaded(seats, "cpu"))
    return {definition.id: evaluate(definition, inputs, perception) for definition in definitions}


def spoilt(frames: np.ndarray, seed: int) -> tuple[np.ndarray, list[int]]:
    """One frame in twenty, never the first or the last, black and white in turn."""
    count = round(len(frames) / 20)
    at = np.random.default_rng(seed).choice(np.arange(1, len(frames) - 1), count, replace=False)
    changed = frames.copy()
    for k, frame in enumerate(sorted(at.tolist())):
        changed[frame] = 0 if k % 2 == 0 else 255 - (255 - frames[frame]) // 4
    return changed, sorted(at.tolist())


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(len(PLACES)))
def test_one_bad_frame_in_twenty_costs_nothing(number: int, tmp_path: Path) -> None:
    (case,) = make_cases(tmp_path, [Block(7300 + number, *PLACES[number], SIZE, FRAMES, FPS)])
    frames = reference_frames(case)
    changed, at = spoilt(frames, number)
    whole, hurt = records(case, frames, tmp_path / "whole"), records(case, changed, tmp_path / "hurt")
    for name in OF_THE_WORLD:
        if whole[name].status is Status.OK:
            assert hurt[name].value == pytest.approx(whole[name].value, abs=0.02), (name, at, hurt[name].reason)
    # In a clip that speeds up and slows down, what four pairs moved less the mean of the others shows.
    assert hurt["flow_magnitude"].value == pytest.approx(whole["flow_magnitude"].value, rel=0.15)
    if whole["camera_control"].status is Status.OK:
        assert hurt["camera_control"].left_out == pytest.approx(len(at) / FRAMES, abs=1e-6)
    assert "left out" in hurt["style_consistency"].reason
    assert hurt["warp_error"].value > 2 * whole["warp_error"].value
    assert hurt["psnr"].value < whole["psnr"].value


@pytest.mark.nightly
def test_half_of_the_frames_black_is_too_little(tmp_path: Path) -> None:
    (case,) = make_cases(tmp_path, [Block(7300, *PLACES[0], SIZE, FRAMES, FPS)])
    frames = reference_frames(case)
    frames[1::2] = 0
    found = records(case, frames, tmp_path / "store")
    for name in (*OF_THE_WORLD, *OF_MOTION, "warp_error"):
        assert (found[name].status, found[name].code) == (Status.UNSCORED, TOO_FEW_FRAMES), name
