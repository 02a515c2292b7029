"""A benchmark for people: how the total is computed, from which metrics, on which scales."""

from __future__ import annotations

from collections.abc import Iterator

from worldgauge.core.benchmark import BenchmarkFile, Group, MetricUse, resolved_use
from worldgauge.core.reducers import OVER_MEMBERS
from worldgauge.core.scale import Scale
from worldgauge.verbs import print_pairs, print_table, say


def print_benchmark(file: BenchmarkFile) -> None:
    """The tree with its weights, every metric under every protocol, and where protocols disagree."""
    policy = ", ".join(f"{why} videos: {rule}" for why, rule in file.policy.rules().items())
    about = [("benchmark", file.title or file.name), ("what", file.summary), ("citation", file.citation)]
    length = "" if file.length is None else f"{file.length.requires} ({file.length.source})"
    about += [*file.links.items(), ("length", length)]
    print_pairs(
        (k, v)
        for k, v in [*about, ("protocols", f"{', '.join(file.protocols)}; the first unless asked"), ("policy", policy)]
        if v
    )
    say("")
    for line in tree_lines(file):
        say(line)
    rows = [row for use in file.metrics for row in _metric_rows(file, use)]
    print_table(("id", "protocol", "metric", "parameters", "raw value for 0 and 100", "cases"), rows, keys=2)
    for deviation in file.deviations:
        say(deviation.id)
        print_pairs((f"  {protocol}", text) for protocol, text in deviation.under.items())


def tree_lines(file: BenchmarkFile, root: str = "") -> Iterator[str]:
    """The aggregation tree, or that below `root`, a line per node: the share in its parent, its id, its title."""
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
            for protocol in groups[node].under:
                yield f"{'  ' * (depth + 1)}under {protocol}: {_members(groups[node].under_protocol(protocol))}"

    tops = [*(g for g in groups if g not in inside), *(use.id for use in file.metrics if use.id not in inside)]
    for top in [root] if root else tops:
        yield from visit(top, "", 0)


def _members(group: Group) -> str:
    """Shares and members of a group in one line, and how they are made one where that is no mean."""
    total = sum(group.of.values())
    told = ", ".join(f"{weight / total:.1%} {member}" for member, weight in group.of.items())
    words = OVER_MEMBERS[group.reduce].words
    return f"{told}; {words}" if words else told


def _metric_rows(file: BenchmarkFile, use: MetricUse) -> Iterator[tuple[str, ...]]:
    for protocols, shown in variants(file, use):
        parameters = ", ".join(f"{k}={v}" for k, v in shown.parameters.items())
        given = [f"given {shown.given}"] if shown.given else []
        only = ", ".join([*(f"{k}={v}" for k, v in use.cases.items()), *given]) or "all"
        derived = [f"by {', '.join(b.instruments)}: {scale_ends(shown.scale_of(b))}" for b in shown.bounds]
        yield use.id, protocols, shown.use, parameters, "; ".join([scale_ends(shown.scale), *derived]), only


def scale_ends(scale: Scale | None) -> str:
    """`15, 0`: the raw values that score 0 and 100, and what is unusual about the scale."""
    if scale is None:
        return "own unit"
    low, high = scale.source
    worst, best = scale.target
    to = "" if (worst, best) == (0.0, 100.0) else f" to {worst:g}, {best:g}"
    level = " per model" if scale.level == "model" else ""
    return f"{low:g}, {high:g}{to}{level}{'' if scale.clip else ' unclipped'}"


def scale_in_words(scale: Scale | None) -> str:
    """
    >>> scale_in_words(Scale.model_validate({"from": (15, 0)}))
    'raw 15 scores 0, raw 0 scores 100'
    """
    if scale is None:
        return "in its own unit"
    (low, high), (worst, best) = scale.source, scale.target
    level = ", once per model" if scale.level == "model" else ""
    return f"raw {low:g} scores {worst:g}, raw {high:g} scores {best:g}{level}{'' if scale.clip else ', unclipped'}"


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
