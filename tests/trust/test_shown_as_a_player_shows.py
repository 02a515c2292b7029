"""Colour matrix, range, depth, orientation and pixel shape: compared with closed forms."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

import odd_videos as odd
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.video import Video, VideoInfo
from worldgauge.media.encoder import write_video
from worldgauge.media.picture import Orientation, colour_of, high_dynamic_range_of
from worldgauge.media.picture import to_rgb as picture_of

WEIGHTS = {1: (0.2126, 0.0722), 2: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}
"""Share of red and of blue in the luma, by the number a file states the matrix with (H.273)."""
NAMES = {1: "BT.709", 2: "BT.601 (not stated)", 6: "BT.601", 9: "BT.2020"}
COLOURS = np.array([(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (200, 100, 50), (30, 180, 220)])


def to_yuv(rgb: NDArray[np.int_], matrix: int, full: bool) -> NDArray[np.uint8]:
    """Luma and colour differences of 8 bits, as the standards print them."""
    red_share, blue_share = WEIGHTS[matrix]
    red, green, blue = np.moveaxis(rgb / 255, -1, 0)
    luma = red_share * red + (1 - red_share - blue_share) * green + blue_share * blue
    differences = [(blue - luma) / (2 - 2 * blue_share), (red - luma) / (2 - 2 * red_share)]
    span, offset, colour_span = (255, 0, 255) if full else (219, 16, 224)
    levels = np.stack([offset + span * luma, *(128 + colour_span * part for part in differences)], axis=-1)
    return np.clip(np.round(levels), 0, 255).astype(np.uint8)


def to_rgb(yuv: NDArray[np.uint8], matrix: int, full: bool) -> NDArray[np.float64]:
    red_share, blue_share = WEIGHTS[matrix]
    span, offset, colour_span = (255, 0, 255) if full else (219, 16, 224)
    levels = yuv.astype(np.float64)
    luma, blue_part, red_part = (levels[:, 0] - offset) / span, *((levels[:, i] - 128) / colour_span for i in (1, 2))
    red, blue = luma + (2 - 2 * red_share) * red_part, luma + (2 - 2 * blue_share) * blue_part
    green = (luma - red_share * red - blue_share * blue) / (1 - red_share - blue_share)
    return np.clip(np.stack([red, green, blue], axis=-1) * 255, 0, 255)


def tagged(path: Path, yuv: NDArray[np.uint8], matrix: int, colour_range: int, pix_fmt: str) -> Path:
    """One flat frame per colour, the planes written as they are, with the tags in the stream."""
    deep = pix_fmt.endswith("10le")
    with av.open(str(path), "w") as target:
        stream = target.add_stream("ffv1", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 32, pix_fmt
        stream.codec_context.colorspace, stream.codec_context.color_range = matrix, colour_range
        for levels in yuv:
            frame = av.VideoFrame(32, 32, pix_fmt)
            for plane, level in zip(frame.planes, levels, strict=True):
                filled = np.full(plane.buffer_size // (2 if deep else 1), int(level) * (4 if deep else 1))
                plane.update(filled.astype(np.uint16 if deep else np.uint8).tobytes())
            frame.colorspace, frame.color_range = matrix, colour_range
            target.mux(stream.encode(frame))
        target.mux(stream.encode())
    return path


@pytest.mark.parametrize("pix_fmt", ["yuv444p", "yuv420p", "yuv420p10le"])
@pytest.mark.parametrize(
    ("colour_range", "told"), [(0, "limited range (not stated)"), (1, "limited range"), (2, "full range")]
)
@pytest.mark.parametrize("matrix", list(WEIGHTS))
def test_colours_follow_the_closed_form(
    tmp_path: Path, matrix: int, colour_range: int, told: str, pix_fmt: str
) -> None:
    yuv = to_yuv(COLOURS, matrix, full=colour_range == 2)
    video = Video(tagged(tmp_path / "a.mkv", yuv, matrix, colour_range, pix_fmt))
    assert video.info.colour == f"{NAMES[matrix]}, {told}"
    shown = np.stack([frame[16, 16] for frame in video.frames()])
    # The conversion of 4:2:0 is in 16 bits; it may be off by two levels and a half.
    assert np.abs(shown - to_rgb(yuv, matrix, colour_range == 2)).max() < (0.6 if pix_fmt == "yuv444p" else 2.5)


def test_a_deep_clip_is_its_plain_twin(tmp_path: Path) -> None:
    plain = Video(odd.encoded(tmp_path / "plain.mkv", odd.clip()))
    for pix_fmt in ("yuv420p10le", "yuv420p12le"):
        deep = Video(odd.encoded(tmp_path / f"{pix_fmt}.mkv", odd.clip(), pix_fmt))
        assert np.array_equal(list(deep.frames()), list(plain.frames()))


def test_a_matrix_nobody_can_convert_is_refused() -> None:
    frame = av.VideoFrame(16, 16, "yuv444p")
    frame.colorspace = 14
    with pytest.raises(InvalidVideo, match="colour matrix number 14 of the file cannot be converted"):
        colour_of(frame)


def test_a_reserved_matrix_number_states_nothing() -> None:
    shown = []
    for number in (2, 3):
        frame = av.VideoFrame.from_ndarray(odd.clip()[0], format="rgb24").reformat(format="yuv420p")
        frame.colorspace = number
        assert colour_of(frame).startswith("BT.601 (not stated)")
        shown.append(picture_of(frame, Orientation(), 1.0))
    assert np.array_equal(*shown)


def test_high_dynamic_range_is_said() -> None:
    frame = av.VideoFrame(16, 16, "yuv420p")
    assert high_dynamic_range_of(frame) == ""
    frame.color_trc = 16
    assert high_dynamic_range_of(frame) == "PQ"
    info = VideoInfo(2, 64, 48, 10.0, high_dynamic_range="PQ")
    assert info.remarks == "high dynamic range (PQ) without tone mapping"


@pytest.mark.parametrize(
    ("matrix", "rotation", "mirrored"),
    [
        ((1, 0, 0, 1), 0, False),
        ((0, -1, 1, 0), 90, False),
        ((-1, 0, 0, -1), 180, False),
        ((0, 1, -1, 0), 270, False),
        ((-1, 0, 0, 1), 0, True),
        ((1, 0, 0, -1), 180, True),
        ((0, 1, 1, 0), 90, True),
        ((0, -1, -1, 0), 270, True),
    ],
)
def test_every_orientation(tmp_path: Path, matrix: tuple[int, int, int, int], rotation: int, mirrored: bool) -> None:
    """Each corner must come out where the display matrix sends it."""
    frames = np.zeros((2, 32, 48, 3), np.uint8)
    frames[:, :16, :24], frames[:, :16, 24:], frames[:, 16:, :24] = 250, 170, 90
    write_video(tmp_path / "plain.mp4", frames, fps=10)
    video = Video(odd.turned(tmp_path / "plain.mp4", tmp_path / "turned.mp4", matrix))
    assert (video.info.rotation, video.info.mirrored) == (rotation, mirrored)
    shown = next(video.frames())
    assert shown.shape == (video.info.height, video.info.width, 3)
    a, b, c, d = matrix
    for x, y in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
        there = (a * x + c * y, b * x + d * y)
        stored = frames[0, 8 if y < 0 else 24, 12 if x < 0 else 36, 0]
        row, column = (
            (side // 4) * (3 if sign > 0 else 1) for side, sign in zip(shown.shape[:2], there[::-1], strict=True)
        )
        assert abs(int(shown[row, column, 0]) - int(stored)) < 4


def test_a_turn_that_is_no_quarter_is_refused(tmp_path: Path) -> None:
    write_video(tmp_path / "plain.mp4", odd.clip(), fps=10)
    video = Video(odd.turned(tmp_path / "plain.mp4", tmp_path / "askew.mp4", (1, -1, 1, 1)))
    with pytest.raises(InvalidVideo, match="asks to be turned by 45 degrees"):
        _ = video.info


@pytest.mark.parametrize(("aspect", "width"), [(Fraction(2), 128), (Fraction(1, 2), 32), (Fraction(16, 15), 68)])
def test_pixels_are_made_square(tmp_path: Path, aspect: Fraction, width: int) -> None:
    path = odd.encoded(tmp_path / "a.mp4", odd.clip(), codec="libx264", container="mp4", aspect=aspect)
    video = Video(path)
    assert (video.info.width, video.info.height) == (width, 48)
    assert "pixels made square" in video.info.remarks
    shown = next(video.frames())
    assert shown.shape == (48, width, 3)
    # Scaled in width alone: the means of the left and the right half stay.
    for half, stored in (
        (shown[:, : width // 2], odd.clip()[0][:, :32]),
        (shown[:, width // 2 :], odd.clip()[0][:, 32:]),
    ):
        assert np.abs(half.mean((0, 1)) - stored.mean((0, 1))).max() < 3
