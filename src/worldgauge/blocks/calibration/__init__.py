"""Calibration: every metric against every fault, on worlds whose truth is known."""

from worldgauge.blocks.calibration.result import CalibrationFile, of_metric, shipped

__all__ = ["CalibrationFile", "of_metric", "shipped"]
