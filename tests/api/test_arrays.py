"""Arrays and tensors as videos: what is clear is read, what is not is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

import helpers
import worldgauge as wg
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo

FRAMES = helpers.moving_texture(6)


def read(video: wg.Video) -> np.ndarray:
    return np.stack(list(video.frames()))


@pytest.mark.parametrize("layout", ["THWC", "TCHW", "CTHW", "THCW", "WHTC"])
def test_every_layout_gives_the_same_frames(layout: str) -> None:
    turned = FRAMES.transpose(["THWC".index(axis) for axis in layout])
    assert np.array_equal(read(wg.Video.from_array(turned, layout=layout)), FRAMES)


@pytest.mark.parametrize("layout", ["THWC", "TCHW", "CTHW", "THCW"])
def test_a_clear_shape_needs_no_layout(layout: str) -> None:
    turned = FRAMES.transpose(["THWC".index(axis) for axis in layout])
    assert np.array_equal(read(wg.Video.from_array(turned)), FRAMES)


@pytest.mark.parametrize(
    ("shape", "fitting"),
    [
        ((3, 16, 3, 64), "CTHW and THCW"),
        ((3, 3, 64, 64), "CTHW and TCHW"),
        ((3, 48, 64, 3), "CTHW and THWC"),
        ((16, 1, 64, 3), "TCHW and THWC"),
        ((16, 32, 64, 4), "none of CTHW, TCHW, THCW, THWC"),
    ],
)
def test_a_shape_that_fits_two_layouts_or_none_is_refused(shape: tuple[int, ...], fitting: str) -> None:
    with pytest.raises(wg.WorldGaugeError) as refused:
        wg.measure(np.zeros(shape, np.uint8))
    assert str(refused.value) == f"an array of shape {shape} fits {fitting}; say which with layout="


def test_a_stated_layout_settles_it() -> None:
    assert wg.Video.from_array(np.zeros((3, 16, 3, 64), np.uint8), layout="CTHW").info.frames == 16


@pytest.mark.parametrize(
    ("array", "arguments", "message"),
    [
        (FRAMES[None], {}, "is a batch"),
        (FRAMES[0], {}, "is no video"),
        (FRAMES[0], {"layout": "THWC"}, "has 4 axes"),
        (FRAMES, {"layout": "TCHW"}, "means 48 channels"),
        (FRAMES, {"layout": "TCH"}, "must name each of T, C, H, W once"),
        (FRAMES[:0], {"layout": "THWC"}, "holds no frame"),
        (FRAMES.astype(np.int64), {}, "type int64"),
        (FRAMES.astype(np.uint16), {}, "type uint16"),
        (FRAMES / 255, {}, "need value_range"),
        (FRAMES / 255, {"value_range": (1, 0)}, "is empty"),
        (FRAMES / 127.5 - 1, {"value_range": (0, 1)}, r"from -1 to 0.95\d*, outside value_range \(0, 1\)"),
        (FRAMES.astype(float), {"value_range": (0, 1)}, "outside value_range"),
        (np.full((2, 8, 8, 3), np.nan), {"value_range": (0, 1)}, "from nan to nan"),
    ],
)
def test_what_cannot_be_read_is_said(array: np.ndarray, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(wg.WorldGaugeError, match=message):
        wg.Video.from_array(array, **arguments)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)])
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_come_back_to_the_level_they_stand_for(low: float, high: float, kind: type) -> None:
    floats = (FRAMES / 255 * (high - low) + low).astype(kind)
    assert np.array_equal(read(wg.Video.from_array(floats, value_range=(low, high))), FRAMES)


def test_tensors_and_half_types() -> None:
    tensor = torch.from_numpy(FRAMES).permute(0, 3, 1, 2)
    assert np.array_equal(read(wg.Video.from_array(tensor)), FRAMES)
    half = (tensor.float() / 255).to(torch.float16)
    assert np.array_equal(read(wg.Video.from_array(half, value_range=(0, 1))), FRAMES)
    coarse = (tensor.float() / 255).to(torch.bfloat16).requires_grad_()
    seen = read(wg.Video.from_array(coarse, value_range=(0, 1)))
    # bfloat16 has eight bits of mantissa: half a level at white.
    assert np.abs(seen.astype(int) - FRAMES).max() <= 1
    with pytest.raises(wg.WorldGaugeError, match="type int64"):
        wg.Video.from_array(tensor.long())


def test_grey_is_repeated() -> None:
    grey = FRAMES[..., :1]
    assert np.array_equal(read(wg.Video.from_array(grey)), np.repeat(grey, 3, axis=3))


def test_a_clip_in_memory_is_known_by_its_content() -> None:
    one, same = (wg.Video.from_array(FRAMES, fps=12) for _ in range(2))
    changed = FRAMES.copy()
    changed[3, 5, 5, 1] ^= 1
    others = [
        wg.Video.from_array(changed, fps=12),
        wg.Video.from_array(FRAMES, fps=24),
        wg.Video.from_array(FRAMES[:, :24], fps=12),
        wg.Video.from_array(FRAMES.reshape(6, 64, 48, 3), fps=12),
    ]
    assert one.digest == same.digest
    assert len({one.digest, *(other.digest for other in others)}) == 5


def test_what_the_caller_does_later_changes_nothing() -> None:
    mine = FRAMES.copy()
    video = wg.Video.from_array(mine)
    mine[:] = 0
    assert np.array_equal(read(video), FRAMES)
    with pytest.raises(ValueError, match="read-only"):
        next(video.frames())[:] = 0


def test_it_travels_to_another_process_and_through_a_clip() -> None:
    video = pickle.loads(pickle.dumps(wg.Video.from_array(FRAMES, fps=12)))
    assert video.digest == wg.Video.from_array(FRAMES, fps=12).digest
    assert (video.info.frames, video.info.width, video.info.height, video.info.fps) == (6, 64, 48, 12)
    clip = Clip(video)
    clip.expect(wg.FrameSpec.every(2))
    assert np.array_equal(np.stack(list(clip.under(wg.FrameSpec.every(2)).frames())), FRAMES[::2])
    video.expected_frames = 7
    with pytest.raises(InvalidVideo, match="the video has 6 frames, 7 were asked for"):
        _ = pickle.loads(pickle.dumps(video)).info


def test_a_clip_in_memory_has_no_place_in_a_submission_file(tmp_path) -> None:
    from worldgauge.core.submission import ModelCard

    submission = wg.Submission(ModelCard(name="m"), {"a": wg.Video.from_array(FRAMES)})
    assert submission.video("a") is not None
    with pytest.raises(wg.WorldGaugeError, match="in memory"):
        submission.write(tmp_path / "submission.json")
