"""The official answer files: `{scene}-{id}.csv` per clip and `overall.csv`, in and out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS, Bank, whole_number
from worldgauge.benchmarks.memobench.formulas.protocols import Protocol
from worldgauge.benchmarks.memobench.official.vqa import ClipScore, parse_answers, score_clip
from worldgauge.core.errors import Unscored, WorldGaugeError
from worldgauge.core.reading import parse_json, read_table, read_text
from worldgauge.report.unofficial import MARK, official_or_marked

OVERALL = "overall.csv"
COLUMNS = ("scene", "video_id", "folder", "Evaluation", "score")
REPLIES = (".json", ".txt", ".md")
"""Suffixes of a judge's raw replies, named after the clip's folder."""


@dataclass(frozen=True)
class ClipAnswers:
    """The judge's answers about one clip and their score."""

    scene: str
    """As the question bank spells it."""
    number: int
    folder: str
    """The clip's folder, which may spell the scene differently."""
    answers: Any
    """What the judge answered: a list of items in the released keys, if it did as asked."""
    score: Mapping[str, float]
    """Dimension to share of questions passed, 0 to 1."""
    unofficial: str = ""
    """Why the score is not official, where its file says so in a last column."""

    @property
    def file_name(self) -> str:
        return f"{self.scene}-{self.number}.csv"


def read_clip(file: Path) -> ClipAnswers:
    """One official file."""
    rows = read_table(file, COLUMNS)
    if not rows:
        raise WorldGaugeError(f"{file} holds no answers: it has no row")
    row = rows[0]
    score = parse_json(row["score"], f"{file} column 'score'")
    if not isinstance(score, dict) or not all(_is_share(value) for value in score.values()):
        raise WorldGaugeError(f"{file} column 'score' is not an object of numbers from 0 to 1")
    answers = parse_json(row["Evaluation"], f"{file} column 'Evaluation'")
    number = whole_number(row["video_id"], file)
    return ClipAnswers(row["scene"], number, row["folder"], answers, score, row.get(MARK, ""))


def read_answers(folder: Path, banks: Iterable[Bank]) -> dict[str, Any]:
    """Clip to the judge's answers in a model's folder: official files, else raw replies named after the clip.

    A reply without JSON is passed on as `Unscored`. Files of clips that have no bank are refused.
    """
    if not folder.is_dir():
        raise WorldGaugeError(f"{folder} is not a folder", "name a model's folder of answers")
    of_name = {(bank.scene, bank.number): bank.clip for bank in banks}
    clips = set(of_name.values())
    found: dict[str, Any] = {}
    for file in sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")):
        if file.suffix == ".csv" and file.name != OVERALL:
            read = read_clip(file)
            clip = of_name.get((read.scene, read.number))
            if clip is None:
                raise WorldGaugeError(
                    f"{file}: the data set asks nothing about {read.scene} {read.number}", "name the right data set"
                )
            found[clip] = read.answers
        elif file.suffix in REPLIES and file.stem in clips:
            found.setdefault(file.stem, _reply(file))
    return found


def score_banks(
    answers: Mapping[str, Any], banks: Iterable[Bank], protocol: Protocol = "released"
) -> tuple[list[ClipAnswers], dict[str, ClipScore], dict[str, str]]:
    """Per answered clip its official row and its score; per clip that cannot be scored the reason."""
    rows, scores, unscored = [], {}, {}
    for bank in banks:
        if bank.clip not in answers:
            continue
        given = answers[bank.clip]
        try:
            if isinstance(given, Unscored):
                raise given
            scores[bank.clip] = score_clip(given, bank.final, protocol)
        except Unscored as reason:
            unscored[bank.clip] = str(reason)
            continue
        rows.append(ClipAnswers(bank.scene, bank.number, bank.clip, given, scores[bank.clip].rates))
    return rows, scores, unscored


def write_official_answers(
    rows: Iterable[ClipAnswers], folder: Path, reasons: Sequence[str], *, allow_unofficial: bool = False
) -> list[Path]:
    """Write a model's answer files. `reasons` say why they are not official: then they are refused, or where
    `allow_unofficial` is set written with the reasons in a last column and in `UNOFFICIAL.txt`."""
    mark = official_or_marked("MemoBench's answer files", {folder.name: reasons}, allow_unofficial)
    told = "; ".join(mark.of(folder.name))
    written = write_answers([replace(row, unofficial=told or row.unofficial) for row in rows], folder)
    return [*written, *mark.write_note(folder)]


def why_not_official_answers(folder: Path) -> list[str]:
    """What the answer files in a folder say of themselves, each reason once."""
    files = sorted(file for file in folder.glob("*.csv") if file.name != OVERALL)
    return list(dict.fromkeys(reason for file in files if (reason := read_clip(file).unofficial)))


def write_answers(rows: Iterable[ClipAnswers], folder: Path) -> list[Path]:
    """Write one file per clip, and `overall.csv`; returns what was."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, written = list(rows), []
    # The released leaderboard passes over a column that it does not know.
    marked = [MARK] if any(row.unofficial for row in rows) else []
    table: list[list[Any]] = []
    for row in rows:
        cells = [row.scene, row.number, row.folder, json.dumps(row.answers), json.dumps(dict(row.score))]
        why = [row.unofficial for _ in marked]
        written.append(_write(folder / row.file_name, [[*COLUMNS, *marked], [*cells, *why]]))
        table.append([row.scene, row.number, *(row.score.get(name, "") for name in DIMENSIONS), *why])
    return [*written, _write(folder / OVERALL, [["scene", "video_id", *DIMENSIONS, *marked], *table])]


def read_overall(file: Path) -> dict[tuple[str, int], dict[str, float]]:
    """Scene and number to the shares in `overall.csv`; a dimension without one is left out."""
    found = {}
    for row in read_table(file, ("scene", "video_id", *DIMENSIONS)):
        try:
            shares = {name: float(row[name]) for name in DIMENSIONS if row[name].strip()}
        except ValueError as error:
            raise WorldGaugeError(f"{file}: {error}") from error
        if not all(_is_share(value) for value in shares.values()):
            raise WorldGaugeError(f"{file}: a share of {row['scene']} {row['video_id']} is not between 0 and 1")
        found[row["scene"], whole_number(row["video_id"], file)] = shares
    return found


def _reply(file: Path) -> Any:
    try:
        return parse_answers(read_text(file))
    except Unscored as reason:
        return reason


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _write(file: Path, rows: list[list[Any]]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return file
