"""A forecast as a table: how long a run takes on more and more workers, and what keeps it from going faster."""

from __future__ import annotations

from typing import Any

from worldgauge.engine.scale.forecast import Forecast
from worldgauge.engine.scale.schedule import CORES, GPUS
from worldgauge.verbs import duration, print_note, print_table


def forecast_json(found: Forecast) -> dict[str, Any]:
    """The forecast as plain data."""
    return {
        "workers": "GPUs" if found.on_gpu else "cores",
        "rows": [
            {
                "workers": count,
                "seconds": round(one.seconds, 3),
                "busy": {name: round(share, 4) for name, share in one.busy.items()},
                "bound": one.bound,
            }
            for count, one in found.rows
        ],
        "measured": list(found.measured),
        "declared": list(found.declared),
    }


def print_forecast(found: Forecast) -> None:
    """A row for each number of workers; below it, where more of them are of no more use."""
    unit, own = ("GPUs", GPUS) if found.on_gpu else ("cores", CORES)
    rows = [
        [str(count), duration(one.seconds), _hours(count * one.seconds / 3600), f"{one.busy[own]:.0%}", one.bound]
        for count, one in found.rows
    ]
    print_table([unit, "time", f"{unit[:-1]} hours", "busy", "bound by"], rows, numeric=(0, 1, 2, 3))
    other = next(((count, one) for count, one in found.rows if one.bound != own), None)
    if other is not None:
        print_note(f"From {other[0]} {unit[:-1] if other[0] == 1 else unit} on the time is that of {other[1].bound}.")
    if found.measured:
        print_note(f"Measured by runs on this store: {_some(found.measured)}.")
    if found.declared:
        print_note(f"Not measured here, but declared or assumed: {_some(found.declared)}.")


def _hours(hours: float) -> str:
    return f"{hours:.2f}" if hours < 100 else f"{hours:.0f}"


def _some(names: tuple[str, ...], limit: int = 6) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
