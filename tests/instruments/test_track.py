"""The colour tracker on painted worlds where the truth is known."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from instruments.little_world import HEIGHT, WIDTH, clip_of, pan_away_and_back, texture
from worldgauge.core.case import Case, Phases, Reference, Target, TargetView
from worldgauge.core.clip import Clip
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.metric import METRICS
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.signal import Arrays
from worldgauge.functional.masks import iou
from worldgauge.instruments.pocket.colour_model import ColourModel, colour_bins
from worldgauge.instruments.pocket.place_memory import PlaceMemory, outline_agreement
from worldgauge.instruments.pocket.silhouette import filled, laid_over, redrawn, solidity, stood_on
from worldgauge.instruments.pocket.track import ColourTrack, mask_in_box
from worldgauge.signals.tracks import Sighting, object_track, unpack_masks
from worldgauge.signals.usable import usable_frames


def followed(clip: Clip, mask: np.ndarray) -> Arrays:
    """The signal."""
    shown = usable_frames.function(clip.under(usable_frames().frames))
    found: Arrays = object_track.function(clip, TargetView("disc", None, mask), shown, ColourTrack())
    return found


def follow(frames: np.ndarray, mask: np.ndarray) -> list[Sighting]:
    return list(ColourTrack().track(frames, None, mask))


def test_it_follows_loses_and_finds_again() -> None:
    frames, truth = pan_away_and_back()
    seen = follow(frames, truth[0])
    there = truth.any((1, 2))
    assert not there.all()
    found = np.array([sighting.mask.any() for sighting in seen])
    full = truth.sum((1, 2)) > 0.9 * truth[0].sum()
    assert found[full].all(), "the disc is missed while it is fully visible"
    assert not found[~there].any(), "something else is taken for the disc while it is out of view"
    overlap = [iou(sighting.mask, mask) for sighting, mask in zip(seen, truth, strict=True) if mask.sum() > 100]
    assert np.mean(overlap) > 0.85


def test_it_says_not_here_when_the_object_does_not_return() -> None:
    frames, truth = pan_away_and_back(returns=False)
    seen = follow(frames, truth[0])
    after = np.flatnonzero(~truth.any((1, 2)))[0]
    assert not any(sighting.mask.any() for sighting in seen[after:])
    assert max(sighting.confidence for sighting in seen[after:]) < ColourTrack().find


def test_it_follows_slow_changes_of_colour() -> None:
    frames, truth = pan_away_and_back(30)
    frames, mask = np.repeat(frames[:1], 30, 0).copy(), truth[0]
    for index, frame in enumerate(frames):
        share = index / 29
        frame[mask] = ((1 - share) * frame[mask] + share * np.array([40, 60, 200])).astype(np.uint8)
    seen = follow(frames, mask)
    assert min(iou(sighting.mask, mask) for sighting in seen) > 0.8


def beside_its_puddle(count: int = 24, gone: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """A striped box, gone from one frame on, and a growing puddle of its plain colour beside it: frames, first mask."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    noise = np.random.default_rng(5).integers(-6, 7, (HEIGHT, WIDTH, 1))
    box = (abs(columns - 60) < 20) & (abs(rows - 50) < 25)
    frames = []
    for index in range(count):
        frame = np.full((HEIGHT, WIDTH, 3), 120)
        if index < gone:
            frame[box] = (150, 30, 60)
            frame[box & (rows % 10 < 7)] = (190, 50, 160)
        frame[(columns - 110) ** 2 / 4 + (rows - 90) ** 2 < (4 + index / 2) ** 2] = (190, 50, 160)
        frames.append(np.clip(frame + noise, 0, 255).astype(np.uint8))
    return np.array(frames), box


def test_what_was_seen_beside_the_object_is_not_the_object(monkeypatch: pytest.MonkeyPatch) -> None:
    frames, box = beside_its_puddle()
    seen = follow(frames, box)
    assert all(sighting.mask.any() for sighting in seen[:8])
    assert not any(sighting.mask.any() for sighting in seen[9:])
    monkeypatch.setattr(ColourModel, "learn_others", lambda *given: None)
    assert any(sighting.mask.any() for sighting in follow(frames, box)[9:]), "the puddle would not be mistaken anyway"


def mill_then(shown: Callable[[np.ndarray, np.ndarray, np.ndarray], None]) -> tuple[np.ndarray, np.ndarray]:
    """A grey tower with a red cap, gone after eight frames; then what `shown` draws: frames, first mask."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    noise = np.random.default_rng(5).integers(-6, 7, (HEIGHT, WIDTH, 1))
    mill = (abs(columns - 60) < 14) & (abs(rows - 60) < 30)
    frames = []
    for index in range(20):
        frame = np.full((HEIGHT, WIDTH, 3), (60, 130, 50))
        if index < 8:
            frame[mill] = (150, 145, 140)
            frame[mill & (rows < 52)] = (200, 40, 40)
        elif index >= 12:
            shown(frame, rows, columns)
        frames.append(np.clip(frame + noise, 0, 255).astype(np.uint8))
    return np.array(frames), mill


def a_wall(frame: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
    frame[(abs(columns - 100) < 20) & (abs(rows - 60) < 24)] = (150, 145, 140)


def a_speck(frame: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
    frame[(abs(columns - 100) < 4) & (abs(rows - 60) < 9)] = (150, 145, 140)
    frame[(abs(columns - 100) < 4) & (abs(rows - 57) < 6)] = (200, 40, 40)


def a_whole(frame: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> None:
    frame[(abs(columns - 100) < 14) & (abs(rows - 60) < 30)] = (150, 145, 140)
    frame[(abs(columns - 100) < 14) & (rows > 30) & (rows < 52)] = (200, 40, 40)


def test_what_comes_back_has_the_vivid_colours_of_the_object(monkeypatch: pytest.MonkeyPatch) -> None:
    frames, mill = mill_then(a_wall)
    assert not any(sighting.mask.any() for sighting in follow(frames, mill)[8:])
    monkeypatch.setattr(ColourModel, "shows_vivid", lambda *given: True)
    assert any(sighting.mask.any() for sighting in follow(frames, mill)[8:]), "the wall would not be mistaken anyway"


def test_what_comes_back_has_the_size_of_the_object(monkeypatch: pytest.MonkeyPatch) -> None:
    frames, mill = mill_then(a_speck)
    assert not any(sighting.mask.any() for sighting in follow(frames, mill)[8:])
    monkeypatch.setattr("worldgauge.instruments.pocket.track.SHRUNK", 0.0)
    assert any(sighting.mask.any() for sighting in follow(frames, mill)[8:]), "the speck would not be mistaken anyway"


def test_the_object_itself_comes_back_elsewhere() -> None:
    frames, mill = mill_then(a_whole)
    assert all(sighting.mask.any() for sighting in follow(frames, mill)[12:])


def test_a_remembered_shape_stands_on_the_ground_where_its_core_is_found() -> None:
    """The liquid of a tank sank to a third: as wide as before, so the tank is as large as before."""
    tank, before, now = (np.zeros((90, 120), bool) for _ in range(3))
    tank[20:70, 20:50] = before[25:65, 25:45] = now[52:65, 75:95] = True
    where = np.zeros_like(tank)
    where[20:70, 70:100] = True
    assert iou(stood_on(tank, before, now), where) == 1.0
    assert iou(laid_over(tank, before, now), where) < 0.6


def test_an_outline_that_is_a_little_off_is_redrawn_by_the_colours_there() -> None:
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    frame = np.full((HEIGHT, WIDTH, 3), 150, np.uint8)
    there = (abs(columns - 80) < 22) & (abs(rows - 60) < 18)
    frame[there] = (60, 90, 190)
    off = (columns - 86) ** 2 + (rows - 56) ** 2 < 20**2
    bins = colour_bins(frame)
    assert iou(off, there) < 0.7 and iou(redrawn(off, bins), there) > 0.9
    # Where nothing is drawn the outline stays about what it was.
    assert iou(redrawn(off, colour_bins(np.full_like(frame, 150))), off) > 0.9


def test_stripes_like_the_wall_behind_are_filled_in() -> None:
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    ball = (columns - 90) ** 2 + (rows - 60) ** 2 < 22**2
    stripes = ball & (rows % 12 < 6)
    frame = np.full((HEIGHT, WIDTH, 3), 228, np.uint8)
    frame[stripes] = (200, 40, 120)
    bins = colour_bins(frame)
    assert iou(stripes, ball) < 0.6
    assert iou(filled(stripes, bins, ColourModel(bins, ball, ~ball)), ball) > 0.9
    # A thing without white: what is seen through it is not its own.
    assert iou(filled(stripes, bins, ColourModel(bins, stripes, ~stripes)), ball) < 0.65


def test_what_lies_between_two_things_is_not_filled() -> None:
    mask = np.zeros((60, 120), bool)
    mask[20:30, 5:15] = mask[30:40, 100:110] = True
    bins = colour_bins(np.zeros((60, 120, 3), np.uint8))
    assert solidity(mask) < 0.2 and solidity(mask[:, :50]) == 1
    assert np.array_equal(filled(mask, bins, ColourModel(bins, mask, ~mask)), mask)


def test_a_change_of_colour_at_the_edge_of_the_view_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut by the frame's edge, the disc teaches nothing about its colours; how it looked a moment ago is known."""
    frames, truth = pan_away_and_back(30)
    cut = np.repeat(frames[:1], 30, 0)
    columns = np.flatnonzero(truth[0].any(0))
    middle = int(columns.mean())
    cut, mask = cut[:, :, middle:].copy(), truth[0][:, middle:]
    for index, frame in enumerate(cut):
        share = index / 29
        frame[mask] = ((1 - share) * frame[mask] + share * np.array([40, 60, 200])).astype(np.uint8)
    assert all(s.mask.any() for s in ColourTrack().track(cut, None, mask))
    monkeypatch.setattr(ColourModel, "glimpse", lambda *given: None)
    assert not all(s.mask.any() for s in ColourTrack(outline=1.1).track(cut, None, mask))


def test_an_object_that_changed_its_colour_unseen_is_found_where_it_stood() -> None:
    frames, truth = pan_away_and_back(later=(40, 60, 210), speed=0.0)
    last = follow(frames, truth[0])[-1]
    assert iou(last.mask, truth[-1]) > 0.8


def test_a_place_is_recognised_and_an_empty_place_has_no_outline() -> None:
    world = texture(HEIGHT, WIDTH + 40)
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.circle(mask, (90, 65), 18, 1, -1)
    first = world[:, :WIDTH].copy()
    first[mask > 0] = (210, 30, 30)
    recalled = PlaceMemory(first, mask > 0).recall(world[:, 30 : 30 + WIDTH])
    assert recalled is not None
    assert iou(recalled, np.roll(mask > 0, -30, axis=1)) > 0.9
    assert outline_agreement(colour_bins(first), mask > 0) > 0.9
    assert outline_agreement(colour_bins(world[:, 30 : 30 + WIDTH]), recalled) < 0.5
    assert PlaceMemory(first, mask > 0).recall(texture(HEIGHT, WIDTH, seed=5)) is None


def test_a_box_is_enough() -> None:
    frames, truth = pan_away_and_back(4)
    box = (68.0, 44.0, 113.0, 86.0)
    assert iou(mask_in_box(frames[0], box), truth[0]) > 0.8
    seen = list(ColourTrack().track(frames, box, None))
    assert iou(seen[0].mask, truth[0]) > 0.8


def test_tracking_twice_gives_the_same() -> None:
    frames, truth = pan_away_and_back(20)
    first, second = follow(frames, truth[0]), follow(frames, truth[0])
    assert all(
        np.array_equal(a.mask, b.mask) and a.confidence == b.confidence for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize("kind", ["black", "noise", "empty", "nothing"])
def test_a_target_that_cannot_be_told_is_unscored(kind: str) -> None:
    mask = np.zeros((60, 80), bool)
    mask[20:40, 30:50] = True
    frames = np.zeros((3, 60, 80, 3), np.uint8)
    if kind == "noise":
        frames = np.random.default_rng(0).integers(0, 256, frames.shape, dtype=np.uint8)
    with pytest.raises(Unscored):
        given = None if kind == "nothing" else mask & (kind != "empty")
        list(ColourTrack().track(frames, None, given))


def test_a_cut_loses_the_object_and_equal_frames_keep_it() -> None:
    frames, truth = pan_away_and_back(3)
    cut = np.stack([frames[0], frames[0], texture(HEIGHT, WIDTH, 7), texture(HEIGHT, WIDTH, 7)])
    assert [sighting.mask.any() for sighting in follow(cut, truth[0])] == [True, True, False, False]


def test_the_signal_gives_boxes_in_pixels_of_the_clip(tmp_path: Path) -> None:
    frames, truth = pan_away_and_back(12)
    large = np.stack([cv2.resize(frame, (4 * WIDTH, 4 * HEIGHT), interpolation=cv2.INTER_CUBIC) for frame in frames])
    clip = clip_of(large, tmp_path).under(object_track().frames)
    value = followed(clip, truth[0])
    assert value["mask_size"].max() == 416
    np.testing.assert_allclose(value["box"][0], np.array([72, 47, 109, 84]) * 4, atol=8)
    assert np.isnan(value["box"][~value["visible"]]).all()
    assert [mask.any() for mask in unpack_masks(value)] == value["visible"].tolist()
    assert value["area"][0] == pytest.approx(truth[0].mean(), rel=0.05)


def test_presence_is_the_share_of_frames_after_the_return() -> None:
    case = Case(id="x", reference=Reference(target=Target(name="disc"), phases=Phases(gone=2, back=4)))
    presence = METRICS.get("object_presence").function
    track = {"visible": np.array([True, True, False, False, True, False, True, True]), "usable": np.ones(8, bool)}
    assert presence(case, track).value == 0.75
    with pytest.raises(InvalidVideo, match="ends before"):
        presence(case, {"visible": np.array([True, True]), "usable": np.ones(2, bool)})


def test_presence_counts_the_usable_frames() -> None:
    case = Case(id="x", reference=Reference(target=Target(name="disc"), phases=Phases(gone=2, back=4)))
    presence = METRICS.get("object_presence").function
    track = {"visible": np.array([True, True, False, False, True, False, True, True]), "usable": np.ones(8, bool)}
    track["usable"][5] = False
    found = presence(case, track)
    assert (found.value, found.left_out) == (1.0, 0.25)
    assert found.curve[5] is None
    assert "1 of 8 frames left out (frame 5)" in found.reason
    track["usable"][4:6] = False
    with pytest.raises(Unscored, match="only 2 of 4 frames after the return are usable") as refused:
        presence(case, track)
    assert refused.value.code == TOO_FEW_FRAMES


def test_black_frames_and_flashes_do_not_lose_the_target(tmp_path: Path) -> None:
    frames, truth = pan_away_and_back(40)
    whole = followed(clip_of(frames, tmp_path / "whole").under(object_track().frames), truth[0])
    hurt = frames.copy()
    hurt[[3, 34]], hurt[37] = 0, 255 - (255 - hurt[37]) // 4
    value = followed(clip_of(hurt, tmp_path / "hurt").under(object_track().frames), truth[0])
    assert np.flatnonzero(~value["usable"]).tolist() == [3, 34, 37]
    assert not value["visible"][[3, 34, 37]].any()
    kept = value["usable"]
    np.testing.assert_array_equal(value["visible"][kept], whole["visible"][kept])
    overlap = [iou(a, b) for a, b in zip(unpack_masks(value), unpack_masks(whole), strict=True) if a.any()]
    assert np.mean(overlap) > 0.98


def test_a_black_first_frame_shows_no_target(tmp_path: Path) -> None:
    frames, truth = pan_away_and_back(40)
    hurt = frames.copy()
    hurt[0] = 0
    with pytest.raises(Unscored, match="the first frame"):
        followed(clip_of(hurt, tmp_path).under(object_track().frames), truth[0])
