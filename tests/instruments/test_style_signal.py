"""Style distances of a clip, and the empty faces seat."""

from pathlib import Path

import numpy as np
import pytest

from instruments.little_world import clip_of, texture
from worldgauge.core.case import Case
from worldgauge.core.errors import Unavailable, Unscored
from worldgauge.core.instrument import INSTRUMENTS, instrument_sets
from worldgauge.core.metric import METRICS
from worldgauge.core.signal import Arrays
from worldgauge.instruments.pocket.style import FilterBankStyle
from worldgauge.signals.faces import frame_faces
from worldgauge.signals.style import style_distances
from worldgauge.signals.usable import usable_frames


def distances(frames: list[np.ndarray], folder: Path) -> Arrays:
    clip = clip_of(frames, folder)
    found: Arrays = style_distances.function(clip, usable_frames.function(clip), FilterBankStyle())
    return found


def consistency(frames: list[np.ndarray], folder: Path) -> float:
    value = distances(frames, folder)
    assert all(np.isfinite(array).all() for array in value.values())
    return METRICS.get("style_consistency").function(Case(id="x"), value).value


def test_distances_to_first_and_previous(tmp_path: Path) -> None:
    frames = [texture(96, 128), texture(96, 128), texture(96, 128) // 2]
    value = distances(frames, tmp_path)
    layers = len(value["channels"])
    assert value["to_first"].shape == value["to_previous"].shape == value["size"].shape == (3, layers)
    assert not value["to_first"][:2].any() and not value["to_previous"][:2].any()
    np.testing.assert_array_equal(value["to_first"][2], value["to_previous"][2])
    # Halving every response quarters a Gram matrix: the distance is three quarters of its size.
    np.testing.assert_allclose(value["to_first"][2], 0.75 * value["size"][0], rtol=0.02)


def test_consistency_falls_as_the_style_drifts(tmp_path: Path) -> None:
    frame = texture(96, 128)
    poster = (frame // 64 * 64).astype(np.uint8)
    still = consistency([frame, frame, frame], tmp_path / "still")
    half = consistency([frame, frame, poster], tmp_path / "half")
    whole = consistency([frame, poster, poster], tmp_path / "whole")
    assert still == 1 and still > half > whole


@pytest.mark.parametrize("kind", ["black", "noise"])
def test_degenerate_frames(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frames = [np.zeros((60, 80, 3), np.uint8)] * 2
    if kind == "noise":
        frames = [rng.integers(0, 256, (60, 80, 3), dtype=np.uint8) for _ in range(2)]
    with pytest.raises(Unscored, match="only 0 of 2 frames are usable"):
        consistency(frames, tmp_path)


def test_a_blank_frame_is_left_out_even_the_first(tmp_path: Path) -> None:
    frame, black = texture(96, 128), np.zeros((96, 128, 3), np.uint8)
    poster = (frame // 64 * 64).astype(np.uint8)
    whole = consistency([frame, frame, poster], tmp_path / "whole")
    assert consistency([black, frame, frame, poster], tmp_path / "first") == pytest.approx(whole)
    assert consistency([frame, frame, black, poster], tmp_path / "middle") == pytest.approx(whole)


def test_one_frame_is_unscored(tmp_path: Path) -> None:
    with pytest.raises(Unscored):
        consistency([texture(60, 80)], tmp_path)


def test_the_faces_seat_says_why_it_is_empty(tmp_path: Path) -> None:
    instrument = INSTRUMENTS.get(instrument_sets()["pocket"]["faces"])()
    assert "network" in (instrument.unavailable() or "")
    with pytest.raises(Unavailable, match="network"):
        frame_faces.function(clip_of([texture(60, 80)], tmp_path), instrument)
