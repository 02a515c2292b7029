"""What the shipped calibrations say about a definition of a run, for the metric pages of a report."""

from __future__ import annotations

from typing import Any

from worldgauge.calibration.result import CalibrationFile, GaugeResult, must, shipped
from worldgauge.core.canonical import digest_of, short
from worldgauge.core.run_file import DefinitionFile


def shipped_calibration(definition: DefinitionFile) -> list[dict[str, Any]]:
    """Calibrations of this measurement; where there are none, those of the metric under other definitions, by name.

    A calibration measures in the metric's own unit. The scale of a benchmark turns that into points and is no part of
    the measurement, so it is left out of the comparison.
    """
    measurement = fingerprint_without_scale(definition)
    of_metric = [(file, gauge) for file in shipped() for gauge in file.gauges if gauge.metric == definition.metric]
    same = [_described(file, gauge) for file, gauge in of_metric if gauge.fingerprint == measurement]
    return same or [
        {"id": gauge.id, "same": False, "fingerprint": gauge.fingerprint, "parameters": gauge.parameters}
        for _, gauge in of_metric
    ]


def fingerprint_without_scale(definition: DefinitionFile) -> str:
    """The fingerprint the same measurement has where a benchmark does not scale it."""
    content = definition.model_dump(mode="json", include={"metric", "version", "parameters", "signals"})
    return short(digest_of(content | {"scale": None}))


def _described(file: CalibrationFile, gauge: GaugeResult) -> dict[str, Any]:
    rows = [
        {
            "fault": response.fault,
            "changes": file.faults.get(response.fault, ""),
            "doses": [[dose.severity, dose.difference] for dose in response.doses],
            "rho": response.rho,
            "detects": response.detects,
            "clear": response.clear_from,
            "must": must(response.verdict) if response.verdict else "",
            "holds": response.verdict.holds if response.verdict else None,
            "why": (response.verdict.known or response.verdict.why) if response.verdict else "",
        }
        for response in gauge.responses
    ]
    return {
        "id": gauge.id,
        "same": True,
        "fingerprint": gauge.fingerprint,
        "unit": gauge.unit,
        "oracle": gauge.oracle,
        "specificity": gauge.specificity,
        "ignored": gauge.ignored_clips,
        "held_out": file.held_out,
        "reason": gauge.reason,
        "worlds": file.where,
        "size": list(file.size),
        "frames": file.frames,
        "rows": rows,
    }
