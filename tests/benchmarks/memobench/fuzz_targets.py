"""Readers of the released files, for `python -m tools.fuzz`."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import openpyxl
from tools.fuzz.targets import Target, inside_zip

from worldgauge.benchmarks.memobench.data.cases import METADATA, SYNTHETIC, read_dataset
from worldgauge.benchmarks.memobench.data.keyframes import read_real, read_selection, read_synthetic
from worldgauge.benchmarks.memobench.data.question_filter import RULES, filtered
from worldgauge.benchmarks.memobench.data.questions import FOLDER, PARTS, read_banks
from worldgauge.benchmarks.memobench.human.agreement import agreement
from worldgauge.benchmarks.memobench.human.review import read_sheets
from worldgauge.benchmarks.memobench.human.survey import read_key, read_responses
from worldgauge.benchmarks.memobench.official.leaderboard import leaderboard_rows
from worldgauge.benchmarks.memobench.official.result_folders import read_results
from worldgauge.benchmarks.memobench.official.vqa import parse_answers, score_answers, score_clip
from worldgauge.benchmarks.memobench.official.vqa_files import read_clip, read_overall
from worldgauge.core.cameras import CameraPath

TRACK = b"rot_x,rot_y,rot_z,loc_x,loc_y,loc_z,fx,fy,cx,cy\n0,0,0,1,2,3,500,500,4,4\n0,0.1,0,1,2,3,500,500,4,4\n"

HEADER = ("video_folder", "exits", "re-enter", "id", "exit", "reenter", "ID", "Availability")

ANSWERS = b'scene,video_id,folder,Evaluation,score\na,1,a_001,"[{""ID"": 1}]","{""d"": 0.5}"\n'
OVERALL = (
    b"scene,video_id,Instruction Following,Object and Background,Continuity of Memory,Physics Adherence\na,1,1,0,,1\n"
)
SHEET = b"clip,ID,unambiguous,correctly polarised,answerable\na_001,1,yes,no,\n"
SURVEY = (
    b"item,version,scene,clip,question_id,dimension,polarity,judge,question,answer\n"
    b"q1,1,a,a_001,1,d,Positive,yes,?,no\n"
)


def targets() -> Iterator[Target]:
    """One for each kind of file."""
    cells, book = "xl/worksheets/sheet1.xml", _workbook()
    reply = b'Here:\n```json\n[{"ID": 1, "Dimension": "d", "Answer": "yes"}]\n```'
    yield Target("memobench_metadata", "m.csv", _metadata, made=(b"scene,video_id,prompt,subject\ns,1,a cat,cat\n",))
    yield Target("memobench_questions", "a-questions.csv", _questions, made=(_bank(),))
    yield Target("memobench_sheet", "s.xlsx", _sheets, made=(book,))
    yield Target("memobench_sheet_cells", "s.xlsx", _sheets, inside_zip(cells, book), made=(_member(book, cells),))
    yield Target("memobench_results", "eval_1.csv", _results, made=(b'VisualQuality,ors,score\n1,0.5,"{""a"": 1}"\n',))
    yield Target(
        "memobench_answers", "r", lambda file: score_answers(parse_answers(_text(file)), [{"ID": 1}]), made=(reply,)
    )
    yield Target("memobench_answers_paper", "r", _paper_answers, made=(reply,))
    yield Target("memobench_clip_answers", "a-1.csv", read_clip, made=(ANSWERS,))
    yield Target("memobench_overall", "overall.csv", read_overall, made=(OVERALL,))
    yield Target("memobench_review", "r.csv", lambda file: read_sheets([file]), made=(SHEET,))
    yield Target("memobench_survey", "s.csv", _survey, made=(SURVEY,))
    yield Target("memobench_track", "camera.csv", CameraPath.load, made=(TRACK,))


def _metadata(file: Path) -> None:
    for name in ("synthetic_metadata.csv", "real_metadata.csv"):
        _moved(file, file.parent / METADATA / name)
    (file.parent / SYNTHETIC).mkdir(exist_ok=True)
    read_dataset(file.parent)


def _questions(file: Path) -> None:
    _moved(file, file.parent / FOLDER / file.name)
    for bank in read_banks(file.parent).values():
        bank.questions()
        for rule in RULES:
            filtered(bank, rule)


def _paper_answers(file: Path) -> None:
    score_clip(parse_answers(_text(file)), [{"ID": 1, "Dimension": "d"}], "paper")


def _survey(file: Path) -> None:
    agreement(read_key(file), read_responses([file]))


def _sheets(file: Path) -> None:
    for read in (read_synthetic, read_real, read_selection):
        read(file)


def _results(file: Path) -> None:
    for place in ("evals/m/eval_1.csv", "ors/m/ors_scores.csv", "answers/m/a.csv"):
        _moved(file, file.parent / place)
    leaderboard_rows(read_results(*(file.parent / name for name in ("evals", "ors", "answers"))))


def _moved(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(file.read_bytes())


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", errors="replace")


def _workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (HEADER, ("a_001", 1, 2, 1, 2, 3, 1, "yes")):
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def _member(book: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return archive.read(name)


def _bank() -> bytes:
    asked = {"ID": 1, "Question": "q", "Dimension": "d", "Dimension Polarity": "Positive", "Verdict": "Pass"}
    row = {"scene": "s", "video_id": "1", **dict.fromkeys(PARTS, json.dumps([asked]))}
    out = io.StringIO()
    writer = csv.DictWriter(out, row)
    writer.writeheader()
    writer.writerow(row)
    return out.getvalue().encode()
