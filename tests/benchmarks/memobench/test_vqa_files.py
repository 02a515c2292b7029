"""A judge's answers: polarity, the two protocols, and the official files in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.memobench.made_banks import DIMENSIONS, write_bank
from worldgauge.benchmarks.memobench.commands import app
from worldgauge.benchmarks.memobench.data.questions import Bank, read_banks
from worldgauge.benchmarks.memobench.official.leaderboard import leaderboard_rows
from worldgauge.benchmarks.memobench.official.result_folders import read_results
from worldgauge.benchmarks.memobench.official.vqa import score_clip
from worldgauge.benchmarks.memobench.official.vqa_files import (
    OVERALL,
    read_answers,
    read_clip,
    read_overall,
    score_banks,
    write_answers,
)
from worldgauge.core.errors import Unscored, WorldGaugeError

EIGHT = dict.fromkeys(range(1, 9), "PP")
"""Two questions per dimension: 1 to 4 want yes, 5 to 8 no."""


@pytest.fixture
def banks(tmp_path: Path) -> list[Bank]:
    write_bank(tmp_path / "data" / "vqa_questions", "Zen_Garden", 10, EIGHT, clip="ZenGarden_010")
    write_bank(tmp_path / "data" / "vqa_questions", "Nordic", 1, EIGHT)
    return list(read_banks(tmp_path / "data").values())


def said(bank: Bank, words: str | dict[int, str], key: str = "Answer") -> list[dict[str, Any]]:
    """One answer to every question of a bank."""
    return [
        {"ID": q["ID"], "Dimension": q["Dimension"], key: words if isinstance(words, str) else words[q["ID"]]}
        for q in bank.final
    ]


def test_polarity_decides_what_passes(banks: list[Bank]) -> None:
    bank = banks[0]
    right = {i: "Yes" if i <= 4 else "No" for i in EIGHT}
    for protocol in ("released", "paper"):
        assert score_clip(said(bank, right), bank.final, protocol).rates == dict.fromkeys(DIMENSIONS, 1.0)
        assert score_clip(said(bank, "yes"), bank.final, protocol).rates == dict.fromkeys(DIMENSIONS, 0.5)


def test_a_judge_that_echoes_the_header_fails_everything_under_released_only(banks: list[Bank]) -> None:
    bank = banks[0]
    echo = said(bank, "Yes", key="Answer (Yes/No)")
    assert score_clip(echo, bank.final, "released").rates == dict.fromkeys(DIMENSIONS, 0.0)
    assert score_clip(echo, bank.final, "paper").rates == dict.fromkeys(DIMENSIONS, 0.5)


def test_what_is_neither_yes_nor_no(banks: list[Bank]) -> None:
    bank = banks[0]
    words = dict.fromkeys(EIGHT, "Yes.") | {1: "Unclear"}
    released, paper = (score_clip(said(bank, words), bank.final, p) for p in ("released", "paper"))
    assert released.rates["Instruction Following"] == 0.0, "a full stop fails both polarities"
    assert paper.rates["Instruction Following"] == 0.0, "question 5 wants no, question 1 is left out"
    assert paper.rates["Physics Adherence"] == 0.5
    assert (paper.answered, paper.asked, paper.left_out) == (7, 8, 1)


def test_numbers_as_texts_and_unknown_questions(banks: list[Bank]) -> None:
    bank = banks[0]
    texts = [{**item, "ID": str(item["ID"])} for item in said(bank, "no")]
    stray = [{"ID": 99, "Dimension": "Physics Adherence", "Answer": "Yes"}]
    assert score_clip(texts, bank.final, "released").answered == 0
    assert score_clip(texts, bank.final, "paper").rates == dict.fromkeys(DIMENSIONS, 0.5)
    assert score_clip(stray, bank.final, "released").rates == {"Physics Adherence": 1.0}, "unknown counts as positive"
    assert score_clip(stray, bank.final, "paper").rates == {}
    with pytest.raises(Unscored):
        score_clip({"Answer": "Yes"}, bank.final, "paper")


def test_files_come_back_as_they_were(banks: list[Bank], tmp_path: Path) -> None:
    given = {bank.clip: said(bank, "no") for bank in banks}
    rows, _, unscored = score_banks(given, banks)
    files = write_answers(rows, tmp_path / "vqa" / "MyModel")
    assert [file.name for file in files] == ["Nordic-1.csv", "Zen_Garden-10.csv", OVERALL]
    assert [read_clip(file) for file in files[:-1]] == rows
    assert read_clip(files[1]).folder == "ZenGarden_010", "the bank's scene, the folder's clip"
    assert read_overall(files[-1]) == {(row.scene, row.number): dict(row.score) for row in rows}
    assert read_answers(tmp_path / "vqa" / "MyModel", banks) == given
    again = write_answers(score_banks(given, banks)[0], tmp_path / "again")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in files]
    assert not unscored
    (row,) = leaderboard_rows(read_results(None, None, tmp_path / "vqa"))
    assert row["InstructionFollowing"] == 50.0, "the leaderboard reads the clips and passes over the overall table"


def test_the_verb_takes_raw_replies(banks: list[Bank], tmp_path: Path) -> None:
    replies = tmp_path / "replies"
    replies.mkdir()
    reply = json.dumps(said(banks[1], "Yes"))
    (replies / "ZenGarden_010.txt").write_text(f"Here it is:\n```json\n{reply}\n```")
    (replies / "Nordic_001.txt").write_text("I cannot see the video.")
    arguments = ["answers", str(replies), "--data", str(tmp_path / "data"), "-o", str(tmp_path / "out")]
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert found["dimensions"]["Physics Adherence"] == {"clips": 1, "score": 50.0}
    assert list(found["unscored"]) == ["Nordic_001"]
    printed = CliRunner().invoke(app, arguments).stdout
    assert "1 of 2 clips" in printed
    assert "Nordic_001 is not scored" in printed
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["Zen_Garden-10.csv", OVERALL]


def test_bad_files_are_one_line(banks: list[Bank], tmp_path: Path) -> None:
    folder = tmp_path / "vqa"
    rows, _, _ = score_banks({banks[0].clip: said(banks[0], "no")}, banks)
    (file, overall) = write_answers(rows, folder)
    text = file.read_text()
    file.write_text(text.replace("0.5", "5"))
    with pytest.raises(WorldGaugeError, match="0 to 1"):
        read_clip(file)
    file.write_text(text.replace("Nordic,1", "Nordic,77"))
    with pytest.raises(WorldGaugeError, match="Nordic 77"):
        read_answers(folder, banks)
    overall.write_text(overall.read_text().replace("0.5", "half"))
    with pytest.raises(WorldGaugeError, match="half"):
        read_overall(overall)
