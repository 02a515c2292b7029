"""Columns about none of the cases at hand, as of a benchmark's other half: one line names them, no row shows them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from worldgauge.core.aggregate import Tree
from worldgauge.core.status import Status
from worldgauge.report.summary import Summary


def folded(summaries: Sequence[Summary]) -> list[str]:
    """Ids of metrics and groups that are about no case of any of the runs, in their order; none if that were all."""
    found = [of_no_case(summary) for summary in summaries]
    known = list(dict.fromkeys(name for summary in summaries for name in summary.scores))
    ids = [
        name
        for name in known
        if all(name in none or name not in s.scores for none, s in zip(found, summaries, strict=True))
    ]
    return ids if len(ids) < len(known) else []


def of_no_case(summary: Summary) -> set[str]:
    """Ids of the metrics that do not apply to any case of the run, and of the groups of such metrics alone.

    A column of which no case meets its condition is about cases: their condition is known.
    """
    file = summary.run.file
    conditions = {definition.id: definition.given for definition in file.definitions}

    def applies_to_none(name: str) -> bool:
        score, condition = summary.metrics[name], conditions.get(name, "")
        if score.expected or not score.statuses.get(Status.SKIPPED):
            return False
        return condition not in summary.metrics or condition == name or applies_to_none(condition)

    none = {name for name in summary.metrics if applies_to_none(name)}
    tree = Tree(file.benchmark, file.definitions)
    for group in summary.groups:
        below = [file.definitions[row].id for row in tree.metrics_of(group)]
        if below and none.issuperset(below):
            none.add(group)
    return none


def folded_note(ids: Collection[str]) -> str:
    """
    >>> folded_note(["a", "b"])
    '2 columns are about none of these cases: a, b.'
    """
    return f"{len(ids)} {'column is' if len(ids) == 1 else 'columns are'} about none of these cases: {', '.join(ids)}."
