"""Answers of a run that wait for others: a signal that asks several questions is stored when it has them all."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from worldgauge.core.errors import CannotWrite
from worldgauge.core.reading import read_lines

FILE_NAME = "judge-answers.jsonl"


class KeptAnswers:
    """`judge-answers.jsonl` in the run folder: one line per answer, by the digest of everything that was asked."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._lock = threading.Lock()
        self._file: Any = None
        self._known: dict[str, dict[str, Any]] = {}
        if self.path.is_file():
            for _, line in read_lines(self.path):
                try:
                    content = json.loads(line)
                    self._known[content["key"]] = content["answer"]
                except (ValueError, KeyError, TypeError):
                    # A line that was torn by a kill: the question is asked again.
                    continue

    def get(self, key: str) -> dict[str, Any] | None:
        with self._lock:
            return self._known.get(key)

    def put(self, key: str, answer: dict[str, Any]) -> None:
        line = (json.dumps({"key": key, "answer": answer}) + "\n").encode("utf-8", "backslashreplace")
        with self._lock:
            self._known[key] = answer
            try:
                if self._file is None:
                    self._file = self.path.open("a+b", buffering=0)
                    size = self._file.seek(0, os.SEEK_END)
                    if size:
                        self._file.seek(size - 1)
                        if self._file.read(1) != b"\n":
                            self._file.write(b"\n")
                self._file.write(line)
            except OSError as error:
                raise CannotWrite(
                    f"cannot write {self.path} ({error.strerror})", "free space, then run the same command again"
                ) from error

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
