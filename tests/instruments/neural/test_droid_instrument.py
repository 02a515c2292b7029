"""DROID-SLAM as an instrument on a small random network: real loading, sizes, lens, one run for poses and errors."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from instruments.little_world import clip_of
from instruments.neural.droid_known import checkpoint
from instruments.neural.rule import image
from worldgauge.core.errors import Unscored
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.engine.selftest import selftest
from worldgauge.functional.lens import Lens
from worldgauge.instruments.neural.droid_slam import DroidSlam
from worldgauge.signals.poses import poses, rigid_cameras

SMALL = {"area": 128 * 136, "batch": 4, "filter_threshold": -1.0}
FRAMES = [image("walk", 128, 136, 2 * k, 3 * k) for k in range(10)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights") / "droid.pth"
    torch.save(dict(checkpoint(8)), place)
    return place


@pytest.fixture(autouse=True)
def _placed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", f"droid_slam={file}")


@pytest.mark.parametrize(
    ("count", "edges"),
    [(3, 6), pytest.param(10, 40, marks=pytest.mark.nightly)],
    ids=["shorter than the warm-up", "longer"],
)
def test_random_weights_give_poses_and_one_pool_of_edge_errors(count: int, edges: int) -> None:
    instrument = DroidSlam(**SMALL)
    assert instrument.unavailable() is None
    found = instrument.trajectory(FRAMES[:count])
    again = pickle.loads(pickle.dumps(instrument)).trajectory(FRAMES[:count])
    assert np.array_equal(found.poses, again.poses), "the same input twice gives the same numbers"
    assert found.poses.shape == (count, 4, 4) and np.isfinite(found.poses).all()
    turned = found.poses[:, :3, :3]
    assert np.allclose(turned @ turned.swapaxes(1, 2), np.eye(3), atol=1e-9)
    assert found.pairs is not None
    assert len(found.pairs) == len(found.distance) == len(found.sightings) >= edges, "not one value per frame"
    assert {abs(i - j) for i, j in found.pairs.tolist()} >= set(range(1, min(count, 4)))
    assert found.sightings.max() <= 16 * 17
    assert ((found.confidence > 0) & (found.confidence < 1)).all()
    assert found.lens_source == "assumed"


def test_the_signal_hands_over_whole_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instrument = DroidSlam(**SMALL, focal=500.0, centre=256.0)
    seen: list[tuple[int, ...]] = []
    wide = [np.tile(frame, (1, 6, 1))[:, :800] for frame in FRAMES[:2]]

    def prepared(self: DroidSlam, frame: np.ndarray) -> np.ndarray:
        seen.append(frame.shape)
        return np.ascontiguousarray(frame[:128, :136])

    monkeypatch.setattr(DroidSlam, "prepared", prepared)
    monkeypatch.setattr(DroidSlam, "working_size", lambda self, width, height: (136, 128))
    clip = clip_of(wide, tmp_path).under(poses.frames)
    path = poses.function(clip, instrument)
    assert set(seen) == {(128, 800, 3)}, "not shrunk to the 640 px that corners are followed at"
    assert path["intrinsics"][0, 0] == 500.0 and path["intrinsics"][0, 2] == 256.0
    cameras = rigid_cameras.function(path)
    assert np.array_equal(cameras["pairs"], path["pairs"])


def test_errors_come_out_in_the_trackers_own_pixels() -> None:
    """At an area of 512x512 the signal's unit undoes the instrument's, whatever the frame's size."""
    width, height = 832, 480
    scale = DroidSlam()._scale(width, height)
    assert (8 / scale) / (8.0 * math.sqrt(width * height / (512 * 512))) == pytest.approx(1.0, abs=1e-15)


def test_a_given_lens_is_used_and_a_usual_one_otherwise() -> None:
    instrument = DroidSlam(**SMALL)
    usual = instrument.assumed_lens((640, 360))
    assert usual.centre == (320, 180) and 2 * math.degrees(math.atan(320 / usual.focal)) == pytest.approx(60)
    given = Lens(300.0, (70.0, 60.0), (136, 128))
    assert instrument.trajectory(FRAMES[:2], given).lens == given


@pytest.mark.parametrize(("width", "height"), [(2000, 100), (60, 1900)])
def test_strips_are_refused_in_one_line(width: int, height: int) -> None:
    with pytest.raises(Unscored, match="needs 128 px on each side"):
        DroidSlam().trajectory([np.zeros((height, width, 3), np.uint8)] * 3)


def test_a_clip_in_which_nothing_changes_is_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unscored, match="no two frames differ"):
        DroidSlam(**SMALL | {"filter_threshold": 1e6}).trajectory(FRAMES[:3])


def test_poses_that_are_no_numbers_are_unscored() -> None:
    instrument = DroidSlam(**SMALL)
    with torch.no_grad():
        instrument.network.network.update.weight[2].bias.fill_(torch.nan)
    with pytest.raises(Unscored, match="diverged"):
        instrument.trajectory(FRAMES[:2])


@pytest.mark.nightly
def test_the_selftest_tries_it_on_small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INSTRUMENTS, "names", lambda: ["droid_slam"])
    tried = list(selftest())
    assert [(one.instrument, one.status, one.told) for one in tried] == [("droid_slam", "ok", "on the CPU")]
