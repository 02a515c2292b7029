"""Relevance out of runs, for the data set: whatever rule was judged in a case applies to it, for every model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from worldgauge.benchmarks.worldolympiad.data.relevance import write_relevance
from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run


def freeze_relevance(runs: Sequence[Run], root: Path) -> tuple[Path, int]:
    """Write `relevance.json`. Of two runs that disagree about a rule nobody can say which is right: refused."""
    ids = [rule.id for rule in rules()]
    tables: dict[str, dict[str, bool]] = {}
    for run in runs:
        own: dict[str, dict[str, bool]] = {}
        for record in run.records():
            if record["metric"] in ids and record["status"] in ("ok", "skipped"):
                own.setdefault(str(record["case"]), {})[str(record["metric"])] = record["status"] == "ok"
        for case, table in own.items():
            known = tables.setdefault(case, table)
            differing = [rule for rule, applies in table.items() if known.get(rule, applies) != applies]
            if differing:
                raise WorldGaugeError(
                    f"two runs disagree whether {differing[0]} applies to {case}", "name runs with the same answers"
                )
    if not tables:
        raise WorldGaugeError("no rule was judged in these runs", "run with a judge first")
    return write_relevance(root, tables, ", ".join(sorted({run.name for run in runs}))), len(tables)
