"""Which metrics a set of cases and a set of instruments allow, and why not the others: known before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.case_parts import in_words, offers
from worldgauge.core.metric import METRICS
from worldgauge.engine.definitions import Definition, Seats, resolve


def possible_metrics(cases: Sequence[Case], seats: Seats) -> tuple[list[MetricUse], dict[str, str]]:
    """Every registered metric that at least one case and the instruments allow; the others with the reason."""
    definitions = resolve([MetricUse(id=name, use=name) for name in METRICS.names()], seats)
    reasons = why_not(definitions, cases)
    return [MetricUse(id=d.id, use=d.id) for d in definitions if d.id not in reasons], reasons


def why_not(definitions: Iterable[Definition], cases: Sequence[Case]) -> dict[str, str]:
    """Metric id to the reason why no case can be scored, for those that have one."""
    reasons = {d.id: _reason(d, cases) for d in definitions}
    return {metric: reason for metric, reason in reasons.items() if reason}


def _reason(definition: Definition, cases: Sequence[Case]) -> str:
    lacks = [_lack(definition, case) for case in cases]
    # The case that comes nearest says what is really needed.
    least = min(lacks, key=len, default=[])
    needed = [f"needs {_joined(least)}"] if least else []
    return "; ".join([*needed, *([definition.unavailable] if definition.unavailable else [])])


def _lack(definition: Definition, case: Case) -> list[str]:
    """In words, what this case does not have."""
    tags = [f"a case with {tag} {value}" for tag, value in definition.tags.items() if case.tags.get(tag) != value]
    return tags + [in_words(part) for part in definition.parts if not offers(case, part)]


def _joined(parts: Sequence[str]) -> str:
    """
    >>> _joined(["a prompt", "a camera path", "phases"])
    'a prompt, a camera path and phases'
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
