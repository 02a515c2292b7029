"""The tables of the held-out figures, from worlds whose figures are made up."""

import pytest
from bench.held_out import report


def world(mean: float, doubted: bool, iou: float = 0.9) -> dict[str, dict[str, float] | str]:
    return {
        "flow": {"end_point_median": 0.1},
        "track": {"iou": iou, "redetected": 1.0},
        "poses": {"mean_rotation": mean, "doubted": float(doubted)},
    }


def test_doubt_is_counted_for_wrong_and_for_right_paths() -> None:
    wrong = [world(8.0, True)] * 4 + [world(6.0, False)]
    text = report([world(0.1, False)] * 19 + [world(0.2, True)], wrong)
    assert "more than 5 degrees in the mean: 4 of 5 (80.0 %" in text
    assert "Other paths: 1 of 20 (5.0 %" in text


def test_figures_come_with_intervals_and_refusals_are_counted() -> None:
    mixed = [world(0.1, False, iou) for iou in (0.7, 0.8, 0.9, 1.0)] + [{"track": "no colours", "poses": "black"}]
    lines = report(mixed, []).splitlines()
    (iou,) = [line for line in lines if "track: iou" in line]
    assert "| 4 | 0.85 (" in iou
    low, high = (float(word.strip("(")) for word in iou.split("| 0.85 ")[1].split(")")[0].split(" to "))
    assert 0.7 < low < 0.85 < high < 1.0
    assert any("mixed, poses: no answer (black) | 1" in line for line in lines)
    assert any(line.startswith("Tracks of 4 worlds: iou 0.85 (") and "redetected 1 (" in line for line in lines)
    assert "none of none" in report([], [])


@pytest.mark.parametrize("hits", [0, 5])
def test_the_interval_of_a_share_stays_a_share(hits: int) -> None:
    text = report([world(0.1, k < hits) for k in range(5)], [])
    low, high = (float(part) for part in text.splitlines()[-1].split("%, ")[1].split(")")[0].split(" to "))
    assert -0.1 <= low < high <= 100.1
