"""What a run has around a metric, for recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldgauge.core.case import Case
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.signal import Arrays
from worldgauge.judge.session import Answer

CASE = Case(id="vector", extras={"chunks": [{"caption": "a"}]})


def measured(metric: str, *signals: Mapping[str, Any], **parameters: Any) -> Measurement:
    """What a registered metric answers; its defaults are those of `released`."""
    return METRICS.get(f"worldolympiad/{metric}").function(CASE, *signals, **parameters)


def stored(value: Any) -> Arrays:
    """An answer as it lies in the store."""
    return Answer(value, (), "recorded").arrays()
