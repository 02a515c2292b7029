"""The published tables as data: those of the paper, and those of the repository with their numbers of judged cases."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldgauge.core.published import PublishedTable, published_tables

NAME = "worldolympiad"
FILE = Path(__file__).parent.parent / "published_scores.csv"
DOMAINS = ("gaming", "robotics", "general")
FAMILIES = ("Gaming World Model", "Robotics World Model", "General World Model")
"""Groups of the sheets that have one row per model."""
_GROUPS = {"gaming": "Gaming", "robotics": "Embodied", "general": "General"}


@dataclass(frozen=True)
class Coverage:
    """Judged and available videos."""

    judged: int
    available: int


@cache
def table(number: str) -> PublishedTable:
    """A table of the paper: `3`, `6-gaming`, ..."""
    return next(one for one in published_tables(NAME) if one.id == f"paper-table-{number}")


@cache
def repository_scores() -> dict[tuple[str, str, str, str], str]:
    """(table, group, model, column) to what `current_evaluation_scores.md` prints."""
    with FILE.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["table"], row["group"], row["model"], row["column"]): row["value"] for row in rows}


def repository_score(sheet: str, domain: str, model: str, column: str) -> float | None:
    """One number of the repository's tables; None where it prints none."""
    group = _GROUPS.get(domain, domain)
    text = repository_scores().get((sheet, group, model, column), "")
    try:
        return float(text)
    except ValueError:
        return None


def repository_model_score(sheet: str, model: str, column: str) -> float | None:
    """One number of a sheet with one row per model, whatever family it is put in."""
    found = (repository_score(sheet, family, model, column) for family in FAMILIES)
    return next((value for value in found if value is not None), None)


def coverage(domain: str, model: str) -> Coverage:
    """How many videos of a model were judged in a domain, and how many there were."""
    text = repository_scores()["Scores By Domain", _GROUPS[domain], model, "Judged / Expected"]
    judged, _, available = text.partition("/")
    return Coverage(int(judged), int(available or judged))


def pooled_interaction(domain: str, model: str) -> float:
    """The judge's pooled interaction score, which the paper does not print."""
    found = repository_score("Scores By Domain", domain, model, "General Interact.")
    assert found is not None
    return found
