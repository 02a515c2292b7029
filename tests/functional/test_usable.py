"""Frames that show nothing of the world, and clips that look odd and are not."""

import cv2
import numpy as np
import pytest

from instruments.little_world import texture
from worldgauge.core.errors import Unscored
from worldgauge.functional.usable import check_enough, faults_of, in_words, told_left_out, usable

WIDE = texture(160, 900)


def clip(count: int = 16, speed: int = 9) -> np.ndarray:
    """A window that moves over a wide picture, px per frame."""
    return np.stack([WIDE[:, speed * k : speed * k + 240] for k in range(count)])


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (160, 240, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    ("fault", "spoil"),
    [
        ("blank", lambda f: np.zeros_like(f)),
        ("blank", lambda f: np.full_like(f, 255)),
        ("blank", lambda f: np.full_like(f, 90)),
        ("noise", lambda _: noise(1)),
        ("flash", lambda f: 255 - (255 - f) // 3),
        ("flash", lambda f: f // 3),
        ("foreign", lambda _: texture(160, 240, 5)),
        ("foreign", lambda f: 255 - f),
    ],
)
@pytest.mark.parametrize("at", [[5], [5, 9], [6, 7, 8]])
def test_a_spoilt_frame_is_named(fault: str, spoil, at: list[int]) -> None:
    frames = clip()
    for k in at:
        frames[k] = spoil(frames[k])
    found = faults_of(frames)
    assert [k for k, name in enumerate(found) if name] == at
    # An inverted picture may be told by its light as well.
    assert {found[k] for k in at} <= {fault, "flash"}


def test_grey_frames_are_told_alike() -> None:
    frames = clip()
    frames[4], frames[8] = 0, noise(2)
    grey = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in frames]
    assert faults_of(grey) == faults_of(frames)


RANDOM = np.random.default_rng(3)
FLICKER = RANDOM.uniform(0.6, 1.4, (16, 1, 1, 1))
ORDINARY = {
    "pan": clip(),
    "fast pan": clip(12, 40),
    "there and back": np.concatenate([clip(4, 30), clip(4, 30)[::-1]]),
    "one repeated frame": np.repeat(clip(1), 8, axis=0),
    "a cut": np.concatenate([clip(6), [texture(160, 240, 5)] * 6]),
    "flicker": np.clip(clip() * FLICKER, 0, 255).astype(np.uint8),
    "grain": np.clip(clip() + RANDOM.normal(0, 40, clip().shape), 0, 255).astype(np.uint8),
    "fade to dark": (clip() * np.linspace(1, 0.2, 16)[:, None, None, None]).astype(np.uint8),
    "frozen, then on": np.concatenate([np.repeat(clip(1), 5, axis=0), clip()]),
    "jump back": np.concatenate([clip(), clip()[4:]]),
    "two frames": clip(2),
    "one frame": clip(1),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_clips_are_left_alone(name: str) -> None:
    assert usable(faults_of(ORDINARY[name])).all()


def test_no_frames() -> None:
    assert faults_of([]) == []
    with pytest.raises(Unscored):
        check_enough(np.zeros(0, bool), "frames")


def test_what_was_left_out_in_words() -> None:
    assert in_words(np.array([2])) == "frame 2"
    assert in_words(np.array([1, 2, 3, 7])) == "frames 1-3, 7"
    assert told_left_out(np.array([True, False, False]), "pairs") == "2 of 3 pairs left out (pairs 1-2)"
