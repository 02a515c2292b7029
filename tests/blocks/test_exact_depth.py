"""True depth as an instrument: found by the frame's own pixels, and nothing is made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldgauge.blocks.block import Block
from worldgauge.blocks.exact_depth import SHRINK, RenderedDepth
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects
from worldgauge.blocks.write import make_cases
from worldgauge.core.errors import Unscored
from worldgauge.core.video import Video


def test_depth_of_what_a_subject_shows(tmp_path: Path) -> None:
    block = Block(3, "room", "away_left", "rolling", (96, 54), 9, 4.0)
    (case,) = make_cases(tmp_path / "worlds", [block])
    frozen = Subject("frozen_camera", 1.0)
    make_subjects([case], [Subject(), frozen], tmp_path / "subjects", depths=tmp_path / "depth")
    instrument, truth = RenderedDepth(folder=str(tmp_path / "depth")), block.render().depth

    shown = list(Video(clip_path(tmp_path / "subjects" / "oracle", case)).frames())
    for k in (0, 4, 8):
        expected = 1 / truth[k][::SHRINK, ::SHRINK]
        np.testing.assert_allclose(instrument.depth(shown[k]), expected, rtol=2e-3)

    # A camera that stands still sees the depth of the first frame all along, but for the thing that moves.
    still = list(Video(clip_path(tmp_path / "subjects" / frozen.name, case)).frames())
    same = np.isclose(instrument.depth(still[4]), 1 / truth[0][::SHRINK, ::SHRINK], rtol=2e-3).mean()
    assert same > 0.85 > np.isclose(truth[4], truth[0], rtol=2e-3).mean()


def test_a_frame_that_was_not_rendered_has_no_depth(tmp_path: Path) -> None:
    with pytest.raises(Unscored):
        RenderedDepth(folder=str(tmp_path)).depth(np.zeros((9, 16, 3), np.uint8))


def test_where_the_maps_lie_changes_no_key(tmp_path: Path) -> None:
    assert RenderedDepth(folder="a").identity() == RenderedDepth(folder="b").identity()
    assert RenderedDepth(folder=str(tmp_path / "none")).unavailable()
