"""What became of every clip: a table of kept and dropped ones with reasons, and how it was done."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from worldgauge.benchmarks.mbench.curation.challenges import DIMENSIONS
from worldgauge.benchmarks.mbench.curation.writing import Choices, Curated

LOG: Final = "curation.csv"
SUMMARY: Final = "curation.json"
COLUMNS: Final = (
    "clip",
    "verdict",
    "subset",
    "sample",
    "reason",
    "seconds",
    *DIMENSIONS,
    *(f"{d} why" for d in DIMENSIONS),
)


def write_log(
    out: Path, found: Sequence[Curated], open_ones: Mapping[str, str], choices: Choices, made_by: Mapping[str, Any]
) -> dict[str, Any]:
    """`curation.csv` and `curation.json`; returns what the latter says. Clips without an answer are `open`."""
    rows = [_row(one) for one in found] + [
        {"clip": name, "verdict": "open", "reason": reason} for name, reason in open_ones.items()
    ]
    with (out / LOG).open("w", newline="", encoding="utf-8", errors="backslashreplace") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: str(row["clip"])))
    kept = [one for one in found if one.kept]
    told = {
        "clips": len(rows),
        "kept": len(kept),
        "dropped": len(found) - len(kept),
        "open": len(open_ones),
        "subsets": dict(sorted(Counter(one.subset for one in kept).items())),
        "choices": asdict(choices),
        **made_by,
    }
    (out / SUMMARY).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return told


def _row(one: Curated) -> dict[str, Any]:
    grades = {name: one.grades[name]["answer"] for name in DIMENSIONS if name in one.grades}
    reasons = {f"{name} why": one.grades[name]["reason"] for name in DIMENSIONS if name in one.grades}
    return {
        "clip": one.clip.name,
        "verdict": "kept" if one.kept else "dropped",
        "subset": one.subset,
        "sample": one.clip.id if one.kept else "",
        "reason": one.reason,
        "seconds": "" if one.seconds is None else f"{one.seconds:.2f}",
        **grades,
        **reasons,
    }
