"""A benchmark for people: how the total is computed, from which metrics, on which scales."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from worldgauge.cli.output import print_pairs, print_table
from worldgauge.core.benchmark import BenchmarkFile, MetricUse


def print_benchmark(file: BenchmarkFile) -> None:
    """The tree with its weights, every metric under both protocols, and where paper and released code disagree."""
    policy = f"missing videos: {file.policy.missing}, invalid videos: {file.policy.invalid}"
    about = [("benchmark", file.title or file.name), ("what", file.summary), ("citation", file.citation)]
    print_pairs((k, v) for k, v in [*about, ("protocol", f"{file.protocol} unless asked"), ("policy", policy)] if v)
    typer.echo("")
    for line in tree_lines(file):
        typer.echo(line)
    rows = [row for use in file.metrics for row in _metric_rows(use)]
    print_table(("id", "protocol", "metric", "parameters", "raw value for 0 and 100", "cases"), rows)
    for deviation in file.deviations:
        typer.echo(f"{deviation.id}\n  released  {deviation.released}\n  paper     {deviation.paper}")


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


def _metric_rows(use: MetricUse) -> Iterator[tuple[str, ...]]:
    released, paper = use.under("released"), use.under("paper")
    same = (released.use, released.parameters, released.scale) == (paper.use, paper.parameters, paper.scale)
    for protocol, shown in [("both", released)] if same else [("released", released), ("paper", paper)]:
        scale = "own unit"
        if shown.scale:
            low, high = shown.scale.source
            worst, best = shown.scale.target
            to = "" if (worst, best) == (0.0, 100.0) else f" to {worst:g}, {best:g}"
            level = " per model" if shown.scale.level == "model" else ""
            scale = f"{low:g}, {high:g}{to}{level}{'' if shown.scale.clip else ' unclipped'}"
        parameters = ", ".join(f"{k}={v}" for k, v in shown.parameters.items())
        only = ", ".join(f"{k}={v}" for k, v in use.cases.items()) or "all"
        yield use.id, protocol, shown.use, parameters, scale, only
