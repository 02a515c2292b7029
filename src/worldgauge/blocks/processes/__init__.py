"""Processes: what happens to the target, whether or not anybody looks."""

from __future__ import annotations

from collections.abc import Callable

from worldgauge.blocks.processes import crossing, melting, rolling, windmill
from worldgauge.blocks.processes.base import Act, Kit

PROCESSES: dict[str, Callable[[Kit], Act]] = {
    "rolling": rolling.build,
    "crossing": crossing.build,
    "windmill": windmill.build,
    "melting": melting.build,
}
