"""People's labels of the challenge in text clips against a judge's: accuracy, precision, recall, F1 per subset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from worldgauge.benchmarks.mbench.analyses.votes import majority
from worldgauge.core.errors import WorldGaugeError

_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
ALL = "all"


@dataclass(frozen=True)
class Quality:
    """How a judge's yes and no fit people's."""

    subset: str
    clips: int
    accuracy: float
    precision: float | None
    """None where the judge never says yes."""
    recall: float | None
    """None where people never do."""
    f1: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_labels(rows: Iterable[Mapping[str, Any]], where: str) -> dict[tuple[str, str], bool]:
    """Model and task to the majority of the verdicts; a split is left out."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        if "verdict" not in row:
            continue
        word = str(row["verdict"]).strip().lower()
        if word not in _YES or not row.get("model") or not row.get("task_id"):
            raise WorldGaugeError(f"{where} record {number} lacks model, task_id or a verdict of yes or no")
        found[str(row["model"]), str(row["task_id"])].append(str(_YES[word]))
    decided = {key: majority(votes) for key, votes in found.items()}
    return {key: winner == "True" for key, winner in decided.items() if winner is not None}


def trigger_quality(
    labels: Mapping[tuple[str, str], bool], judged: Mapping[tuple[str, str], bool], subset_of: Mapping[str, str]
) -> list[Quality]:
    """Per subset and over all of them; clips that only one side knows are left out."""
    parts: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for key, wanted in labels.items():
        if key in judged:
            for part in (subset_of.get(key[1], ""), ALL):
                parts[part].append((judged[key], wanted))
    return [_quality(part, pairs) for part, pairs in sorted(parts.items(), key=lambda item: (item[0] == ALL, item[0]))]


def _quality(part: str, pairs: list[tuple[bool, bool]]) -> Quality:
    """
    >>> _quality("human", [(True, True), (True, False), (False, True), (False, False)]).f1
    0.5
    """
    right = sum(said == wanted for said, wanted in pairs)
    hits = sum(said and wanted for said, wanted in pairs)
    said_yes, wanted_yes = sum(said for said, _ in pairs), sum(wanted for _, wanted in pairs)
    precision = hits / said_yes if said_yes else None
    recall = hits / wanted_yes if wanted_yes else None
    f1 = 2 * hits / (said_yes + wanted_yes) if said_yes + wanted_yes else None
    return Quality(part, len(pairs), right / len(pairs), precision, recall, f1)
