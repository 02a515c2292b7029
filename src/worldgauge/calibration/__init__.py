"""Calibration: every metric against every fault, on worlds whose truth is known.

`CalibrationGauge` and `Quality` are what a benchmark's own declarations are made of.
"""

from worldgauge.calibration.result import CalibrationFile, lines_about, shipped
from worldgauge.core.gauge import CalibrationGauge, Quality

__all__ = ["CalibrationFile", "CalibrationGauge", "Quality", "lines_about", "shipped"]
