"""Matches between frames of a world of flat cards, against where each point truly is."""

from pathlib import Path

import numpy as np
import pytest

from instruments.billboards import LENS, WALL, film, pan, slide
from instruments.little_world import clip_of
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.functional import pose
from worldgauge.instruments.pocket.matches import SiftMatches
from worldgauge.signals.matches import neighbour_matches, revisit_matches, revisits


def carried(pixel: np.ndarray, depth: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Where points at `pixel` of one frame are in another, from depth and poses."""
    x, y = pixel.astype(int).T
    rays = np.concatenate([(pixel - LENS.centre) / LENS.focal, np.ones((len(pixel), 1))], axis=1)
    step = pose.relative(second, first)
    point = (rays * depth[y, x][:, None]) @ step[:3, :3].T + step[:3, 3]
    return LENS.focal * point[:, :2] / point[:, 2:] + LENS.centre


@pytest.mark.parametrize("path", [slide(2, 0.05), slide(2, 0.5, 0.3), pan(np.array([0.0, 20.0]))])
def test_matches_lie_where_the_points_are(path: np.ndarray) -> None:
    frames, depths = film(path)
    matcher = SiftMatches()
    here, there = matcher.between_of(*(matcher.features_of(frame) for frame in frames))
    assert len(here) > 60
    error = np.linalg.norm(carried(here, depths[0], path[0], path[1]) - there, axis=1)
    assert np.median(error) < 0.5
    assert (error < 2).mean() > 0.8


def test_matching_is_symmetric() -> None:
    frames, _ = film(slide(2, 0.4))
    matcher = SiftMatches(ratio=1.0)
    first, second = (matcher.features_of(frame) for frame in frames)
    forward = {tuple(row) for row in np.concatenate(matcher.match_of(first, second), axis=1).round(3)}
    there, here = matcher.match_of(second, first)
    assert forward == {tuple(row) for row in np.concatenate([here, there], axis=1).round(3)}


def test_frames_without_texture_have_no_matches() -> None:
    matcher = SiftMatches()
    blank = matcher.features_of(np.full((90, 120, 3), 128, np.uint8))
    for found in (matcher.match_of(blank, blank), matcher.between_of(blank, blank)):
        assert all(points.shape == (0, 2) for points in found)
    assert matcher.features_of(np.zeros((8, 8, 3), np.uint8)).pixel.shape == (0, 2)


def test_unlike_frames_hardly_match() -> None:
    matcher = SiftMatches()
    other = tuple(card.__class__(card.x, card.y, card.z, card.side, card.seed + 500) for card in WALL)
    views = [film(slide(2, 0.5), WALL)[0], film(slide(1, 0.0), other)[0]]
    first, moved, unlike = (matcher.features_of(frame) for frame in np.concatenate(views))
    assert len(matcher.match_of(first, unlike)[0]) < 0.25 * len(matcher.match_of(first, moved)[0])


def test_revisits_need_the_camera_to_leave() -> None:
    away = pan(40 * np.sin(np.linspace(0, np.pi, 21)))
    pairs = revisits(away, 0.25, 20)
    assert pairs
    assert all(abs(i + j - 20) <= 3 for i, j in pairs), "a symmetric pan is revisited in mirrored frames"
    assert len({k for pair in pairs for k in pair}) == 2 * len(pairs)
    assert revisits(pan(np.zeros(21)), 0.25, 20) == []
    assert revisits(slide(21, 3.0), 0.25, 20) == []


def test_signals(tmp_path: Path) -> None:
    path = pan(40 * np.sin(np.linspace(0, np.pi, 13)))
    clip = clip_of(film(path)[0], tmp_path / "clip").under(neighbour_matches.frames)
    near = neighbour_matches.function(clip, SiftMatches(), gap=2, pairs=4, most=50)
    assert near["pairs"].shape == (4, 2)
    assert (near["pairs"][:, 1] - near["pairs"][:, 0] == 2).all()
    assert near["starts"].tolist()[0] == 0
    assert near["starts"][-1] == len(near["points"])
    assert np.diff(near["starts"]).max() <= 50
    back = revisit_matches.function(clip, {"poses": path}, SiftMatches())
    assert (back["pairs"][:, 1] - back["pairs"][:, 0]).min() >= 3
    shift = np.abs(back["points"][:, :2] - back["points"][:, 2:]).max(axis=1)
    assert np.median(shift) < 30
    with pytest.raises(Unscored):
        revisit_matches.function(clip, {"poses": pan(np.zeros(13))}, SiftMatches())
    with pytest.raises(InvalidVideo):
        neighbour_matches.function(clip_of(film(path[:1])[0], tmp_path / "one"), SiftMatches())
