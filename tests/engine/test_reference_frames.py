"""Resized frames of references are kept for the next model, and are what would be decoded and resized anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Video
from worldgauge.engine.reference_frames import ReferenceFrames, segments

SMALL = FrameSpec.at(0, 2).resized(16, 12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A video as a folder of frames."""
    (tmp_path / "video").mkdir()
    rng = np.random.default_rng(0)
    for number in range(4):
        Image.fromarray(rng.integers(0, 256, (48, 64, 3), np.uint8)).save(tmp_path / "video" / f"{number}.png")
    return tmp_path / "video"


def seen(folder: Path, store: Path, spec: FrameSpec) -> tuple[Clip, list[np.ndarray]]:
    clip, kept = Clip(Video(folder)), ReferenceFrames(store, "ab" * 32)
    clip.remember(kept)
    frames = [np.array(frame) for frame in clip.frames(spec)]
    kept.save()
    return clip, frames


def test_what_was_kept_is_not_decoded_again(folder: Path, tmp_path: Path) -> None:
    first, frames = seen(folder, tmp_path / "store", SMALL)
    assert first.frames_decoded == 2
    second, again = seen(folder, tmp_path / "store", FrameSpec.at(0, 2, 3).resized(16, 12))
    assert second.frames_decoded == 1 and np.array_equal(again[:2], frames)
    assert len(segments(tmp_path / "store")) == 2
    plain = [np.array(frame) for frame in Clip(Video(folder)).frames(FrameSpec.at(0, 2, 3).resized(16, 12))]
    assert np.array_equal(again, plain)
    other, _ = seen(folder, tmp_path / "store", FrameSpec.at(0).resized(32, 24))
    assert other.frames_decoded == 1, "another size is another frame"


def test_a_damaged_segment_is_made_again(folder: Path, tmp_path: Path) -> None:
    _, frames = seen(folder, tmp_path / "store", SMALL)
    (segment,) = segments(tmp_path / "store")
    data = (segment / "frames.npy").read_bytes()
    (segment / "frames.npy").write_bytes(data[:-100])
    clip, again = seen(folder, tmp_path / "store", SMALL)
    assert clip.frames_decoded == 2 and np.array_equal(again, frames)


def test_frames_at_their_own_size_are_not_kept(folder: Path, tmp_path: Path) -> None:
    seen(folder, tmp_path / "store", FrameSpec())
    assert segments(tmp_path / "store") == []
