"""What the metrics are about."""

from worldgauge.calibration import Gauge, Quality

_MOVES = "it looks at the target's first place, which the targets of gauge blocks leave"

GAUGES = (Gauge("turntable/colour_return", Quality.LIGHTING, worlds=("fixed",), blind={"lighting_drift": _MOVES}),)
