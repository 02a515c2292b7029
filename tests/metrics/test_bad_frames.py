"""One frame in twenty is black or a flash: what a metric says of the world stays what it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldgauge.blocks.block import Block
from worldgauge.blocks.subjects import reference_frames
from worldgauge.blocks.write import make_cases
from worldgauge.core.benchmark import MetricUse, read_benchmark_file, resolved_uses
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
ABOUT_FRAMES = {
    "return_fidelity": "a black frame is a wrong picture",
    "stability": "a point that goes dark does not keep its colour",
    "exposure": "a flash is a jump of brightness",
    "sharpness": "a black frame is not sharp",
}
"""Columns of the pocket benchmark that bad frames must cost something, and why."""
OTHERS = {"object_identity": 0.02, "flow_magnitude": 0.07}
"""Metrics of the world that the pocket benchmark has no column for, and by which share they may move. In a clip that
speeds up and slows down nobody knows what moved in the pairs that are lost, only what moved before and after."""


def columns() -> list[MetricUse]:
    """Scores of the pocket benchmark, 0 to 100, and raw values of the others."""
    file = read_benchmark_file("pocket")
    return [*resolved_uses(file, file.protocols[0]), *(MetricUse(id=name) for name in (*OTHERS, "psnr"))]


def records(case: Case, frames: np.ndarray, folder: Path) -> dict[str, Record]:
    seats = choose_seats("pocket")
    definitions = resolve(columns(), seats)
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
    scored = [use.id for use in columns() if whole[use.id].status is Status.OK]
    for name in [name for name in scored if name not in (*ABOUT_FRAMES, *OTHERS, "psnr")]:
        assert hurt[name].value == pytest.approx(whole[name].value, abs=2.0), (name, at, hurt[name].reason)
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
    found = records(case, frames, tmp_path / "store")
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
