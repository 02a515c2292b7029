"""Which worlds the metrics are calibrated on, and that what is declared blind is blind."""

import helpers
from worldgauge.calibration.gauges import choose_gauges


def test_each_kind_of_worlds_has_its_own_metrics():
    returns, layouts = ({gauge.id for gauge in choose_gauges(kind)} for kind in ("returns", "layouts"))
    assert "worldscore/camera_control" in layouts - returns
    assert "worldscore/flow_cycle_error" in returns & layouts
    assert "worldscore/smoothness_ssim" not in layouts


def test_blind_spots_are_real():
    # With the six worlds of --quick one dissenting world is enough to fail; with eight it is not.
    only_quick = {("worldscore/flow_cycle_error", "flicker")}
    assert helpers.blind_spots_not_seen("worldscore") == only_quick
