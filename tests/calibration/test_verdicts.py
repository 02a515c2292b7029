"""When a metric that must stay still is said to have moved: the rule, dose by dose."""

from __future__ import annotations

import pytest

from worldgauge.blocks.faults import FAULTS, Quality
from worldgauge.calibration.result import Dose, Response, Verdict
from worldgauge.calibration.verdicts import LEAST_RHO, STILL, judge, reach_of
from worldgauge.core.gauge import CalibrationGauge

GAUGE = CalibrationGauge("m", Quality.PICTURE)
SEEN, CHANCE = 0.05, 0.051
"""The largest p-value that is evidence, and one that is none."""


def _dose(severity: float, difference: float | None, p_value: float | None = SEEN, cases: int = 8) -> Dose:
    return Dose(
        severity=severity, quantity=1.0, cases=cases, mean=0.0, interval=None, difference=difference, p_value=p_value
    )


def _response(fault: str, *doses: Dose, rho: float | None = -1.0, detects: float | None = 0.5) -> Response:
    return Response(fault=fault, doses=list(doses), rho=rho, detects=detects)


def _verdict(*doses: Dose, fault: str = "vanish", reach: float = -10.0, gauge: CalibrationGauge = GAUGE) -> Verdict:
    """The verdict on a fault, for a metric that full blur moves by `reach`."""
    judged = judge(gauge, [_response("blur", _dose(1.0, reach)), _response(fault, *doses)])
    assert judged[1].verdict is not None
    return judged[1].verdict


def test_the_faults_used_here_declare_what_the_tests_take_for_granted() -> None:
    assert [m.to for m in FAULTS["blur"].moves if m.quality == Quality.PICTURE] == ["worse"]
    assert [s.up_to for s in FAULTS["vanish"].stays if s.quality == Quality.PICTURE] == [1.0]
    assert [s.up_to for s in FAULTS["blur"].stays if s.quality == Quality.CAMERA] == [0.5]


@pytest.mark.parametrize(
    ("change", "p_value", "holds"),
    [
        (0.0, SEEN, True),
        (10 * STILL, SEEN, True),
        (-10 * STILL, SEEN, True),
        (10 * STILL + 0.01, SEEN, False),
        (-10 * STILL - 0.01, SEEN, False),
        (-9.0, CHANCE, True),
        (-9.0, None, True),
    ],
)
def test_still_means_a_small_share_of_its_reach_or_chance(change: float, p_value: float | None, holds: bool) -> None:
    assert _verdict(_dose(1.0, change, p_value)).holds is holds


def test_the_largest_change_of_all_doses_decides_in_either_direction() -> None:
    found = _verdict(_dose(0.25, 0.1), _dose(0.5, -3.0), _dose(1.0, 1.0))
    assert found.holds is False
    assert found.why == "change -3 at severity 0.5, 30% of its reach"
    assert _verdict(_dose(0.25, 0.1), _dose(0.5, None), _dose(1.0, 1.0)).holds is True


def test_doses_beyond_the_declared_severity_are_not_asked() -> None:
    camera = CalibrationGauge("m", Quality.CAMERA)
    drift = _response("camera_drift", _dose(1.0, -10.0))
    for limit, holds in ((0.5, False), (0.51, None)):
        judged = judge(camera, [drift, _response("blur", _dose(limit, -9.0))])
        assert judged[1].verdict is not None
        assert judged[1].verdict.holds is holds
        assert judged[1].verdict.up_to == 0.5
    assert judged[1].verdict.why == "not scored up to severity 0.5"


def test_without_reach_nothing_can_be_called_still() -> None:
    alone = judge(GAUGE, [_response("vanish", _dose(1.0, 0.0))])[0].verdict
    assert alone is not None
    assert (alone.expects, alone.holds, alone.why) == ("still", None, "nothing to compare the change with")


def test_reach_is_the_largest_change_the_metric_sees_at_full_severity() -> None:
    blur = _response("blur", _dose(0.5, -99.0), _dose(1.0, -4.0))
    noise = _response("noise", _dose(1.0, 6.0))
    unseen = _response("compression", _dose(1.0, -50.0), detects=None)
    elsewhere = _response("vanish", _dose(1.0, -70.0))
    assert reach_of(GAUGE, [blur, noise, unseen, elsewhere]) == 6.0
    assert reach_of(GAUGE, [unseen, elsewhere]) is None


@pytest.mark.parametrize(
    ("difference", "p_value", "rho", "holds"),
    [
        (-1.0, SEEN, -LEAST_RHO, True),
        (1.0, SEEN, -1.0, False),
        (-1.0, CHANCE, -1.0, False),
        (-1.0, SEEN, -LEAST_RHO + 0.01, False),
        (-1.0, SEEN, None, False),
        (None, None, -1.0, None),
    ],
)
def test_moved_means_the_right_way_steadily_and_not_by_chance(
    difference: float | None, p_value: float | None, rho: float | None, holds: bool | None
) -> None:
    judged = judge(GAUGE, [_response("blur", _dose(1.0, difference, p_value), rho=rho)])[0].verdict
    assert judged is not None
    assert (judged.expects, judged.holds) == ("worse", holds)


@pytest.mark.parametrize(
    ("difference", "p_value", "holds"), [(1.0, SEEN, False), (1.0, CHANCE, True), (0.0, SEEN, True)]
)
def test_no_better_means_no_gain_but_by_chance(difference: float, p_value: float, holds: bool) -> None:
    gauge = CalibrationGauge("m", Quality.PICTURE, no_better=("vanish",), blind={"vanish": "it sees no target"})
    found = _verdict(_dose(1.0, difference, p_value), gauge=gauge)
    assert (found.expects, found.holds, found.known) == ("no better", holds, "it sees no target")


def test_what_is_not_asked_gets_no_verdict() -> None:
    gauge = CalibrationGauge("m", Quality.PICTURE, unasked={"vanish": "has no target"})
    assert judge(gauge, [_response("vanish", _dose(1.0, -9.0))])[0].verdict is None
