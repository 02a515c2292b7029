"""What a notebook, a training loop and the command line call. Every name is also one of `worldgauge` itself."""

from __future__ import annotations

from worldgauge.core.lazy import imported_on_use

_PUBLIC = {
    "Comparison": "worldgauge.api.comparing",
    "Gauge": "worldgauge.api.batches",
    "Measured": "worldgauge.api.measured",
    "Measurements": "worldgauge.api.measured",
    "Run": "worldgauge.api.runs",
    "compare": "worldgauge.api.comparing",
    "evaluate": "worldgauge.api.runs",
    "load_run": "worldgauge.api.runs",
    "measure": "worldgauge.api.one_video",
}

__all__ = sorted(_PUBLIC)

__getattr__ = imported_on_use(__name__, _PUBLIC)
