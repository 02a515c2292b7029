"""A metric, a signal or an instrument, told in full."""

from __future__ import annotations

from typing import Any

from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.case_parts import in_words
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS, Metric
from worldgauge.core.signal import SIGNALS, first_sentence
from worldgauge.core.where import place_of, source_line
from worldgauge.engine.definitions import choose_seats, describe_signal


def metric_definition(name: str) -> dict[str, Any]:
    """What a metric is, where it and its formula are written, who uses it, and what calibration says."""
    metric = METRICS.get(name)
    seats = choose_seats()
    return {
        "metric": name,
        "version": metric.version,
        "what": metric.summary,
        "unit": metric.unit,
        "better": {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better],
        "bounds": [str(b) if abs(b) == float("inf") else b for b in metric.bounds],
        "needs": inputs_of(metric),
        "parameters": dict(metric.defaults),
        "columns": columns_of(name),
        "signals": [describe_signal(use, seats) for use in metric.needs],
        "written in": str(place_of(metric.function)),
        **formula_of(metric),
        "calibration": calibration_of(name),
    }


def signal_definition(name: str) -> dict[str, Any]:
    signal = SIGNALS.get(name)
    return describe_signal(signal(), choose_seats()) | {
        "what": signal.summary,
        "reads": [in_words(part) for part in signal.reads],
        "kept": signal.kept,
        "written in": str(place_of(signal.function)),
    }


def instrument_definition(name: str) -> dict[str, Any]:
    instrument = INSTRUMENTS.get(name)()
    what = " ".join((type(instrument).__doc__ or "").split("\n\n")[0].split())
    return {"instrument": name, "seat": instrument.seat, "what": what} | instrument.identity()


def inputs_of(metric: Metric) -> list[str]:
    """What a case must have, in words."""
    return [in_words(part) for part in metric.inputs() if part != "case"]


def formula_of(metric: Metric) -> dict[str, str]:
    """The function that holds the arithmetic, what it says, where it stands and where it comes from."""
    formula = metric.formula
    told = {"formula": formula.__name__, "formula in": str(place_of(formula)), "formula says": first_sentence(formula)}
    source = source_line(formula)
    return told | ({"formula source": source} if source else {})


def columns_of(metric: str) -> list[str]:
    """Columns of benchmarks that use a metric under some protocol."""
    found: dict[str, None] = {}
    for name in benchmarks():
        file = read_benchmark_file(name)
        for protocol in file.protocols:
            for use in resolved_uses(file, protocol):
                if use.use == metric:
                    found.setdefault(f"{name}/{use.id}")
    return list(found)


def calibration_of(metric: str) -> list[str]:
    """What the shipped calibration says about a metric."""
    from worldgauge.calibration import lines_about

    return lines_about(metric) or ["not calibrated"]
