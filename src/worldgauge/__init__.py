"""WorldGauge: one instrument for video world models.

The names below are the public interface; everything else may move between versions.
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "Case": "worldgauge.core.case",
    "Clip": "worldgauge.core.clip",
    "FrameSpec": "worldgauge.core.frames",
    "Instrument": "worldgauge.core.instrument",
    "Measurement": "worldgauge.core.metric",
    "Record": "worldgauge.core.record",
    "Status": "worldgauge.core.status",
    "Submission": "worldgauge.core.submission",
    "Unscored": "worldgauge.core.errors",
    "Video": "worldgauge.core.video",
    "load_run": "worldgauge.core.run_folder",
    "metric": "worldgauge.core.metric",
    "signal": "worldgauge.core.signal",
}

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
