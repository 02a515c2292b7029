"""The answers of a judged run, in the released form: from its store to the official files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldgauge.benchmarks.memobench.data.answer_form import COMPLETED, FIRST, released_items
from worldgauge.benchmarks.memobench.formulas.protocols import Protocol
from worldgauge.benchmarks.memobench.official.leaderboard import DIMENSIONS
from worldgauge.benchmarks.memobench.signals.answers import clip_answers
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.engine.evidence import key_of
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.store import Store
from worldgauge.judge.session import answer_in
from worldgauge.report.summary import summarise
from worldgauge.report.unofficial import why_not_official


def answers_of_run(folder: Path, store: Path, protocol: Protocol = "released") -> dict[str, Any]:
    """Clip to the answers about it: the first reply as it came, or under `paper` one answer for each question."""
    run, kept = Run(folder), Store(store)
    described = next(
        (
            signal
            for definition in run.file.definitions
            for signal in definition.signals
            if signal["signal"] == clip_answers.name and signal.get("instrument")
        ),
        None,
    )
    if described is None:
        raise WorldGaugeError(f"no judge was asked in {folder}", "run it with --judge NAME")
    found: dict[str, Any] = {}
    for name, source in run.sources().items():
        questions = source.case.reference.questions
        if not questions or source.video is None:
            continue
        entry = kept.load(key_of(described, CaseInputs(source.case, source.video)))
        if entry is not None:
            which = FIRST if protocol == "released" else COMPLETED
            found[name] = released_items(answer_in(entry.arrays)[which], questions)
    return found


def why_not_official_run(folder: Path) -> list[str]:
    """Why the answers of a judged run are not those that the authors' judge would give to the whole benchmark."""
    return why_not_official(summarise(Run(folder)), list(DIMENSIONS.values()))
