"""The official tracker as the released code feeds it, and what is made of its pool of edge errors."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from instruments.neural.rule import image
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
    # As large as 512x512, whole pixels, cut to multiples of eight; 500 and 256 px of the frame, whatever its size.
    factor = math.sqrt(512 * 512 / (height * width))
    across, down = int(width * factor), int(height * factor)
    assert instrument.working_size(width, height) == (across - across % 8, down - down % 8)
    expected = (500 * across / width, 500 * down / height, 256 * across / width, 256 * down / height)
    assert instrument.intrinsics(instrument.assumed_lens((width, height))) == pytest.approx(expected, rel=1e-12)
    frame = image("frame", height, width)
    cut = cv2.resize(frame, (across, down))[: down - down % 8, : across - across % 8]
    assert np.array_equal(instrument.prepared(frame), cut)


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
