"""What the metrics are about."""

from worldgauge.calibration import CalibrationGauge, Quality

_MOVES = "it looks at the target's first place, which the targets of gauge blocks leave"

GAUGES = (
    CalibrationGauge("turntable/colour_return", Quality.LIGHTING, worlds=("fixed",), blind={"lighting_drift": _MOVES}),
)
