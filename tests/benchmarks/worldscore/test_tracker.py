"""The official tracker as the released code feeds it, and what is made of its pool of edge errors."""

from __future__ import annotations

import numpy as np
import pytest

from instruments.neural.rule import image
from worldgauge.benchmarks.worldscore.formulas.image_fit import tracker_image, tracker_input
from worldgauge.benchmarks.worldscore.metrics.consistency import reprojection_error
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.official import official_uses
from worldgauge.engine.definitions import choose_seats
from worldgauge.instruments.neural.droid_slam import DroidSlam


@pytest.mark.parametrize(("width", "height"), [(512, 512), (720, 480), (832, 480), (400, 300), (270, 480)])
def test_frames_and_lens_are_prepared_as_released(width: int, height: int) -> None:
    seats = choose_seats("reference", (), official_uses(read_benchmark_file("worldscore"), "released"), "worldscore")
    instrument = seats.instrument("poses")
    assert isinstance(instrument, DroidSlam)
    _, size, intrinsics = tracker_input(width, height)
    assert instrument.working_size(width, height) == size
    assert instrument._intrinsics(instrument._assumed_lens((width, height))) == pytest.approx(intrinsics, rel=1e-12)
    frame = image("frame", height, width)
    assert np.array_equal(instrument._prepared(frame), tracker_image(frame))


def test_edge_errors_are_one_pool() -> None:
    cameras = {
        "pairs": np.array([(0, 2), (2, 0), (0, 4), (4, 0), (2, 4)]),
        "distance": np.array([1.0, 2.0, 3.0, 5.0, 0.0]),
        "sightings": np.array([10.0, 10.0, 30.0, 50.0, 0.0]),
    }
    found = reprojection_error.function(None, cameras)
    assert found.value == pytest.approx((10 + 20 + 90 + 250) / 100)
    assert (found.curve, list(found.frames)) == ((2.5, 2.0, 5.0), [0, 2, 4])
    assert found.reason == "100 sightings along 5 pairs of frames"
