"""Question banks in the released form, made by hand: verdicts on the failure clip as the test wants them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

DIMENSIONS = ("Instruction Following", "Object and Background", "Continuity of Memory", "Physics Adherence")
HEADER = ("scene", "video_id", "Start Questions", "Evaluation on ground truth", "Evaluation on failure")
HEADER += ("Revised Evaluation on failure", "Final questions")


def question(number: int, dimension: str, polarity: str = "Positive") -> dict[str, object]:
    return {"ID": number, "Dimension": dimension, "Dimension Polarity": polarity, "Question": f"Question {number}?"}


def judged(item: dict[str, object], verdict: str) -> dict[str, object]:
    wanted = "Yes" if item["Dimension Polarity"] == "Positive" else "No"
    other = {"Yes": "No", "No": "Yes"}[wanted]
    return item | {"Answer": wanted if verdict == "Pass" else other, "Verdict": verdict, "Reasoning": "seen"}


def write_bank(folder: Path, scene: str, number: int, verdicts: dict[int, str], clip: str = "") -> Path:
    """A bank whose questions 1, 2, ... have the verdicts "PF": without and with the hint. Polarity alternates.

    The final questions are the stable ones, as released; the failure table grows by a row.
    """
    items = [
        question(i, DIMENSIONS[(i - 1) % 4], "Positive" if (i - 1) // 4 % 2 == 0 else "Negative") for i in verdicts
    ]
    words = {"P": "Pass", "F": "Fail"}
    unaided = [judged(item, words[verdicts[int(str(item["ID"]))][0]]) for item in items]
    hinted = [judged(item, words[verdicts[int(str(item["ID"]))][1]]) for item in items]
    final = [item for item in items if len(set(verdicts[int(str(item["ID"]))])) == 1]
    cells = [json.dumps(part) for part in (items, [judged(i, "Pass") for i in items], unaided, hinted, final)]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{scene}-{number}-questions.csv"
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([HEADER, [scene, number, *cells]])
    failures = folder / "failure-cases.csv"
    rows = [] if failures.is_file() else [["scene", "video_id", "hint", "folder", "Finished", "prompt"]]
    with failures.open("a", newline="") as stream:
        csv.writer(stream).writerows([*rows, [scene, number, "a hint", clip or f"{scene}_{number:03d}", "Yes", ""]])
    return file
