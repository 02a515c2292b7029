"""The checks of instruments against gauge blocks, themselves checked with instruments that know the truth."""

from collections.abc import Iterator

import numpy as np
import pytest

from worldgauge.blocks import Block
from worldgauge.blocks.block import Truth
from worldgauge.calibration.instrument_checks import appearance
from worldgauge.signals.tracks import Sighting


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Block(seed=3, family="yard", path="away_left", process="rolling", size=(160, 90), frames=25).render()


class TrueFlow:
    """Answers forward with the block's own flow, pair after pair, and backward with zero."""

    def __init__(self, truth: Truth, every: int) -> None:
        self._answers = iter([part for k in range(0, len(truth.flow), every) for part in (truth.flow[k], None)])

    def flow_stacks(self, frames: np.ndarray, pairs: list[tuple[int, int]]) -> Iterator[np.ndarray]:
        for _ in pairs:
            answer = next(self._answers)
            yield np.zeros((1, *frames[0].shape[:2], 2), np.float32) if answer is None else answer[None]


class Fixed:
    """A tracker that gives the same masks whatever it is shown."""

    def __init__(self, masks: np.ndarray) -> None:
        self._masks = masks

    def track(self, frames: object, box: object, mask: object) -> Iterator[Sighting]:
        return (Sighting(mask, 1.0) for mask in self._masks)


def test_true_flow_has_no_error(truth: Truth) -> None:
    found = appearance.flow_errors(truth, TrueFlow(truth, 2), every=2)
    assert found["end_point_median"] == found["end_point_p90"] == 0


def test_dis_has_some_error_and_finds_most_occlusions(truth: Truth) -> None:
    found = appearance.flow_errors(truth, every=4)
    assert 0 < found["end_point_median"] < 1
    assert 0.3 < found["occlusion_f1"] <= found["occlusion_f1_hidden"] <= 1


def test_a_perfect_tracker_scores_full_and_is_wrong_where_nothing_returns(truth: Truth) -> None:
    found = appearance.track_errors(truth, Fixed(truth.visible))
    assert found == {"iou": 1, "redetected": 1, "false_away": 0, "false_vanished": 1}


def test_a_tracker_that_sees_the_target_everywhere_or_nowhere(truth: Truth) -> None:
    everywhere = appearance.track_errors(truth, Fixed(np.ones_like(truth.visible)))
    assert everywhere["iou"] < 0.2 and everywhere["false_away"] == everywhere["redetected"] == 1
    nowhere = appearance.track_errors(truth, Fixed(np.zeros_like(truth.visible)))
    assert nowhere == {"iou": 0, "redetected": 0, "false_away": 0, "false_vanished": 0}


def test_the_vanished_world_is_the_same_until_the_target_left(truth: Truth) -> None:
    assert truth.phases is not None
    frames = appearance.vanished_frames(truth)
    assert np.array_equal(frames[: truth.phases.gone], truth.frames[: truth.phases.gone])
    assert not np.array_equal(frames[truth.phases.back], truth.frames[truth.phases.back])


def test_roc_auc_against_counting() -> None:
    rng = np.random.default_rng(0)
    positive, negative = rng.integers(0, 9, 40) + 1.0, rng.integers(0, 9, 60) + 0.0
    above, equal = positive[:, None] > negative, positive[:, None] == negative
    assert appearance.roc_auc(list(positive), list(negative)) == pytest.approx((above + 0.5 * equal).mean())


def test_embedding_quality_and_style_checks_run_on_a_block(truth: Truth) -> None:
    assert 0.5 < appearance.embedding_auc(truth)["auc"] <= 1
    found = appearance.quality_doses(truth, every=6)
    assert appearance.style_doses(truth, every=6)["rho_style"] > 0.9
    assert set(found) == {"rho_blur", "rho_noise", "rho_compression"} and max(found.values()) < -0.8
