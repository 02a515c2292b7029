"""A benchmark for people: how the total is computed, from which metrics, on which scales."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from worldgauge.core.benchmark import BenchmarkFile, MetricUse, resolved_use
from worldgauge.verbs import print_pairs, print_table


def print_benchmark(file: BenchmarkFile) -> None:
    """The tree with its weights, every metric under every protocol, and where protocols disagree."""
    policy = f"missing videos: {file.policy.missing}, invalid videos: {file.policy.invalid}"
    about = [("benchmark", file.title or file.name), ("what", file.summary), ("citation", file.citation)]
    print_pairs(
        (k, v)
        for k, v in [*about, ("protocols", f"{', '.join(file.protocols)}; the first unless asked"), ("policy", policy)]
        if v
    )
    typer.echo("")
    for line in tree_lines(file):
        typer.echo(line)
    rows = [row for use in file.metrics for row in _metric_rows(file, use)]
    print_table(("id", "protocol", "metric", "parameters", "raw value for 0 and 100", "cases"), rows, keys=2)
    for deviation in file.deviations:
        typer.echo(deviation.id)
        print_pairs((f"  {protocol}", text) for protocol, text in deviation.under.items())


def tree_lines(file: BenchmarkFile) -> Iterator[str]:
    """The aggregation tree, a line per node: the share it has in its parent, its id, its title."""
    groups = {group.id: group for group in file.groups}
    titles = {use.id: use.title for use in file.metrics} | {group.id: group.title for group in file.groups}
    inside = {member for group in file.groups for member in group.of}

    def visit(node: str, share: str, depth: int) -> Iterator[str]:
        title = titles.get(node, "")
        yield f"{'  ' * depth}{share}{node}" + (f"  ({title})" if title and title != node else "")
        if node in groups:
            total = sum(groups[node].of.values())
            for member, weight in groups[node].of.items():
                yield from visit(member, f"{weight / total:.1%} ", depth + 1)

    for root in [*(g for g in groups if g not in inside), *(use.id for use in file.metrics if use.id not in inside)]:
        yield from visit(root, "", 0)


def _metric_rows(file: BenchmarkFile, use: MetricUse) -> Iterator[tuple[str, ...]]:
    for protocols, shown in variants(file, use):
        scale = "own unit"
        if shown.scale:
            low, high = shown.scale.source
            worst, best = shown.scale.target
            to = "" if (worst, best) == (0.0, 100.0) else f" to {worst:g}, {best:g}"
            level = " per model" if shown.scale.level == "model" else ""
            scale = f"{low:g}, {high:g}{to}{level}{'' if shown.scale.clip else ' unclipped'}"
        parameters = ", ".join(f"{k}={v}" for k, v in shown.parameters.items())
        only = ", ".join(f"{k}={v}" for k, v in use.cases.items()) or "all"
        yield use.id, protocols, shown.use, parameters, scale, only


def variants(file: BenchmarkFile, use: MetricUse) -> list[tuple[str, MetricUse]]:
    """A column's settings, each with the protocols it holds under: `all` where none differs.

    That a metric is told its protocol is no difference by itself; `show METRIC` says what it does with it.
    """
    found: list[tuple[list[str], MetricUse]] = []
    for protocol in file.protocols:
        shown = resolved_use(use, file.namespace, protocol)
        told = {key: value for key, value in shown.parameters.items() if (key, value) != ("protocol", protocol)}
        shown = shown.model_copy(update={"parameters": told})
        same = next((names for names, other in found if other == shown), None)
        if same is None:
            found.append(([protocol], shown))
        else:
            same.append(protocol)
    whole = len(found) == 1
    return [("all" if whole else ", ".join(names), shown) for names, shown in found]
