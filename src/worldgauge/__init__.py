"""WorldGauge: one instrument for video world models.

The names below are the public interface, with what the modules named in `_PUBLIC_MODULES` list in `__all__`;
everything else may move between versions.
"""

from __future__ import annotations

from worldgauge.core.lazy import imported_on_use

_PUBLIC = {
    "Arrays": "worldgauge.core.signal",
    "CameraPath": "worldgauge.core.cameras",
    "Case": "worldgauge.core.case",
    "Clip": "worldgauge.core.clip",
    "Comparison": "worldgauge.api.comparing",
    "Condition": "worldgauge.core.case",
    "Convention": "worldgauge.functional.camera_conventions",
    "FrameSpec": "worldgauge.core.frames",
    "Gauge": "worldgauge.api.batches",
    "Instrument": "worldgauge.core.instrument",
    "InvalidVideo": "worldgauge.core.errors",
    "Manifest": "worldgauge.core.manifest",
    "Measured": "worldgauge.api.measured",
    "Measurement": "worldgauge.core.metric",
    "Measurements": "worldgauge.api.measured",
    "ModelCard": "worldgauge.core.submission",
    "NotApplicable": "worldgauge.core.errors",
    "Phases": "worldgauge.core.case",
    "Question": "worldgauge.core.case",
    "Record": "worldgauge.core.record",
    "Reference": "worldgauge.core.case",
    "Run": "worldgauge.api.runs",
    "Status": "worldgauge.core.status",
    "Submission": "worldgauge.core.submission",
    "Target": "worldgauge.core.case",
    "Unscored": "worldgauge.core.errors",
    "Verb": "worldgauge.core.manifest",
    "Video": "worldgauge.core.video",
    "WorldGaugeError": "worldgauge.core.errors",
    "compare": "worldgauge.api.comparing",
    "evaluate": "worldgauge.api.runs",
    "load_run": "worldgauge.api.runs",
    "measure": "worldgauge.api.one_video",
    "metric": "worldgauge.core.metric",
    "signal": "worldgauge.core.signal",
}

_PUBLIC_MODULES = ("worldgauge.calibration", "worldgauge.parity", "worldgauge.verbs")
"""What a benchmark of one's own needs beside the names above: gauges, parity vectors, what commands share."""

__all__ = sorted(_PUBLIC)

__getattr__ = imported_on_use(__name__, _PUBLIC | {"__version__": "worldgauge.core.version"})
"""Import on first use, so that `import worldgauge` costs nothing."""


def __dir__() -> list[str]:
    return __all__
