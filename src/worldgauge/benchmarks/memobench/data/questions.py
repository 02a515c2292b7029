"""The released question banks: what is asked about a clip, and what was answered about its truth and its failure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from worldgauge.core.case import Question
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json, read_table

FOLDER = "vqa_questions"
FAILURES = "failure-cases.csv"
DIMENSIONS = ("Instruction Following", "Object and Background", "Continuity of Memory", "Physics Adherence")

FINAL = "Final questions"
PARTS = (
    "Start Questions",
    "Evaluation on ground truth",
    "Evaluation on failure",
    "Revised Evaluation on failure",
    FINAL,
)
"""Columns of a bank, each a JSON list."""
KEYS = {
    FINAL: ("ID", "Question", "Dimension", "Dimension Polarity"),
    "Evaluation on failure": ("ID", "Verdict"),
    "Revised Evaluation on failure": ("ID", "Verdict"),
}
"""Column to what its questions must have, because it is read."""

Items = list[dict[str, Any]]


@dataclass(frozen=True)
class Bank:
    """The questions of one clip. Items keep the released keys: ID, Dimension, Dimension Polarity, Question, Answer."""

    clip: str
    """Folder name of the clip."""
    start: Items
    on_truth: Items
    on_failure: Items
    on_failure_with_hint: Items
    final: Items
    scene: str = ""
    """As the bank spells it."""
    number: int = 0

    def questions(self) -> tuple[Question, ...]:
        """The final questions with the answer that passes."""
        return tuple(
            Question(
                id=str(item["ID"]),
                text=item["Question"],
                dimension=item["Dimension"],
                answer="yes" if item["Dimension Polarity"] == "Positive" else "no",
            )
            for item in self.final
        )


def data_folder(root: Path) -> Path:
    """The folder that holds the question banks: the data set's `data`, or its parent; refused where there is none."""
    found = next((folder for folder in (root, root / "data") if any((folder / FOLDER).glob("*-questions.csv"))), None)
    if found is None:
        raise WorldGaugeError(f"{root} has no question banks", f"name the folder that holds {FOLDER}")
    return found


def read_banks(data: Path) -> dict[str, Bank]:
    """Every bank of a data set by clip; empty when it has none."""
    folder = data / FOLDER
    if not folder.is_dir():
        return {}
    clips = _clip_names(folder / FAILURES)
    banks = [_read(file, clips) for file in sorted(folder.glob("*-questions.csv"))]
    return {bank.clip: bank for bank in banks}


def clips_with_a_bank(data: Path) -> set[str]:
    """Clips that the data set has questions about, as its table of failures lists them; empty where there is none."""
    return set(_clip_names(data / FOLDER / FAILURES).values())


def statistics(banks: Iterable[Bank]) -> list[dict[str, Any]]:
    """Per dimension: final questions, how many want yes and how many no, fewest and most per clip."""
    per_clip = [bank.final for bank in banks]
    rows = []
    for dimension in DIMENSIONS:
        found = [[item for item in items if item["Dimension"] == dimension] for items in per_clip]
        counts = [len(items) for items in found]
        positive = sum(item["Dimension Polarity"] == "Positive" for items in found for item in items)
        rows.append(
            {
                "dimension": dimension,
                "questions": sum(counts),
                "positive": positive,
                "negative": sum(counts) - positive,
                "fewest": min(counts, default=0),
                "most": max(counts, default=0),
            }
        )
    return rows


def constant_baseline(banks: Iterable[Bank], answer: Literal["yes", "no"]) -> dict[str, float]:
    """Score in percent, per dimension, of a judge that always gives one answer: clip means, averaged over clips."""
    rates: dict[str, list[float]] = {dimension: [] for dimension in DIMENSIONS}
    for bank in banks:
        for dimension, passed in _by_dimension(bank.questions(), answer).items():
            rates[dimension].append(sum(passed) / len(passed))
    return {dimension: 100 * sum(values) / len(values) for dimension, values in rates.items() if values}


def discrimination(banks: Iterable[Bank]) -> dict[str, Any]:
    """How the final questions fare on the curated failures: a question that passes there penalises nothing."""
    passes: list[bool] = []
    rates: dict[str, list[float]] = {dimension: [] for dimension in DIMENSIONS}
    toothless = clips = 0
    for bank in banks:
        verdicts = {item["ID"]: item["Verdict"] == "Pass" for item in bank.on_failure}
        kept = [(item["Dimension"], verdicts[item["ID"]]) for item in bank.final if item["ID"] in verdicts]
        passes += [passed for _, passed in kept]
        clips += 1
        toothless += all(passed for _, passed in kept)
        for dimension in DIMENSIONS:
            of_dimension = [passed for name, passed in kept if name == dimension]
            if of_dimension:
                rates[dimension].append(sum(of_dimension) / len(of_dimension))
    return {
        "questions": len(passes),
        "passed_on_failure": sum(passes),
        "pass_rate": {name: 100 * sum(values) / len(values) for name, values in rates.items() if values},
        "clips": clips,
        "clips_without_a_failing_question": toothless,
    }


def undiscriminating(banks: Iterable[Bank]) -> dict[str, list[Any]]:
    """Clip to the final questions with one verdict on truth and failure: they do not tell the two apart."""
    found: dict[str, list[Any]] = {}
    for bank in banks:
        verdicts = [{item["ID"]: item.get("Verdict") for item in part} for part in (bank.on_truth, bank.on_failure)]
        same = [item["ID"] for item in bank.final if verdicts[0].get(item["ID"]) == verdicts[1].get(item["ID"])]
        if same:
            found[bank.clip] = same
    return found


def _by_dimension(questions: Iterable[Question], answer: str) -> dict[str, list[bool]]:
    grouped: dict[str, list[bool]] = {}
    for question in questions:
        grouped.setdefault(question.dimension, []).append(question.answer == answer)
    return grouped


def _read(file: Path, clips: dict[tuple[str, int], str]) -> Bank:
    rows = read_table(file, ("scene", "video_id", *PARTS))
    if not rows:
        raise WorldGaugeError(f"{file} is not a question bank: it has no row", "restore the data set")
    scene, number = rows[0]["scene"], whole_number(rows[0]["video_id"], file)
    start, on_truth, on_failure, on_failure_with_hint, final = (_items(file, name, rows[0][name]) for name in PARTS)
    clip = clips.get((scene, number), f"{scene}_{number:03d}")
    return Bank(clip, start, on_truth, on_failure, on_failure_with_hint, final, scene, number)


def _items(file: Path, column: str, text: str) -> Items:
    """The questions in one cell; every one has the released keys."""
    where = f"{file} column '{column}'"
    items = parse_json(text, where)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise WorldGaugeError(f"{where} is not a list of questions", "restore the data set")
    for number, item in enumerate(items):
        for key in KEYS.get(column, ()):
            if not isinstance(item.get(key), (str, int)):
                raise WorldGaugeError(f"{where} question {number} has no '{key}'", "restore the data set")
    return items


def whole_number(text: str, file: Path) -> int:
    """A clip's number in a table."""
    digits = text.strip()
    if not re.fullmatch(r"[0-9]{1,9}", digits):
        raise WorldGaugeError(f"{file}: '{text[:40]}' is not the number of a clip", "restore the data set")
    return int(digits)


def _clip_names(file: Path) -> dict[tuple[str, int], str]:
    """Scenes are spelled differently in the banks and on disk; the failure table knows both."""
    if not file.is_file():
        return {}
    rows = read_table(file, ("scene", "video_id", "folder"))
    return {(row["scene"], whole_number(row["video_id"], file)): row["folder"] for row in rows}
