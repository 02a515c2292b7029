"""From any column of any benchmark to the line with its formula: column, metric, formula."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import helpers
import locks
from worldgauge.core.benchmark import read_benchmark_file, resolved_use, resolved_uses
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS, Metric
from worldgauge.core.signal import SIGNALS
from worldgauge.core.where import Place, place_of, source_line
from worldgauge.engine.definitions import all_uses
from worldgauge.functional.pose import geodesic_deg


@cache
def is_a_def(place: Place, name: str) -> bool:
    line = place.file.read_text("utf-8").splitlines()[place.line - 1]
    return line.startswith(f"def {name}(")


reached_code = cache(locks.reached_code)


def calls_its_formula(metric: Metric) -> bool:
    """Whether the function that is shown is called by the metric or by one of the signals it rests on."""
    functions = [metric.function, *(SIGNALS.get(use.signal).function for use in all_uses(metric))]
    reached = {name for function in functions for name in reached_code(function)}
    return f"{metric.formula.__module__}.{metric.formula.__qualname__}" in reached


def test_a_formula_nobody_calls_is_seen() -> None:
    psnr = METRICS.get("psnr")
    assert calls_its_formula(psnr)
    assert not calls_its_formula(replace(psnr, formula=geodesic_deg))


@pytest.mark.parametrize("name", benchmarks())
def test_column_metric_formula(name: str) -> None:
    """Of every column under every protocol both places exist, and the formula is really called."""
    file = read_benchmark_file(name)
    uses = [use for protocol in file.protocols for use in resolved_uses(file, protocol)]
    assert uses
    for use in uses:
        metric = METRICS.get(use.use)
        assert is_a_def(place_of(metric.function), metric.function.__name__), use.id
        assert is_a_def(place_of(metric.formula), metric.formula.__name__), use.id
        assert calls_its_formula(metric), use.id


def test_generic_metrics_name_what_they_call() -> None:
    for name in METRICS.names():
        metric = METRICS.get(name)
        if metric.namespace or not metric.function.__module__.startswith("worldgauge."):
            continue
        assert calls_its_formula(metric), name


def test_formulas_of_benchmarks_say_where_they_come_from() -> None:
    silent = {
        f"{metric.formula.__module__}:{metric.formula.__name__}"
        for name in METRICS.names()
        for metric in [METRICS.get(name)]
        if ".formulas." in metric.formula.__module__ and not source_line(metric.formula)
    }
    assert not silent


def test_show_prints_both_places() -> None:
    column = next(
        f"{name}/{use.id}"
        for name, manifest in benchmarks().items()
        for file in [read_benchmark_file(name)]
        for use in resolved_uses(file, file.protocols[0])
        if len(file.protocols) > 1 and "protocol" in use.parameters and manifest.calibration
    )
    shown = helpers.run_json("show", column)
    name, _, identity = column.partition("/")
    file = read_benchmark_file(name)
    use = next(use for use in file.metrics if use.id == identity)
    metric = METRICS.get(resolved_use(use, file.namespace, file.protocols[0]).use)
    told = shown["metrics"][0]
    assert told["written in"] == str(place_of(metric.function))
    assert told["formula in"] == str(place_of(metric.formula))
    assert set(shown["under"]) == set(shown["official instruments"]) == set(file.protocols)
    assert shown["under"][file.protocols[0]]["parameters"]["protocol"] == file.protocols[0]
    assert shown["calibration"]
