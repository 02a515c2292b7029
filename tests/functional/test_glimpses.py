"""Direction of time and double images, on small made videos whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.functional.glimpses import blended_shares, forward_share, glimpse, steps_off, tone_fullness

COUNT = 32


def _pan(step: int = 1, count: int = COUNT) -> np.ndarray:
    """A textured scene that a camera pans over, as glimpses."""
    import cv2

    rough = np.random.default_rng(1).uniform(30, 220, (27, 200, 3))
    scene = cv2.GaussianBlur(rough, (0, 0), 2.0)
    return np.stack([scene[:, step * k : step * k + 48] for k in range(count)])


def test_time_runs_forwards_stands_or_runs_backwards() -> None:
    video = _pan()
    assert forward_share(video, video)[0] == pytest.approx(1)
    assert forward_share(video[::-1], video)[0] < -0.9
    assert abs(forward_share(np.repeat(video[:1], COUNT, 0), video)[0]) < 0.1
    assert abs(forward_share(np.zeros_like(video), video)[0]) < 0.1


def test_a_reversed_span_costs_its_share_and_light_costs_nothing() -> None:
    video = _pan()
    span = np.concatenate([video[:12], video[12:22][::-1], video[22:]])
    value, says = forward_share(span, video)
    assert 0.1 < value < 0.7
    assert np.nanmean(says[13:19]) < -0.5 < 0.5 < np.nanmean(says[3:10])
    assert forward_share(0.6 * video + 10, video)[0] > 0.9


def test_frames_that_show_nothing_say_what_those_around_them_say() -> None:
    video = _pan()
    stands = np.concatenate([video[:16], np.repeat(video[15:16], 16, 0)])
    for ours in (video, stands):
        whole, _ = forward_share(ours, video)
        for lost in ([5, 6], [20, 25]):
            spoilt, shown = ours.copy(), np.isin(np.arange(COUNT), lost, invert=True)
            spoilt[lost] = 0
            assert forward_share(spoilt, video, shown)[0] == pytest.approx(whole, abs=0.02), lost


def test_a_lost_frame_loses_its_own_say_alone() -> None:
    video = _pan()
    shown = np.arange(COUNT) != 11
    spoilt = np.where(shown[:, None, None, None], video, 0)
    whole, left = (np.isfinite(forward_share(*given)[1]) for given in ((video, video), (spoilt, video, shown)))
    assert np.flatnonzero(whole & ~left).tolist() == [11]


def test_lost_frames_of_what_swings_do_not_turn_its_direction() -> None:
    # To and fro in six frames: at another step than the usual one, the true moments before and after are alike.
    count = np.arange(49)
    scene = _pan(count=49)[np.round(12 + 8 * np.sin(0.4 + count * np.pi / 3) + 0.15 * count).astype(int)]
    theirs, ours = scene + np.random.default_rng(0).normal(0, 0.5, (2, *scene.shape))
    backwards = ours[::-1]
    whole, _ = forward_share(backwards, theirs)
    for lost in range(2, 47):
        spoilt = backwards.copy()
        spoilt[lost] = 0
        assert forward_share(spoilt, theirs, count != lost)[0] == pytest.approx(whole, abs=0.15), lost


@pytest.mark.parametrize("lost", [48, 47, 0])
def test_a_frame_lost_at_an_end_takes_no_other_one_s_say(lost: int) -> None:
    video = _pan(count=49)
    spoilt, shown = video.copy(), np.arange(49) != lost
    spoilt[lost] = 0
    whole, left = (np.isfinite(forward_share(*given)[1]) for given in ((video, video), (spoilt, video, shown)))
    assert set(np.flatnonzero(whole & ~left).tolist()) <= {lost}


def test_a_still_reference_has_no_direction() -> None:
    video = np.repeat(_pan()[:1], COUNT, 0)
    assert np.isnan(forward_share(video, video)[0])


def test_other_lengths_are_stretched() -> None:
    video = _pan()
    assert forward_share(video[::2], video)[0] > 0.8
    # Less than a frame off is when it is due.
    assert steps_off(video[np.round(np.linspace(0, COUNT - 1, 12)).astype(int)], video)[0] == 0


def test_what_nobody_can_see_is_no_course_of_time() -> None:
    faint = 128 + 1e-4 * (_pan() - 128)
    assert np.isnan(forward_share(faint, faint)[0])


def test_blends_are_told_by_their_weight() -> None:
    video = _pan()
    assert blended_shares(video, video).max() == 0
    for weight, share in ((0.25, 0.5), (0.5, 1.0)):
        ghost = video.copy()
        ghost[8:24] = (1 - weight) * video[8:24] + weight * video[5:21]
        found = blended_shares(ghost, video)
        assert found[8:24] == pytest.approx(share, abs=0.02)
        assert found[:8].max() == 0


def test_another_moment_and_noise_are_no_blend() -> None:
    video = _pan(4)
    late = np.concatenate([video[2:], video[-2:]])
    assert blended_shares(late, video)[:-2].max() < 0.05
    noisy = video + np.random.default_rng(2).normal(0, 3, video.shape)
    assert blended_shares(noisy, video).max() < 0.05


def test_blending_survives_the_averaging() -> None:
    first, second = (np.random.default_rng(k).integers(0, 256, (90, 160, 3)).astype(np.uint8) for k in (0, 1))
    mixed = ((first.astype(int) + second) // 2).astype(np.uint8)
    np.testing.assert_allclose(glimpse(mixed), (glimpse(first).astype(float) + glimpse(second)) / 2, atol=0.7)


def test_banding_leaves_gaps_among_the_tones() -> None:
    frame = np.random.default_rng(0).integers(20, 220, (90, 160, 3)).astype(np.uint8)
    assert tone_fullness(frame) == 1.0
    assert tone_fullness(frame // 16 * 16) == pytest.approx(1 / 16, abs=0.02)
    # A dark picture is not a banded one.
    assert tone_fullness(frame // 4) == 1.0


def test_a_loop_is_out_of_step_by_what_it_goes_back() -> None:
    video = _pan()
    assert steps_off(video, video)[0] == 0
    assert steps_off(0.6 * video + 10, video)[0] == 0
    loop = np.concatenate([video[:24], video[16:24]])
    value, off = steps_off(loop, video)
    assert off[:24].max() == 0 and off[24:] == pytest.approx(8 / 31, abs=0.01)
    assert value == pytest.approx(8 / 31 / 4, abs=0.01)
    # Where nothing moves, every moment is the one that is due.
    still = np.repeat(video[:1], COUNT, 0)
    assert steps_off(still, still)[0] == 0
    assert np.isnan(steps_off(np.random.default_rng(3).uniform(0, 255, video.shape), video)[0])
