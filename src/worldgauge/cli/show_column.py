"""A column of a benchmark: which metric, under which protocol, with which parameters, through which instrument."""

from __future__ import annotations

from typing import Any

from worldgauge.cli.show_benchmark import scale_in_words, tree_lines
from worldgauge.cli.show_definition import calibration_of, formula_of, inputs_of
from worldgauge.core.benchmark import BenchmarkFile, MetricUse, read_benchmark_file, resolved_use
from worldgauge.core.metric import METRICS
from worldgauge.core.official import official_instruments, official_uses
from worldgauge.core.reducers import OVER_CASES
from worldgauge.core.signal import SIGNALS
from worldgauge.core.where import place_of
from worldgauge.engine.definitions import all_uses, choose_seats
from worldgauge.engine.seats import REFERENCE

Told = dict[str, Any]


def column_definition(full_name: str) -> Told:
    """Everything about `benchmark/column`. What differs between protocols is told by protocol."""
    name, _, column = full_name.partition("/")
    file = read_benchmark_file(name)
    use = next(use for use in file.metrics if use.id == column)
    under = {protocol: resolved_use(use, file.namespace, protocol) for protocol in file.protocols}
    metrics = list(dict.fromkeys(shown.use for shown in under.values()))
    return {
        "column": full_name,
        "title": use.title,
        "cases": ", ".join(f"{tag}={value}" for tag, value in use.cases.items()) or "all",
        "under": {protocol: _settings(shown) for protocol, shown in under.items()},
        "metrics": [_metric(metric) for metric in metrics],
        "official instruments": {protocol: _official(file, protocol, shown) for protocol, shown in under.items()},
        "calibration": [line for metric in metrics for line in calibration_of(metric)],
    }


def group_definition(full_name: str) -> Told:
    """A group of a benchmark: its part of the tree."""
    name, _, group = full_name.partition("/")
    lines = list(tree_lines(read_benchmark_file(name), root=group))
    return {"group": full_name, "tree": lines}


def column_pairs(told: Told) -> list[tuple[str, str]]:
    """The same for people, a line each."""
    pairs = [(key, told[key]) for key in ("column", "title", "cases") if told[key]]
    for protocol, settings in told["under"].items():
        parameters = ", ".join(f"{key}={value}" for key, value in settings["parameters"].items()) or "no parameters"
        mean = f"; {settings['mean']}" if settings["mean"] else ""
        pairs.append((f"under {protocol}", f"{settings['metric']}: {parameters}; {settings['scale']}{mean}"))
    for metric in told["metrics"]:
        pairs += [(key, value) for key, value in metric.items() if value]
    official = told["official instruments"]
    same = len({str(uses) for uses in official.values()}) == 1
    for protocol, uses in official.items():
        heading = "official" if same else f"official, {protocol}"
        pairs += [(heading, f"{signal}: {instrument}") for signal, instrument in uses.items()]
        if same:
            break
    return pairs


def _settings(shown: MetricUse) -> Told:
    parameters = {**METRICS.get(shown.use).defaults, **shown.parameters}
    scale = scale_in_words(shown.scale) + (f": {shown.unscaled}" if shown.unscaled else "")
    derived = [f"by {', '.join(b.instruments)} {scale_in_words(shown.scale_of(b))}" for b in shown.bounds]
    return {
        "metric": shown.use,
        "parameters": parameters,
        "scale": "; ".join([scale, *derived]),
        "mean": OVER_CASES[shown.reduce].words,
    }


def _metric(name: str) -> dict[str, str]:
    metric = METRICS.get(name)
    low, high = metric.bounds
    better = {True: "higher is better", False: "lower is better", None: "no better direction"}[metric.higher_is_better]
    return {
        "metric": name,
        "what": metric.summary,
        "value": f"{metric.unit or 'no unit'}, {low:g} to {high:g}, {better}",
        "needs": ", ".join(inputs_of(metric)),
        "written in": str(place_of(metric.function)),
        **formula_of(metric),
    }


def _official(file: BenchmarkFile, protocol: str, shown: MetricUse) -> dict[str, str]:
    """Signal to the instrument the authors use for it, in words."""
    known = official_instruments(file)
    found = {}
    seats = choose_seats(REFERENCE, official=official_uses(file, protocol))
    for use in all_uses(METRICS.get(shown.use), seats):
        if SIGNALS.get(use.signal).seat is not None:
            official = known.of(use.signal, protocol)
            named = f"{official.official}, " if official and official.official else ""
            found[use.signal] = f"{named}{official.what}" if official else "nobody names one"
    return found
