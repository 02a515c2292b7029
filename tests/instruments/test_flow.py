"""DIS flow through its signal and metrics, on clips whose motion is known."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from worldgauge.core.case import Case
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.instrument import INSTRUMENTS, instrument_sets
from worldgauge.core.metric import METRICS
from worldgauge.core.signal import Arrays
from worldgauge.core.video import Video
from worldgauge.functional.masks import encode_masks
from worldgauge.instruments.pocket.flow import DisFlow
from worldgauge.signals.flow import flow_fields, flow_pairs, flow_regions
from worldgauge.signals.usable import usable_frames


def texture(height: int, width: int, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=(height, width, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2.5)
    return np.clip(128 + smooth / smooth.std() * 45, 0, 255).astype(np.uint8)


def clip_of(frames: list[np.ndarray], folder: Path) -> Clip:
    for index, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / f"{index:04d}.png")
    return Clip(Video(folder, fps=16))


def panning(count: int, dx: int) -> list[np.ndarray]:
    wide = texture(120, 200 + dx * count)
    return [wide[:, dx * i : dx * i + 200] for i in range(count)]


@pytest.mark.parametrize("shift", [(3, 0), (-6, 4), (0, 9)])
def test_dis_finds_a_translation(shift: tuple[int, int]) -> None:
    wide = texture(200, 300)
    dx, dy = shift
    first, second = wide[30:150, 40:240], wide[30 - dy : 150 - dy, 40 - dx : 240 - dx]
    found = DisFlow().flow(first, second)
    inner = found[20:-20, 20:-20]
    assert found.shape == (120, 200, 2) and found.dtype == np.float32
    assert np.median(np.hypot(inner[..., 0] - dx, inner[..., 1] - dy)) < 0.1


def test_the_number_of_threads_does_not_change_the_flow() -> None:
    frames = panning(2, 4)
    before = cv2.getNumThreads()
    try:
        fields = []
        for threads in (1, 2, 3):
            cv2.setNumThreads(threads)
            fields.append(DisFlow().flow(frames[0], frames[1]))
    finally:
        cv2.setNumThreads(before)
    assert np.array_equal(fields[0], fields[1]) and np.array_equal(fields[0], fields[2])


def test_frames_too_small_for_the_pyramid_are_unscored() -> None:
    with pytest.raises(Unscored, match="too small"):
        DisFlow().flow(np.zeros((16, 16, 3), np.uint8), np.zeros((16, 16, 3), np.uint8))


def pairs_of(clip: Clip) -> Arrays:
    """The signal, from the fields of the embedded flow."""
    found: Arrays = flow_pairs.function(clip, flow_fields.function(clip, DisFlow()), usable_frames.function(clip))
    return found


def test_flow_pairs_of_a_pan(tmp_path: Path) -> None:
    value = pairs_of(clip_of(panning(5, 4), tmp_path))
    assert all(array.shape == (4,) for name, array in value.items() if name != "grid")
    assert value["grid"].shape[0] == 4
    np.testing.assert_allclose(value["magnitude_median"], 4, atol=0.1)
    # The content moves left by 4 px of 200: 2 % of the pixels leave the view.
    np.testing.assert_allclose(value["occluded_share"], 0.02, atol=0.01)
    assert (value["consistent_share"] > 0.95).all()
    assert (value["warp_error_forward"] < 0.01).all() and (value["warp_error_backward"] < 0.01).all()


def test_a_cut_is_seen_as_inconsistent(tmp_path: Path) -> None:
    frames = [texture(120, 200, 0), texture(120, 200, 0), texture(120, 200, 1), texture(120, 200, 1)]
    value = pairs_of(clip_of(frames, tmp_path))
    assert value["occluded_share"][1] > 0.5
    assert value["occluded_share"][[0, 2]].max() < 0.01


@pytest.mark.parametrize("kind", ["black", "equal", "noise"])
def test_degenerate_clips_give_finite_numbers(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frames = {
        "black": [np.zeros((60, 80, 3), np.uint8)] * 3,
        "equal": [texture(60, 80)] * 3,
        "noise": [rng.integers(0, 256, (60, 80, 3), dtype=np.uint8) for _ in range(3)],
    }[kind]
    value = pairs_of(clip_of(frames, tmp_path))
    assert all(np.isfinite(array).all() for array in value.values())
    if kind != "noise":
        assert value["magnitude_mean"].max() == 0 and value["warp_error_forward"].max() == 0


def test_one_frame_is_an_invalid_video(tmp_path: Path) -> None:
    with pytest.raises(InvalidVideo, match="two frames"):
        pairs_of(clip_of([texture(60, 80)], tmp_path))


def test_metrics_read_the_signal(tmp_path: Path) -> None:
    value = pairs_of(clip_of(panning(3, 5), tmp_path))
    case = Case(id="pan")
    moved = METRICS.get("flow_magnitude").function(case, value)
    assert moved.value == pytest.approx(5, abs=0.2) and len(moved.curve or ()) == 2
    assert METRICS.get("flow_consistency").function(case, value).value < 0.3
    assert METRICS.get("warp_error").function(case, value).value < 0.01


def test_pairs_with_a_black_frame_say_nothing_of_motion_but_of_colour(tmp_path: Path) -> None:
    frames = panning(8, 5)
    whole = pairs_of(clip_of(frames, tmp_path))
    frames[4] = np.zeros_like(frames[4])
    (tmp_path / "black").mkdir()
    value = pairs_of(clip_of(frames, tmp_path / "black"))
    assert value["usable"].tolist() == [True, True, True, False, False, True, True]
    case = Case(id="pan")
    for name, within in (("flow_magnitude", 0.1), ("flow_consistency", 0.05)):
        metric = METRICS.get(name).function
        found = metric(case, value)
        assert found.value == pytest.approx(metric(case, whole).value, abs=within)
        assert found.left_out == pytest.approx(2 / 7)
        assert "2 of 7 pairs left out (pairs 3-4)" in found.reason
    stability = METRICS.get("warp_error").function
    assert stability(case, value).value > 5 * stability(case, whole).value


def test_metrics_are_unscored_when_nothing_stays_in_view() -> None:
    nothing = {name: np.array([np.nan]) for name in ("consistency_error", "warp_error_forward", "warp_error_backward")}
    nothing["usable"] = np.array([True])
    for name in ("flow_consistency", "warp_error"):
        with pytest.raises(Unscored):
            METRICS.get(name).function(Case(id="x"), nothing)


def test_the_pocket_set_seats_dis() -> None:
    assert INSTRUMENTS.get(instrument_sets()["pocket"]["flow"]) is DisFlow
    assert DisFlow(preset="fast").identity() != DisFlow().identity()


def test_flow_inside_and_outside_the_target(tmp_path: Path) -> None:
    """A textured square moves 5 px to the right per frame over a world that stands still; in frame 2 it is not seen."""
    world, square = texture(120, 200), texture(50, 50, 3)
    frames, masks = [], []
    for index in range(4):
        frame, mask = world.copy(), np.zeros((120, 200), bool)
        left = 40 + 5 * index
        frame[30:80, left : left + 50] = square
        mask[30:80, left : left + 50] = index != 2
        frames.append(frame)
        masks.append(mask)
    runs, starts = encode_masks(masks)
    track = {"mask_runs": runs, "mask_starts": starts, "mask_size": np.array([120, 200])}
    value = flow_regions.function(track, flow_fields.function(clip_of(frames, tmp_path), DisFlow()))
    assert value["inside_median"][[0, 1]] == pytest.approx(5, abs=0.3)
    assert value["outside_median"] == pytest.approx(0, abs=0.1)
    assert np.isnan(value["inside_max"][2]) and np.isfinite(value["outside_max"]).all()
    assert (value["inside_max"][:2] >= value["inside_p90"][:2]).all()
