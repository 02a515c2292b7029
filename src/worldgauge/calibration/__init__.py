"""Calibration: every metric against every fault, on worlds whose truth is known."""

from worldgauge.calibration.result import CalibrationFile, lines_about, shipped

__all__ = ["CalibrationFile", "lines_about", "shipped"]
