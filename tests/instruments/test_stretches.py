"""Stretches of a clip: which are gone on with, which join, and which are left out. Following itself is faked here."""

from collections.abc import Callable

import numpy as np
import pytest

from worldgauge.instruments.pocket import stretches
from worldgauge.instruments.pocket.stretches import Followed, follow_corners

CORNERS = np.random.default_rng(0).uniform(0, 100, (40, 2)).astype(np.float32)
Follow = Callable[..., Followed]


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch) -> Follow:
    """Follows through frames that are written as the places they show, one letter each: two with one in common can be
    followed from one to the other. `views` are pairs of frames that match though they cannot be followed."""

    def following(
        scenes: list[str], views: tuple[tuple[int, int], ...] = (), times: list[int] | None = None
    ) -> Followed:
        def number(grey: np.ndarray) -> int:
            return int(grey[0, 0])

        def step(before: np.ndarray, after: np.ndarray, pixel: np.ndarray, *_: object) -> tuple[np.ndarray, np.ndarray]:
            return pixel, np.full(len(pixel), bool(set(scenes[number(before)]) & set(scenes[number(after)])))

        def bridge(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
            if (number(before), number(after)) not in views:
                return None
            return CORNERS[:25].astype(np.float64), CORNERS[:25].astype(np.float64)

        monkeypatch.setattr(stretches, "new_corners", lambda grey, taken, most: CORNERS[: max(0, most)])
        monkeypatch.setattr(stretches, "step", step)
        monkeypatch.setattr(stretches, "step_shifted", lambda before, after, pixel, otherwise, window: otherwise)
        greys = [np.full((4, 4), k, np.uint8) for k in range(len(scenes))]
        when = None if times is None else np.array(times)
        found = follow_corners(greys, 40, times=when, bridge=bridge if views else None)
        assert len(found.tracks.links) == max(0, len(found.frames) - 1)
        return found

    return following


def left_out(found: Followed, scenes: list[str]) -> list[int]:
    return np.setdiff1d(np.arange(len(scenes)), found.frames).tolist()


def leaps(found: Followed) -> list[list[int]]:
    return found.frames[found.tracks.leaping].tolist()


def test_a_clip_that_is_never_lost_is_one_stretch(follow: Follow) -> None:
    found = follow(["a"] * 6)
    assert found.tracks.links.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
    assert not leaps(found)


def test_no_frames_and_one_frame(follow: Follow) -> None:
    assert len(follow([]).frames) == 0
    assert follow(["a"]).frames.tolist() == [0]


def test_stretches_join_in_the_frame_that_they_all_reach(follow: Follow) -> None:
    scenes = ["a"] * 4 + ["b"] * 4 + ["c"] * 4 + ["abc"] + ["a"] * 2
    found = follow(scenes)
    assert not left_out(found, scenes)
    assert found.tracks.ends().tolist() == [3] * 4 + [7] * 4 + [14] * 7
    # From their last frames, which are not the ones before: across what came between.
    assert leaps(found) == [[3, 12], [7, 12]]


def test_links_across_missing_frames_are_leaps(follow: Follow) -> None:
    assert leaps(follow(["a"] * 5, times=[0, 1, 3, 4, 5])) == [[1, 2]]


def test_a_strange_frame_is_left_out_and_not_waited_for(follow: Follow) -> None:
    scenes = ["a", "a", "x", "a", "a", "x", "a"]
    assert left_out(follow(scenes), scenes) == [2, 5]


def test_of_too_many_stretches_that_wait_the_one_being_followed_never_gives_way(follow: Follow) -> None:
    scenes = ["a"] * 8 + ["b"] * 6 + ["c"] * 5 + ["x"] + ["c"] * 6 + ["bc"] + ["b"] * 2 + ["ab"] + ["a"] * 2
    found = follow(scenes)
    # The second best, which is the shortest that is not followed just then, gave way; what followed it is there.
    assert 14 in found.frames and 25 in found.frames
    assert 19 not in found.frames


def test_what_shows_something_else_is_left_out_and_the_longest_stays(follow: Follow) -> None:
    scenes = ["a"] * 3 + ["b"] * 8
    assert left_out(follow(scenes), scenes) == [0, 1, 2]


def test_stretches_are_joined_by_views_one_by_way_of_another(follow: Follow) -> None:
    """The second longest shows nothing of the longest, but the third shows something of both."""
    scenes = ["a"] * 15 + ["b"] * 8 + ["c"] * 8
    found = follow(scenes, views=((2, 26), (26, 18), (8, 27)))
    assert not left_out(found, scenes)
    assert sorted(leaps(found)) == [[2, 26], [18, 26]]


def test_a_stretch_of_two_frames_is_not_joined_by_views(follow: Follow) -> None:
    scenes = ["a"] * 8 + ["b"] * 2
    assert left_out(follow(scenes, views=((0, 8),)), scenes) == [8, 9]
