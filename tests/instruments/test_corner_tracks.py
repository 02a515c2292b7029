"""Tracks of a clip in stretches: what holds its frames together, and the ways to all of them."""

import numpy as np
import pytest

from worldgauge.instruments.pocket.corner_tracks import Tracks
from worldgauge.instruments.pocket.turns import routes

# Two stretches that views in frames 2 and 6 join.
MATCHED = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [2, 6], [5, 6], [6, 7]])
# Frames 0-3 and 7-9 are one stretch; 4-6 came between and hang on frame 7 alone.
BRANCHED = np.array([[0, 1], [1, 2], [2, 3], [3, 7], [4, 5], [5, 6], [6, 7], [7, 8], [8, 9]])


def tracks(frames: int, joined: np.ndarray | None = None, leaps: np.ndarray | None = None) -> Tracks:
    """One corner that is seen in every frame."""
    return Tracks(np.arange(frames), np.zeros(frames, np.int64), np.zeros((frames, 2)), frames, joined, leaps)


def test_a_clip_without_breaks_is_one_stretch() -> None:
    whole = tracks(5)
    assert whole.links.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert whole.ends().tolist() == [4] * 5
    assert whole.every(2).tolist() == [0, 2, 4]
    assert not len(whole.leaping)


def test_a_stretch_ends_where_a_frame_is_not_joined_to_the_next() -> None:
    assert tracks(10, BRANCHED).ends().tolist() == [3] * 4 + [9] * 6


def test_frames_that_hold_stretches_together_are_never_left_out() -> None:
    branched = tracks(10, BRANCHED)
    chosen = branched.every(5)
    assert chosen.tolist() == [0, 3, 4, 5, 7]
    some = branched.in_frames(chosen)
    assert some.frames == 5
    assert sorted(map(tuple, some.links.tolist())) == [(0, 1), (1, 4), (2, 3), (3, 4)]
    assert some.frame.tolist() == [0, 1, 2, 3, 4]


def test_a_leap_is_kept_where_frames_are_left_out_around_it() -> None:
    links = tracks(12).links
    leapt = tracks(12, links, links[:, 0] == 7)
    assert leapt.smooth_ends().tolist() == [7] * 8 + [11] * 4
    assert leapt.leaping.tolist() == [[7, 8]]
    assert leapt.every(3).tolist() == [0, 3, 6, 7, 8, 9]
    assert leapt.in_frames(leapt.every(3)).leaping.tolist() == [[3, 4]]


@pytest.mark.parametrize(
    ("links", "ways"),
    [
        (tracks(6).links, [[3, 4, 5], [2, 1, 0]]),
        (BRANCHED, [[3, 7, 8, 9], [2, 1, 0], [7, 6, 5, 4]]),
        (MATCHED, [[3, 4], [2, 1, 0], [2, 6, 5], [6, 7]]),
    ],
)
def test_routes_go_on_in_time_then_back_then_to_the_branches(links: np.ndarray, ways: list[list[int]]) -> None:
    assert routes(links, 2, 3) == ways


def test_routes_reach_every_frame_once() -> None:
    random = np.random.default_rng(0)
    for count in range(2, 30):
        # Each frame hangs on one before or on the next but one, as joined stretches do.
        links = np.array([[random.integers(max(0, k - 4), k), k] for k in range(1, count)])
        reached = [0, *(frame for way in routes(links, 0, 0) for frame in way[1:])]
        assert sorted(reached) == list(range(count))
        seen = {0}
        for way in routes(links, 0, 0):
            assert way[0] in seen
            seen |= set(way)
