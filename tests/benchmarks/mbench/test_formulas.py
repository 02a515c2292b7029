"""Closed forms of every score, and what noise must give."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from worldgauge.benchmarks.mbench.formulas.action import TWISTS, action_scores, ideal_twists, twists
from worldgauge.benchmarks.mbench.formulas.centroid import centroid_similarities
from worldgauge.benchmarks.mbench.formulas.control import control_of
from worldgauge.benchmarks.mbench.formulas.face_tracks import identity_similarity, join_tracks
from worldgauge.benchmarks.mbench.formulas.lighting import lab_mean, lighting_difference, lighting_score
from worldgauge.benchmarks.mbench.formulas.pairs import early_late_pairs, fold_pairs
from worldgauge.benchmarks.mbench.formulas.style import early_late_frames, style_score
from worldgauge.benchmarks.mbench.formulas.two_views import epipolar_error, reprojection_error, turn_error
from worldgauge.benchmarks.mbench.formulas.warp import masked_ssim, warped_to
from worldgauge.functional.pose import invert
from worldgauge.functional.style import gram_distance
from worldgauge.instruments.pocket.random_style import RandomStyle


def yaw(degrees):
    """Camera-to-world poses that look right by so many degrees."""
    angles = np.radians(np.atleast_1d(degrees))
    poses = np.tile(np.eye(4), (len(angles), 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(angles)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(angles), -np.sin(angles)
    return poses


LENS = np.array([[600.0, 0, 320], [0, 600, 180], [0, 0, 1]])


def seen(points, pose):
    inside = (np.concatenate([points, np.ones((len(points), 1))], 1) @ invert(pose).T)[:, :3] @ LENS.T
    return inside[:, :2] / inside[:, 2:]


def noisy_matches(baseline, sigma, count=6000, seed=0):
    """Points about 5 deep in two views `baseline` median depths apart, with noise of `sigma` px per axis on both."""
    random = np.random.default_rng(seed)
    points = np.stack(
        [random.uniform(-2, 2, count), random.uniform(-1, 1, count), random.uniform(3.5, 6.5, count)], axis=1
    )
    other = yaw(3.0)[0]
    other[0, 3] = baseline * 5.0
    both = np.concatenate([seen(points, np.eye(4)), seen(points, other)], axis=1)
    return both + random.normal(0, sigma, both.shape), np.eye(4), other


@pytest.mark.parametrize("baseline", [0.02, 0.2])
@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_noise_gives_the_known_distances(baseline, sigma):
    """1.13 and 0.57 times the noise, within 5 %."""
    points, first, second = noisy_matches(baseline, sigma)
    assert epipolar_error(points, LENS, first, second) == pytest.approx(2 / math.sqrt(math.pi) * sigma, rel=0.05)
    assert reprojection_error(points, LENS, first, second) == pytest.approx(sigma / math.sqrt(math.pi), rel=0.05)


def test_without_a_baseline_triangulation_blows_up_and_a_turn_does_not():
    points, first, second = noisy_matches(1e-9, 1.0)
    assert reprojection_error(points, LENS, first, second) > 2.0
    # Two noisy points, one compared with the other: Rayleigh of sqrt(2).
    assert turn_error(points, LENS, first, second) == pytest.approx(math.sqrt(math.pi), rel=0.05)


def test_exact_points_have_no_error():
    points, first, second = noisy_matches(0.1, 0.0, count=50)
    assert epipolar_error(points, LENS, first, second) < 1e-9
    assert reprojection_error(points, LENS, first, second) < 1e-6


def exposed(image, factor):
    """The picture under `factor` times the light: linear sRGB scaled."""
    level = image / 255.0
    linear = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4) * factor
    back = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.clip(np.round(back * 255), 0, 255).astype(np.uint8)


def lightness(grey):
    """L* of an sRGB grey level, by its definition."""
    level = grey / 255.0
    linear = level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4
    return 116 * linear ** (1 / 3) - 16 if linear > (6 / 29) ** 3 else linear * (29 / 3) ** 3


def test_lighting_of_an_exposure_step():
    dark = np.full((8, 8, 3), 100, np.uint8)
    bright = exposed(dark, 2.0)
    means = np.stack([lab_mean(frame) for frame in [dark] * 4 + [bright] * 4])
    (apart,) = lighting_difference(means, [(range(4), range(4, 8))], alpha=0.5)
    step = lightness(int(bright[0, 0, 0])) - lightness(100)
    assert apart == pytest.approx(0.5 * step, abs=0.02)
    assert lighting_score(np.array([apart]), tau=10) == pytest.approx(math.exp(-0.05 * step), abs=0.001)


def cielab(colour):
    """L*, a*, b* of an sRGB colour under D65, written out from the definition."""
    red, green, blue = (
        lin / 12.92 if lin <= 0.04045 else ((lin + 0.055) / 1.055) ** 2.4 for lin in np.array(colour) / 255
    )
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    a, b, c = (t ** (1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29 for t in (x, y, z))
    return np.array([116 * b - 16, 500 * (a - b), 200 * (b - c)])


def test_lighting_of_colours_of_equal_lightness():
    """Two 8-bit colours whose L* differ by less than 0.001: only a* and b* count, through real CIELAB."""
    grey, violet = (120, 120, 120), (119, 117, 148)
    light, red, yellow = cielab(violet) - cielab(grey)
    apart = math.hypot(red, yellow)
    assert abs(light) < 0.001 and apart == pytest.approx(18.16, abs=0.01)
    pictures = [np.full((6, 8, 3), colour, np.uint8) for colour in (grey, violet)]
    means = np.stack([lab_mean(picture) for picture in (pictures[0], pictures[0], pictures[1], pictures[1])])
    segments = [(range(2), range(2, 4))]
    assert lighting_difference(means, segments, alpha=0.5).item() == pytest.approx(apart / 2, abs=0.005)
    assert lighting_difference(means, segments, alpha=1.0).item() == pytest.approx(0.0, abs=0.002)
    score = lighting_score(lighting_difference(means, segments, alpha=0.5), tau=10)
    assert score == pytest.approx(math.exp(-apart / 20), abs=0.0005)


def test_lighting_of_a_step_in_colour_alone():
    """L* stays, a* and b* move by (3, 4): D is half of 5."""
    lab = np.tile(np.float32([60.0, 0.0, 0.0]), (4, 4, 1))
    tinted = lab + np.float32([0, 3, 4])
    frames = [cv2.cvtColor(picture, cv2.COLOR_LAB2RGB) for picture in (lab, tinted)]
    means = np.stack([lab_mean(np.round(255 * frame).astype(np.uint8)) for frame in frames])
    (apart,) = lighting_difference(means, [([0], [1])], alpha=0.5)
    assert apart == pytest.approx(2.5, abs=0.3)
    assert lighting_difference(means, [([0], [1])], alpha=0.0).item() == pytest.approx(5.0, abs=0.4)
    assert lighting_difference(means, [([0], [1])], alpha=1.0).item() == pytest.approx(0.0, abs=0.3)


def textured(seed=3):
    random = np.random.default_rng(seed)
    return cv2.GaussianBlur(random.integers(0, 256, (72, 96, 3), dtype=np.uint8), (0, 0), 2)


def style_distances(frames, pairs):
    network = RandomStyle(shorter=16)
    grams = network.grams(np.stack(frames))
    of = [[layer[k] for layer in grams] for k in range(len(frames))]
    return np.stack([gram_distance(of[i], of[j]) for i, j in pairs])


def test_style_of_a_filter_switched_on_at_frame_k():
    """Adjacent frames see one step of N - 1; early and late ones see it in every pair that spans it."""
    plain = textured()
    filtered = 255 - plain // 2
    frames, count = [plain] * 6 + [filtered] * 4, 10
    steps = style_distances(frames, [(k, k + 1) for k in range(count - 1)])
    (whole,) = style_distances([plain, filtered], [(0, 1)])
    assert (steps[[*range(5), *range(6, 9)]] == 0).all()
    expected = 1 - whole.mean() / (count - 1)
    assert style_score(steps) == pytest.approx(max(0.0, expected))
    early, late = early_late_frames(count, each=3)
    across = style_distances(frames, [(i, j) for i in early for j in late])
    assert style_score(across) == pytest.approx(max(0.0, 1 - whole.mean()))
    assert style_score(across) < style_score(steps)


def test_a_slow_drift_shows_only_between_early_and_late():
    """The mean of adjacent distances falls with the number of frames, that of early and late ones does not."""
    plain = textured().astype(float)
    found = {}
    for count in (6, 24):
        frames = [np.clip(plain * (1 - 0.3 * k / (count - 1)), 0, 255).astype(np.uint8) for k in range(count)]
        steps = style_distances(frames, [(k, k + 1) for k in range(count - 1)]).mean()
        early, late = early_late_frames(count, each=3)
        found[count] = steps, style_distances(frames, [(i, j) for i in early for j in late]).mean()
    assert found[24][0] < 0.4 * found[6][0]
    assert found[24][1] == pytest.approx(found[6][1], rel=0.2)
    assert found[24][1] > 10 * found[24][0]


def test_action_scores():
    left = yaw(-np.linspace(0, 20, 9))
    ideal = ideal_twists([("left", 1.0)], 8)
    scores = {
        "exact": action_scores(twists(left), ideal),
        "mirrored": action_scores(twists(yaw(np.linspace(0, 20, 9))), ideal),
        "scaled": action_scores(3 * twists(left), ideal),
        "still": action_scores(twists(yaw(np.zeros(9))), ideal),
    }
    sideways = np.tile(np.eye(4), (9, 1, 1))
    sideways[:, 0, 3] = np.linspace(0, 1, 9)
    scores["orthogonal"] = action_scores(twists(sideways), ideal)
    means = {name: float(found.mean()) for name, found in scores.items()}
    assert means == pytest.approx({"exact": 1.0, "mirrored": 0.0, "scaled": 1.0, "still": 0.0, "orthogonal": 0.5})
    positive = action_scores(twists(sideways), ideal, to_unit="positive")
    assert positive.mean() == pytest.approx(0.0)


def test_waiting_is_left_out_and_turns_can_count_alone():
    poses = yaw(-np.array([0, 5, 10, 10, 10, 5, 0.0]))
    poses[:, 0, 3] = np.linspace(0, 1, 7)
    ideal = ideal_twists([("left", 1 / 3), ("wait", 1 / 3), ("right", 1 / 3)], 6)
    both = action_scores(twists(poses), ideal)
    assert np.isnan(both).tolist() == [False, False, True, True, False, False]
    assert np.nanmean(both) < 0.9
    assert np.nanmean(action_scores(twists(poses), ideal, rotation_only=True)) == pytest.approx(1.0)


def test_control_tells_the_kinds_of_failure():
    """Asked: left, then right, for ten steps each."""
    ideal = ideal_twists([("left", 0.5), ("right", 0.5)], 20)
    exact = control_of(ideal / 50, ideal)
    assert (exact.executed, exact.wrong, exact.lag, exact.stops_early) == (1.0, 0.0, 0.0, 0.0)
    mirrored = control_of(-ideal, ideal)
    assert (mirrored.executed, mirrored.wrong) == (0.0, 1.0)
    late = control_of(np.concatenate([np.zeros((4, 6)), ideal[:-4]]), ideal)
    assert late.lag == pytest.approx(0.2)
    half = control_of(np.where(np.arange(20)[:, None] < 10, ideal, 0.0), ideal)
    assert (half.executed, half.stops_early) == (0.5, 0.5)
    still = control_of(np.zeros((20, 6)), ideal)
    assert (still.executed, still.stops_early) == (0.0, 1.0)


def test_in_a_left_pan_the_picture_moves_right():
    """The sign of `left`, by pixels: a point of the scene has a larger x in the second frame."""
    point = np.array([[0.1, 0.0, 5.0]])
    first, second = yaw(0)[0], yaw(-5)[0]
    assert seen(point, second)[0, 0] > seen(point, first)[0, 0]
    assert float(twists(np.stack([first, second]))[0] @ np.array(TWISTS["left"])) > 0


E = np.eye(6)


@pytest.mark.parametrize(
    ("frames", "vectors", "tracks"),
    [
        # Two people who change places in the list of detections stay themselves.
        ([0, 0, 1, 1, 2, 2], [E[0], E[1], E[1], E[0], E[0], E[1]], [[0, 3, 4], [1, 2, 5]]),
        # A gap: the one who comes back is the one who left.
        ([0, 5], [E[0], E[0]], [[0, 1]]),
        # Another person begins a track.
        ([0, 1], [E[0], E[1]], [[0], [1]]),
        # The likest pair is joined first, whatever the order of detections.
        ([0, 1, 1], [E[0], E[0] + E[1], E[0] + 0.1 * E[1]], [[0, 2], [1]]),
    ],
)
def test_people_are_told_apart(frames, vectors, tracks):
    assert join_tracks(frames, np.array(vectors)) == tracks


def test_the_threshold_is_a_similarity_or_a_distance():
    vectors = np.array([E[0], 0.5 * E[0] + math.sqrt(0.75) * E[1]])
    assert join_tracks([0, 1], vectors) == [[0, 1]]
    assert join_tracks([0, 1], vectors, measure="distance") == [[0], [1]]


def test_centroid_scores():
    """n orthogonal vectors have a cosine of 1 / sqrt(n) to their mean; a single one has 1."""
    assert centroid_similarities(E[:4]).mean() == pytest.approx(0.5)
    assert centroid_similarities(E[:1]).mean() == pytest.approx(1.0)
    half = np.concatenate([np.tile(E[0], (3, 1)), np.tile(E[1], (3, 1))])
    assert identity_similarity(half, [[0, 1, 2], [0, 3]]) == pytest.approx([1.0, math.sqrt(0.5)])


def test_fold_pairs_meet_at_equal_poses():
    path = yaw(np.concatenate([np.linspace(0, 40, 21), np.linspace(38, 0, 20)]))
    chosen = fold_pairs(path)
    assert chosen.rule == "fold"
    assert chosen.turnaround == 20
    assert chosen.pairs == [(k, 40 - k) for k in range(20)]
    assert fold_pairs(path, keep=3).pairs == [(0, 40), (1, 39), (2, 38)]
    assert chosen.excursion == pytest.approx(40 / 180)


@pytest.mark.parametrize("path", [yaw(np.zeros(8)), yaw(np.linspace(0, 40, 8))], ids=["still", "one way"])
def test_no_turnaround_is_told(path):
    chosen = fold_pairs(path)
    assert chosen.rule == "symmetric"
    assert chosen.pairs == [(0, 7), (1, 6), (2, 5), (3, 4)]


def test_text_pairs_are_those_of_the_most_similar_poses():
    path = yaw(np.concatenate([np.linspace(0, 36, 10), np.linspace(36, 0, 10)]))
    chosen = early_late_pairs(path, keep=3)
    assert chosen.pairs == [(0, 19), (1, 18), (2, 17)]
    assert all(i < 8 and j >= 12 for i, j in early_late_pairs(path, keep=50).pairs)


def test_a_turned_view_is_brought_back():
    """A camera that turned sees the same plane at infinity: the picture comes back, and what left the view is told."""
    random = np.random.default_rng(0)
    blurred = cv2.GaussianBlur(random.normal(size=(180, 320, 3)), (0, 0), 4)
    world = np.clip(128 + 60 * blurred / blurred.std(), 0, 255).astype(np.uint8)
    lens = np.array([[200.0, 0, 160], [0, 200, 90], [0, 0, 1]])
    turned, known = warped_to(world, np.ones((180, 320)), lens, yaw(10)[0], np.eye(4))
    back, kept = warped_to(turned, np.ones((180, 320)), lens, np.eye(4), yaw(10)[0])
    inside = np.zeros((180, 320), bool)
    inside[60:120, 160:220] = True
    assert masked_ssim(world, back, inside, kept) > 0.95
    assert not known.all() and not kept.all()
    assert masked_ssim(world, np.roll(back, 8, axis=1), inside, kept) < 0.8
    assert math.isnan(masked_ssim(world, back, ~kept, kept))


def test_a_repeating_pattern_moved_by_its_period_looks_like_itself():
    """So a length is read off a pattern that does not repeat."""
    y, x = np.mgrid[:96, :96]
    checks = np.where((x // 6 + y // 6) % 2, 200, 60).astype(np.uint8)
    once = np.random.default_rng(0).integers(60, 200, (16, 16)).astype(np.float32)
    once = cv2.resize(once, (96, 96), interpolation=cv2.INTER_CUBIC).clip(0, 255).astype(np.uint8)
    inside = np.zeros((96, 96), bool)
    inside[24:72, 24:72] = True

    def moved(picture, shift):
        colours = np.stack([picture] * 3, -1)
        return masked_ssim(colours, np.roll(colours, shift, axis=1), inside, np.ones_like(inside))

    assert moved(checks, 6) < 0 and moved(checks, 12) == pytest.approx(1.0)
    assert 1.0 > moved(once, 1) > moved(once, 3) > moved(once, 6) and moved(once, 12) < 0.3


def test_what_is_hidden_there_is_not_compared():
    near = np.full((20, 20), 4.0)
    there = np.full((20, 20), 4.0)
    there[:, 10:] = 1.0
    lens = np.array([[20.0, 0, 10], [0, 20, 10], [0, 0, 1]])
    _, known = warped_to(np.zeros((20, 20, 3), np.uint8), near, lens, np.eye(4), np.eye(4), there)
    assert known[:, :10].all()
    assert not known[:, 10:].any()
