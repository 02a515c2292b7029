"""WorldGauge: one instrument for video world models.

The names below are the public interface; everything else may move between versions.
"""

from __future__ import annotations

from worldgauge.core.lazy import imported_on_use

_PUBLIC = {
    "Case": "worldgauge.core.case",
    "Clip": "worldgauge.core.clip",
    "Comparison": "worldgauge.api.comparing",
    "FrameSpec": "worldgauge.core.frames",
    "Gauge": "worldgauge.api.batches",
    "Instrument": "worldgauge.core.instrument",
    "Manifest": "worldgauge.core.manifest",
    "Measured": "worldgauge.api.measured",
    "Measurement": "worldgauge.core.metric",
    "Measurements": "worldgauge.api.measured",
    "Record": "worldgauge.core.record",
    "Run": "worldgauge.api.runs",
    "Status": "worldgauge.core.status",
    "Submission": "worldgauge.core.submission",
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

__all__ = sorted(_PUBLIC)

__getattr__ = imported_on_use(__name__, _PUBLIC)
"""Import on first use, so that `import worldgauge` costs nothing."""


def __dir__() -> list[str]:
    return __all__
