"""Relevance out of runs, for the data set: what a judge said about the reference holds for every model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from worldgauge.benchmarks.worldolympiad.data.relevance import write_relevance
from worldgauge.benchmarks.worldolympiad.data.rules import rules
from worldgauge.benchmarks.worldolympiad.official.run_answers import each_signal, stored_answers
from worldgauge.benchmarks.worldolympiad.signals.physics import rule_relevance
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run


def freeze_relevance(runs: Sequence[Run], root: Path, store: Path) -> tuple[Path, int]:
    """Write `relevance.json` out of the stored answers about relevance, every rule of a case or none.

    Whether a verdict followed does not matter: a rule that applies does so where nobody could read what was said of a
    clip. Of two runs that disagree about a rule nobody can say which is right: refused.
    """
    tables: dict[str, dict[str, bool]] = {}
    for run in runs:
        for case, answer in sorted(stored_answers(run, store, rule_relevance).items()):
            table = {rule.id: bool(answer[rule.id]["related"]) for rule in rules()}
            known = tables.setdefault(case, table)
            differing = [rule for rule, applies in table.items() if known[rule] != applies]
            if differing:
                raise WorldGaugeError(
                    f"two runs disagree whether {differing[0]} applies to {case}", "name runs with the same answers"
                )
    if not tables:
        raise WorldGaugeError(
            "no answer about the rules of any case is kept from these runs", "run with a judge, and keep its store"
        )
    return write_relevance(root, tables, ", ".join(sorted({judge_of(run) for run in runs}))), len(tables)


def judge_of(run: Run) -> str:
    """Who said which rules apply: the model of the judge, else how it was reached; empty where nobody was asked."""
    for definition in run.file.definitions:
        for signal in each_signal(definition.signals):
            if signal["signal"] == rule_relevance.name and signal.get("instrument"):
                told = signal["instrument"]["parameters"]
                return str(told.get("model") or told.get("client", ""))
    return ""
