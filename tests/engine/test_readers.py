"""Threads that decode frames for a worker give the frames that it would have decoded itself, and are counted alike."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldgauge.core.clip import DEFAULT_MEMORY, Clip
from worldgauge.core.errors import InvalidVideo
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Video
from worldgauge.engine.reference_frames import ReferenceFrames

SMALL = FrameSpec.at(5, 0, 2, 2).resized(16, 12)


class Counted(ThreadPoolExecutor):
    """Readers that count what they were given."""

    def __init__(self) -> None:
        super().__init__(3)
        self.given = 0

    def submit(self, *arguments, **named):  # type: ignore[no-untyped-def]
        self.given += 1
        return super().submit(*arguments, **named)


@pytest.fixture
def readers() -> Iterator[Counted]:
    with Counted() as pool:
        yield pool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "video").mkdir()
    rng = np.random.default_rng(0)
    for number in range(6):
        Image.fromarray(rng.integers(0, 256, (48, 64, 3), np.uint8)).save(tmp_path / "video" / f"{number}.png")
    return tmp_path / "video"


def seen(clip: Clip, *specs: FrameSpec, readers: Executor | None = None) -> list[np.ndarray]:
    if readers is not None:
        clip.read_with(readers)
    return [np.array(frame) for spec in specs for frame in clip.frames(spec)]


@pytest.mark.parametrize("memory", [0, DEFAULT_MEMORY])
def test_the_same_frames_and_the_same_counts(folder: Path, readers: Counted, memory: int) -> None:
    alone, together = (Clip(Video(folder), memory=memory) for _ in range(2))
    specs = (SMALL, FrameSpec.at(0, 1), SMALL, FrameSpec.at(2, 3).resized(16, 12))
    assert np.array_equal(
        [frame.sum() for frame in seen(alone, *specs)],
        [frame.sum() for frame in seen(together, *specs, readers=readers)],
    )
    assert (together.passes, together.frames_decoded) == (alone.passes, alone.frames_decoded)
    assert readers.given == together.frames_decoded


def test_kept_frames_are_not_read_and_new_ones_are_kept(folder: Path, readers: Counted, tmp_path: Path) -> None:
    first, kept = Clip(Video(folder)), ReferenceFrames(tmp_path / "store", "ab" * 32)
    first.remember(kept)
    frames = seen(first, SMALL, readers=readers)
    kept.save()
    assert readers.given == 3
    again = Clip(Video(folder))
    again.remember(ReferenceFrames(tmp_path / "store", "ab" * 32))
    assert np.array_equal(seen(again, SMALL, readers=readers), frames) and readers.given == 3


def test_what_is_wrong_with_a_frame_is_told_as_ever(folder: Path, readers: Counted) -> None:
    Image.fromarray(np.zeros((10, 10, 3), np.uint8)).save(folder / "3.png")
    told = []
    for pool in (None, readers):
        with pytest.raises(InvalidVideo) as caught:
            seen(Clip(Video(folder)), FrameSpec().resized(16, 12), readers=pool)
        told.append(str(caught.value))
    assert told == ["frame 3 is 10x10, the first is 64x48"] * 2
