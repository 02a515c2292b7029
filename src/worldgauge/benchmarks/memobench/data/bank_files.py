"""Writing question banks in the released form: one CSV per clip, lists as JSON in its cells."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

from worldgauge.benchmarks.memobench.data.questions import FAILURES, FOLDER, PARTS, Bank
from worldgauge.core.reading import read_bytes


def bank_text(bank: Bank) -> str:
    """The file of one bank; of an unchanged released bank the very bytes."""
    parts = (bank.start, bank.on_truth, bank.on_failure, bank.on_failure_with_hint, bank.final)
    cells = [bank.scene, str(bank.number), *(json.dumps(items) for items in parts)]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["scene", "video_id", *PARTS], cells])
    return text.getvalue()


def bank_name(bank: Bank) -> str:
    """Name of a bank's file; scenes are spelled as in the bank, not as on disk."""
    return f"{bank.scene}-{bank.number}-questions.csv"


def write_banks(banks: Iterable[Bank], data: Path, out: Path) -> list[Path]:
    """Write banks below `out` as a data set's own lie, with its table of failures, which knows the clips' folders."""
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for bank in banks:
        file = folder / bank_name(bank)
        file.write_bytes(bank_text(bank).encode("utf-8"))
        written.append(file)
    if (data / FOLDER / FAILURES).is_file():
        (folder / FAILURES).write_bytes(read_bytes(data / FOLDER / FAILURES))
    return written


def equal_files(banks: Iterable[Bank], data: Path) -> list[str]:
    """Names of the banks whose file is, byte for byte, the one in the data set."""
    folder = data / FOLDER
    return [
        name
        for bank in banks
        if (folder / (name := bank_name(bank))).is_file()
        and read_bytes(folder / name) == bank_text(bank).encode("utf-8")
    ]
