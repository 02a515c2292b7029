"""Generic metrics: what any video can be measured by. Those of one benchmark live in its folder."""

from worldgauge.core.manifest import Manifest, modules_in

MANIFEST = Manifest(package=__name__, metrics=modules_in(__file__, "calibration"), calibration=".calibration:GAUGES")
