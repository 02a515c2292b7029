"""One decoder for everything: formats, rotation, odd inputs, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

import helpers
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video


def encode(path: Path, frames: np.ndarray, codec: str, pix_fmt: str, times: list[int] | None = None) -> Path:
    """A clip in any codec; `times` in milliseconds gives a variable rate."""
    from fractions import Fraction

    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=12)
        stream.width, stream.height, stream.pix_fmt = frames.shape[2], frames.shape[1], pix_fmt
        if times:
            stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for index, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            if times:
                frame.pts, frame.time_base = times[index], Fraction(1, 1000)
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


@pytest.mark.parametrize(
    ("name", "codec", "pix_fmt", "tolerance"),
    [
        ("clip.mp4", "libx264", "yuv420p", 12),
        ("clip.webm", "libvpx-vp9", "yuv420p", 12),
        ("clip.mkv", "ffv1", "bgr0", 0),
        ("clip.avi", "mpeg4", "yuv420p", 12),
        ("clip.gif", "gif", "rgb8", 40),
        ("grey.mkv", "ffv1", "gray", 60),
        ("alpha.mkv", "ffv1", "yuva420p", 12),
        ("ten-bit.mkv", "ffv1", "yuv420p10le", 12),
    ],
)
def test_formats(tmp_path: Path, name: str, codec: str, pix_fmt: str, tolerance: float) -> None:
    frames = helpers.moving_texture(7)
    video = Video(encode(tmp_path / name, frames, codec, pix_fmt))
    assert (video.info.frames, video.info.width, video.info.height) == (7, 64, 48)
    assert video.info.fps == pytest.approx(12, rel=0.05)
    assert not video.info.variable_rate
    decoded = np.stack(list(video.frames()))
    assert decoded.shape == frames.shape
    assert decoded.dtype == np.uint8
    assert np.abs(decoded.astype(int) - frames).mean() <= tolerance


def test_lossless_round_trip_is_exact(tmp_path: Path) -> None:
    frames = np.random.default_rng(0).integers(0, 256, (5, 33, 47, 3), dtype=np.uint8)
    write_video(tmp_path / "exact.mkv", frames, fps=10)
    assert np.array_equal(np.stack(list(Video(tmp_path / "exact.mkv").frames())), frames)


def test_written_bytes_are_the_same_each_time(tmp_path: Path) -> None:
    frames = helpers.moving_texture()
    for name in ("a", "b"):
        write_video(tmp_path / f"{name}.mkv", frames, fps=10)
        write_video(tmp_path / f"{name}.mp4", frames, fps=10)
    assert (tmp_path / "a.mkv").read_bytes() == (tmp_path / "b.mkv").read_bytes()
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


@pytest.mark.parametrize("size", [(47, 33), (64, 47), (63, 48)])
def test_odd_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    frames = helpers.moving_texture(3, *size)
    write_video(tmp_path / "odd.mp4", frames, fps=10)
    assert next(Video(tmp_path / "odd.mp4").frames()).shape == (size[1], size[0], 3)


@pytest.mark.parametrize(("degrees", "turns"), [(90, 1), (180, 2), (270, 3)])
def test_rotation_tags_are_applied(tmp_path: Path, degrees: int, turns: int) -> None:
    """A mark in the stored frame's corner must come out where a player would show it."""
    frames = np.zeros((3, 40, 64, 3), np.uint8)
    frames[:, :10, :16] = 255
    write_video(tmp_path / "plain.mp4", frames, fps=10)
    data = bytearray((tmp_path / "plain.mp4").read_bytes())
    # The display matrix in the track header: a rotation by `degrees` counter-clockwise, 16.16 and 2.30 fixed point.
    at = data.index(b"tkhd") + 4 + 4 + 4 + 4 + 4 + 4 + 4 + 8 + 2 + 2 + 2 + 2
    one = 1 << 16
    cos, sin = round(np.cos(np.radians(degrees))) * one, round(np.sin(np.radians(degrees))) * one
    matrix = [cos, -sin, 0, sin, cos, 0, 0, 0, 1 << 30]
    data[at : at + 36] = b"".join(int(v).to_bytes(4, "big", signed=True) for v in matrix)
    (tmp_path / "turned.mp4").write_bytes(data)
    video = Video(tmp_path / "turned.mp4")
    assert video.info.rotation == degrees
    shown = next(video.frames())
    expected = np.rot90(frames[0], turns)
    assert shown.shape == expected.shape == (video.info.height, video.info.width, 3)
    assert np.abs(shown.astype(int) - expected).mean() < 12


def test_variable_rate_is_noticed(tmp_path: Path) -> None:
    path = encode(tmp_path / "v.mkv", helpers.moving_texture(6), "libx264", "yuv420p", [0, 40, 80, 400, 440, 480])
    video = Video(path)
    assert video.info.variable_rate
    assert len(list(video.frames())) == video.info.frames == 6


def test_frame_folder_in_natural_order(tmp_path: Path) -> None:
    frames = helpers.moving_texture(12)
    folder = tmp_path / "clip"
    folder.mkdir()
    for index, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / f"frame{index}.png")
    (folder / "notes.txt").write_text("not a frame")
    video = Video(folder, fps=8)
    assert (video.info.frames, video.info.fps) == (12, 8)
    assert np.array_equal(np.stack(list(video.frames())), frames)


def test_a_picture_that_is_no_frame_is_noticed(tmp_path: Path) -> None:
    """A stray picture may stand in for a frame that is missing: where the length is known the clip is invalid, else a
    remark says so."""
    for index, frame in enumerate(helpers.moving_texture(6)):
        Image.fromarray(frame).save(tmp_path / f"{index:03d}.png")
    assert Video(tmp_path).info.remarks == "" and Video(tmp_path, expected_frames=6).info.frames == 6
    (tmp_path / "003.png").rename(tmp_path / "preview.png")
    assert Video(tmp_path).info.remarks == (
        "1 picture is not named like the other frames (preview.png), and is taken for one"
    )
    with pytest.raises(InvalidVideo, match=r"holds pictures that are no numbered frames: preview\.png"):
        _ = Video(tmp_path, expected_frames=6).info
    (tmp_path / "preview.png").rename(tmp_path / "017.png")
    assert Video(tmp_path).info.remarks == "", "frames may be numbered in any way where no length is promised"
    with pytest.raises(InvalidVideo, match=r"frame 2 of .* is followed by 4"):
        _ = Video(tmp_path, expected_frames=6).info
    (tmp_path / "017.png").rename(tmp_path / "002.jpg")
    with pytest.raises(InvalidVideo, match=r"frame 2 of .* is there twice"):
        _ = Video(tmp_path, expected_frames=6).info


def test_odd_pixel_formats_in_folders(tmp_path: Path) -> None:
    grey = (np.arange(48 * 64) % 256).reshape(48, 64).astype(np.uint8)
    Image.fromarray(grey).save(tmp_path / "0.png")
    Image.fromarray(np.dstack([grey, grey, grey, np.full_like(grey, 9)])).save(tmp_path / "1.png")
    Image.fromarray(grey.astype(np.uint16) * 257).save(tmp_path / "2.png")
    Image.fromarray(grey).convert("P").save(tmp_path / "3.png")
    for frame in Video(tmp_path).frames():
        assert np.array_equal(frame, np.repeat(grey[..., None], 3, axis=2))


def test_mixed_sizes_are_refused(tmp_path: Path) -> None:
    for index, side in enumerate((20, 30)):
        Image.fromarray(np.zeros((side, side, 3), np.uint8)).save(tmp_path / f"{index}.png")
    with pytest.raises(InvalidVideo, match="frame 1 is 30x30, the first is 20x20"):
        list(Video(tmp_path).frames())


def test_truncated_mp4_without_index(tmp_path: Path) -> None:
    write_video(tmp_path / "whole.mp4", helpers.moving_texture(20), fps=10)
    data = (tmp_path / "whole.mp4").read_bytes()
    (tmp_path / "cut.mp4").write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidVideo, match=r"cut\.mp4 cannot be decoded"):
        _ = Video(tmp_path / "cut.mp4").info


def test_truncated_mp4_with_index_in_front(tmp_path: Path) -> None:
    """The header promises frames that are not there: silence would score half a clip."""
    path = tmp_path / "front.mp4"
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for image in helpers.moving_texture(30):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())
    path.write_bytes(path.read_bytes()[:-4000])
    with pytest.raises(InvalidVideo):
        list(Video(path).frames())


def test_a_title_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "clip.mp4"
    with av.open(str(file), "w") as container:
        container.metadata["title"] = "Caf# de nuit"
        stream = container.add_stream("libx264", rate=12)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for image in helpers.moving_texture(3):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())
    content = file.read_bytes()
    assert b"Caf#" in content
    file.write_bytes(content.replace(b"Caf#", b"Caf\xe9"))
    assert Video(file).info.frames == 3


def test_no_option_that_pyav_19_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel job reads clips with the newest PyAV itself; here its list of options stands for it."""
    accepted = {"format", "options", "container_options", "buffer_size", "timeout", "io_open", "hwaccel"}
    encode(tmp_path / "clip.mp4", helpers.moving_texture(3), "libx264", "yuv420p")
    opened = av.open

    def open_as_in_19(file: str, mode: str = "r", **options: Any) -> Any:
        for name in options.keys() - accepted:
            raise TypeError(f"open() got an unexpected keyword argument '{name}'")
        return opened(file, mode, **options)

    monkeypatch.setattr(av, "open", open_as_in_19)
    monkeypatch.setattr(av, "__version__", "19.0.2")
    assert Video(tmp_path / "clip.mp4").info.frames == 3


def test_text_named_mp4(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("hello")
    with pytest.raises(InvalidVideo, match=r"a\.mp4 cannot be decoded"):
        _ = Video(tmp_path / "a.mp4").info


def test_damaged_png(tmp_path: Path) -> None:
    (tmp_path / "0.png").write_bytes(b"\x89PNG not really")
    with pytest.raises(InvalidVideo, match="is not a readable image"):
        _ = Video(tmp_path).info


def test_digest_is_of_content_not_of_name(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mkv", helpers.moving_texture(seed=1), fps=10)
    (tmp_path / "b.mkv").write_bytes((tmp_path / "a.mkv").read_bytes())
    write_video(tmp_path / "c.mkv", helpers.moving_texture(seed=2), fps=10)
    assert Video(tmp_path / "a.mkv").digest == Video(tmp_path / "b.mkv").digest != Video(tmp_path / "c.mkv").digest


def test_spec_order_and_size(tmp_path: Path) -> None:
    frames = helpers.moving_texture(6)
    write_video(tmp_path / "a.mkv", frames, fps=10)
    picked = list(Video(tmp_path / "a.mkv").frames(FrameSpec.at(4, 1, 4)))
    assert np.array_equal(np.stack(picked), frames[[4, 1, 4]])
    assert next(Video(tmp_path / "a.mkv").frames(FrameSpec().within(32))).shape == (24, 32, 3)


@pytest.mark.parametrize("memory", [10**9, 10])
def test_clip_decodes_once_for_all_signals(tmp_path: Path, memory: int) -> None:
    """In memory and spilled to disk alike."""
    frames = helpers.moving_texture(8)
    write_video(tmp_path / "a.mkv", frames, fps=10)
    clip = Clip(Video(tmp_path / "a.mkv"), memory=memory)
    clip.expect(FrameSpec.every(3))
    clip.expect(FrameSpec())
    assert np.array_equal(np.stack(list(clip.under(FrameSpec.every(3)).frames())), frames[::3])
    assert np.array_equal(clip.frames()[7], frames[7])
    assert clip.frames(FrameSpec().within(16))[2].shape == (12, 16, 3)
    assert (clip.passes, clip.frames_decoded) == (1, 8)
    with pytest.raises(ValueError, match="read-only"):
        clip.frames()[0][0, 0] = 1


@pytest.mark.parametrize(
    ("frames", "more"),
    [("Video(path).frames()", 20), ("Clip(Video(path), memory=1).frames()", 50)],
    ids=["streamed", "in a file"],
)
def test_memory_stays_flat_for_long_clips(tmp_path: Path, frames: str, more: int) -> None:
    """Ten times the frames must not take ten times the memory: 400 frames of 320x240 would be 92 MB."""
    for count in (40, 400):
        write_video(tmp_path / f"{count}.mp4", helpers.moving_texture(count, 320, 240, shift=1), fps=24, crf=30)
    script = (
        "import sys; from pathlib import Path\n"
        "from worldgauge.core.clip import Clip; from worldgauge.core.video import Video\n"
        f"path = Path(sys.argv[1]); n = sum(1 for frame in {frames} if frame.any())\n"
        f"print(n, {helpers.PEAK_MEMORY} // 2**20)"
    )
    peaks = {}
    for count in (40, 400):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / f"{count}.mp4")], capture_output=True, text=True, check=True
        )
        seen, peak = map(int, done.stdout.split())
        assert seen == count
        peaks[count] = peak
    assert peaks[400] - peaks[40] < more, peaks
