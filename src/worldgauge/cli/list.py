"""`worldgauge list`: what there is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from worldgauge.cli.options import Include
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS
from worldgauge.core.registry import unknown_name
from worldgauge.core.signal import SIGNALS
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.verbs import AsJson, print_json, print_table, say

app = typer.Typer()


@app.command(name="list")
def list_definitions(
    kind: Annotated[str, typer.Argument(help="metrics, signals, instruments or benchmarks.")] = "metrics",
    include: Include = None,
    as_json: AsJson = False,
) -> None:
    """List metrics, signals, instruments or benchmarks, plug-ins included."""
    for file in include or []:
        bring_in(file)
    kinds = {"metrics": _metrics, "signals": _signals, "instruments": _instruments, "benchmarks": _benchmarks}
    if kind not in kinds:
        raise unknown_name("kind", kind, list(kinds))
    rows = kinds[kind]()
    if as_json:
        print_json(rows)
    elif rows:
        counts = [i for i, value in enumerate(rows[0].values()) if isinstance(value, int)]
        print_table(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows], counts)
    else:
        say(f"no {kind}")


def _metrics() -> list[dict[str, Any]]:
    found = []
    for name in METRICS.names():
        metric = METRICS.get(name)
        direction = {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better]
        found.append(
            {
                "metric": name,
                "unit": metric.unit,
                "better": direction,
                "needs": list(metric.inputs()),
                "summary": metric.summary,
            }
        )
    return found


def _signals() -> list[dict[str, Any]]:
    return [
        {
            "signal": name,
            "version": (s := SIGNALS.get(name)).version,
            "seat": s.seat or "",
            "reads": list(s.reads),
            "summary": s.summary,
        }
        for name in SIGNALS.names()
    ]


def _instruments() -> list[dict[str, Any]]:
    found = []
    for name in INSTRUMENTS.names():
        instrument = INSTRUMENTS.get(name)()
        found.append(
            {
                "instrument": name,
                "seat": instrument.seat,
                "weights": ", ".join(instrument.weights) or "none",
                "parameters": ", ".join(f"{k}={v}" for k, v in instrument.parameters.items()),
            }
        )
    return found


def _benchmarks() -> list[dict[str, Any]]:
    files = [read_benchmark_file(name) for name in benchmarks()]
    return [
        {"benchmark": f.name, "metrics": len(f.metrics), "protocols": list(f.protocols), "summary": f.summary}
        for f in files
    ]


def _cell(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
