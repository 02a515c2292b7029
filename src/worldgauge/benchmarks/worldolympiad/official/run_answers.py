"""The answers of a judged run, out of its store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import Signal
from worldgauge.engine.evidence import key_of
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.store import Store
from worldgauge.judge.session import answer_in


def stored_answers(run: Run, store: Path, asked: Signal, **parameters: Any) -> dict[str, Any]:
    """Case to what was answered, for a signal of the run with these parameters; empty where it was not asked."""
    described = next(
        (
            found
            for definition in run.file.definitions
            for found in each_signal(definition.signals)
            if found["signal"] == asked.name
            and found.get("instrument")
            and all(found["parameters"].get(name) == value for name, value in parameters.items())
        ),
        None,
    )
    if described is None:
        return {}
    kept, answers = Store(store), dict[str, Any]()
    for name, source in run.sources().items():
        if source.video is None and "video" in asked.reads:
            continue
        try:
            entry = kept.load(key_of(described, CaseInputs(source.case, source.video)))
        except WorldGaugeError:
            # The case has no such part, so it was not asked about.
            continue
        if entry is not None and entry.unscored is None:
            answers[name] = answer_in(entry.arrays)
    return answers


def each_signal(signals: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Signals as a run file describes them, each before those it rests on."""
    for signal in signals:
        yield signal
        yield from each_signal(signal["needs"])
