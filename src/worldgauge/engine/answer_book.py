"""Answers in the store under the digest of what was asked: a question that two signals have in common is put once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from worldgauge.core.asking import BALLOTS
from worldgauge.core.ballots import Ballot, write_ballots
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import SIGNALS, Arrays
from worldgauge.engine.evidence import key_of
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.store import Store

SIGNAL = "judge_answer"
"""What such an entry is called among the signals of the store."""


class AnswerBook:
    """Shared by everybody who asks in one command."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: dict[str, threading.Lock] = {}

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        with self._lock:
            lock = self._held.setdefault(key, threading.Lock())
        with lock:
            yield

    def load(self, key: str) -> Arrays | None:
        entry = self._store.load(key)
        return None if entry is None else entry.arrays

    def save(self, key: str, arrays: Arrays, identity: Mapping[str, Any]) -> None:
        self._store.save(key, arrays, {"signal": SIGNAL, "identity": dict(identity), "seconds": 0.0})


def gather_ballots(run: Run, store: Store) -> None:
    """Write down who said what, from the stored answers of a run whose questions were answered more than once."""
    asked = {
        str(signal): signal
        for definition in run.file.definitions
        for signal in definition.signals
        if signal.get("instrument") and SIGNALS.get(signal["signal"]).is_asked
    }
    found = []
    for source in run.sources().values():
        for take, video in enumerate(source.takes):
            for signal in asked.values() if video is not None else ():
                try:
                    entry = store.load(key_of(signal, CaseInputs(source.case, video)))
                except WorldGaugeError:
                    continue
                if entry is not None and BALLOTS in entry.arrays:
                    about = {"case": source.case.id, "take": take, "signal": signal["signal"]}
                    found += [Ballot(**about, **told) for told in json.loads(entry.arrays[BALLOTS].tobytes())]
    write_ballots(run.folder, found)
