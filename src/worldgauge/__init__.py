"""WorldGauge: one instrument for video world models.

The names below are the public interface, and so are those that the modules of `_PUBLIC_MODULES` list in `__all__`;
everything else may move between versions.
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "Arrays": "worldgauge.core.signal",
    "CameraPath": "worldgauge.core.cameras",
    "Case": "worldgauge.core.case",
    "Clip": "worldgauge.core.clip",
    "Condition": "worldgauge.core.case",
    "Convention": "worldgauge.functional.camera_conventions",
    "FrameSpec": "worldgauge.core.frames",
    "Instrument": "worldgauge.core.instrument",
    "InvalidVideo": "worldgauge.core.errors",
    "Manifest": "worldgauge.core.manifest",
    "Measurement": "worldgauge.core.metric",
    "ModelCard": "worldgauge.core.submission",
    "NotApplicable": "worldgauge.core.errors",
    "Phases": "worldgauge.core.case",
    "Question": "worldgauge.core.case",
    "Record": "worldgauge.core.record",
    "Reference": "worldgauge.core.case",
    "Status": "worldgauge.core.status",
    "Submission": "worldgauge.core.submission",
    "Target": "worldgauge.core.case",
    "Unscored": "worldgauge.core.errors",
    "Verb": "worldgauge.core.manifest",
    "Video": "worldgauge.core.video",
    "WorldGaugeError": "worldgauge.core.errors",
    "load_run": "worldgauge.core.run_folder",
    "metric": "worldgauge.core.metric",
    "signal": "worldgauge.core.signal",
}

_PUBLIC_MODULES = ("worldgauge.calibration", "worldgauge.parity", "worldgauge.verbs")
"""What a benchmark of one's own needs beside the names above: gauges, parity vectors, what commands share."""

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import worldgauge` costs nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'worldgauge' has no attribute '{name}'")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    # Importing the submodule `worldgauge.metric...` must not shadow the name next time.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
