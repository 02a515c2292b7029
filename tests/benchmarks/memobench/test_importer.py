"""Every output layout the official tools accept leads to the same videos."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.memobench.released_layout import write_frames
from worldgauge.benchmarks.memobench.data.importer import find_videos
from worldgauge.core.case import Case

CASES = [
    Case(id="Barnyard_001", tags={"data_type": "synthetic"}),
    Case(id="Nordic_002", tags={"data_type": "synthetic"}),
    Case(id="real_001", tags={"data_type": "real"}),
]
FRAMES = np.zeros((2, 8, 8, 3), np.uint8)


def videos(root: Path) -> dict[str, str]:
    found = find_videos(root, CASES)
    return {case: str(video.path.relative_to(root)) for case, video in found.videos.items()}


@pytest.mark.parametrize(
    ("place", "case"),
    [
        ("Synthetic/Barnyard/Barnyard_001/frames", "Barnyard_001"),
        ("Synthetic/Barnyard_001/samples-rgb", "Barnyard_001"),
        ("Barnyard_001", "Barnyard_001"),
        ("Barnyard/Barnyard_001/frames", "Barnyard_001"),
        ("Real/001/frames", "real_001"),
        ("001/frames", "real_001"),
        ("Real/real_001", "real_001"),
        ("real_001/samples-rgb", "real_001"),
    ],
)
@pytest.mark.parametrize("name", ["{:05d}.png", "{:05d}.jpg"])
def test_frame_folders(tmp_path: Path, place: str, case: str, name: str) -> None:
    write_frames(tmp_path / place, FRAMES, name)
    assert videos(tmp_path) == {case: place}


@pytest.mark.parametrize(
    ("place", "case"),
    [
        ("Barnyard_001.mp4", "Barnyard_001"),
        ("Barnyard_001/video.mp4", "Barnyard_001"),
        ("Synthetic/Barnyard/Barnyard_001/video.mp4", "Barnyard_001"),
        ("Real/001.mp4", "real_001"),
        ("real_001/video.mp4", "real_001"),
    ],
)
def test_video_files(tmp_path: Path, place: str, case: str) -> None:
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_bytes(b"x")
    assert videos(tmp_path) == {case: place}


def test_order_of_preference(tmp_path: Path) -> None:
    clip = tmp_path / "Barnyard_001"
    write_frames(clip, FRAMES)
    assert videos(tmp_path) == {"Barnyard_001": "Barnyard_001"}
    write_frames(clip / "samples-rgb", FRAMES)
    assert videos(tmp_path) == {"Barnyard_001": "Barnyard_001/samples-rgb"}
    write_frames(clip / "frames", FRAMES)
    assert videos(tmp_path) == {"Barnyard_001": "Barnyard_001/frames"}
    (clip / "video.mp4").write_bytes(b"x")
    assert videos(tmp_path) == {"Barnyard_001": "Barnyard_001/video.mp4"}
    (tmp_path / "Barnyard_001.mp4").write_bytes(b"x")
    assert videos(tmp_path) == {"Barnyard_001": "Barnyard_001.mp4"}


def test_a_number_elsewhere_is_not_a_real_clip(tmp_path: Path) -> None:
    write_frames(tmp_path / "Synthetic" / "001" / "frames", FRAMES)
    assert videos(tmp_path) == {}


def test_the_shallower_of_two_counts_and_the_other_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_frames(tmp_path / "Nordic_002", FRAMES)
    write_frames(tmp_path / "Synthetic" / "Nordic" / "Nordic_002" / "frames", FRAMES)
    assert videos(tmp_path) == {"Nordic_002": "Nordic_002"}
    assert "second video" in caplog.text


def test_trust_14_links_that_lead_back_are_not_followed(tmp_path: Path) -> None:
    """Two of them in one folder would make 2^40 paths."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "Barnyard_001.mp4").touch()
    for name in ("once", "twice"):
        (tmp_path / "deep" / name).symlink_to("..")
    assert videos(tmp_path) == {"Barnyard_001": "deep/Barnyard_001.mp4"}
