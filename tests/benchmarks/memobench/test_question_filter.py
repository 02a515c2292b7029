"""The failure filter in both meanings, on banks whose verdicts are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.memobench.made_banks import write_bank
from worldgauge.benchmarks.memobench.commands import app
from worldgauge.benchmarks.memobench.data.bank_files import bank_text
from worldgauge.benchmarks.memobench.data.question_filter import filtered, gaps, judged_questions, verdict_counts
from worldgauge.benchmarks.memobench.data.questions import read_banks
from worldgauge.core.errors import WorldGaugeError

VERDICTS = {1: "PP", 2: "PF", 3: "FF", 4: "FP", 5: "PP", 6: "FF", 8: "PF"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_bank(tmp_path / "vqa_questions", "Zen_Garden", 10, VERDICTS, clip="ZenGarden_010")
    write_bank(tmp_path / "vqa_questions", "Nordic", 1, {1: "PP"})
    return tmp_path


@pytest.mark.parametrize(
    ("rule", "kept"), [("stable", [1, 3, 5, 6]), ("penalising", [2, 3, 6, 8]), ("penalising-unaided", [3, 4, 6])]
)
def test_each_meaning_keeps_its_own_questions(data: Path, rule: str, kept: list[int]) -> None:
    bank = filtered(read_banks(data)["ZenGarden_010"], rule)
    assert [item["ID"] for item in bank.final] == kept
    assert all(list(item) == ["ID", "Dimension", "Dimension Polarity", "Question"] for item in bank.final)


def test_stable_files_are_the_released_ones_byte_for_byte(data: Path) -> None:
    for file in data.glob("vqa_questions/*-questions.csv"):
        bank = next(b for b in read_banks(data).values() if f"{b.scene}-{b.number}-questions.csv" == file.name)
        assert bank_text(filtered(bank, "stable")).encode() == file.read_bytes()
        assert bank_text(filtered(bank, "penalising")).encode() != file.read_bytes()


def test_verdict_pairs_and_gaps(data: Path) -> None:
    banks = list(read_banks(data).values())
    assert verdict_counts(banks) == {
        ("Pass", "Pass"): 3,
        ("Pass", "Fail"): 2,
        ("Fail", "Fail"): 2,
        ("Fail", "Pass"): 1,
    }
    lacking = gaps([filtered(bank, "penalising") for bank in banks])
    assert ("ZenGarden_010", "Object and Background", 2) not in lacking
    assert ("ZenGarden_010", "Physics Adherence", 1) in lacking
    assert ("Nordic_001", "Instruction Following", 0) in lacking


def test_the_verb_writes_banks_that_it_reads_again(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "kept"
    done = CliRunner().invoke(app, ["filter", str(data), "--keep", "penalising", "-o", str(out), "--json"])
    found = json.loads(done.stdout)
    assert (found["questions"], found["clips"], found["files_as_released"]) == (4, 2, 0)
    again = read_banks(out)
    assert [len(bank.final) for bank in again.values()] == [0, 4], "a bank may be left without a question"
    assert list(again) == ["Nordic_001", "ZenGarden_010"], "the failure table, which bridges the names, went along"
    stable = json.loads(CliRunner().invoke(app, ["filter", str(data), "--json"]).stdout)
    assert (stable["questions"], stable["files_as_released"]) == (5, 2)
    assert "5 questions kept as stable" in CliRunner().invoke(app, ["filter", str(data)]).stdout


def test_a_question_that_one_pass_did_not_answer_is_never_stable(data: Path) -> None:
    bank = read_banks(data)["ZenGarden_010"]
    bank.on_failure_with_hint.pop(0)
    assert judged_questions(bank)[0].hinted is None
    assert 1 not in [item["ID"] for item in filtered(bank, "stable").final]


def test_wrong_wishes_and_damaged_banks_are_one_line(data: Path, tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="penalising"):
        raise CliRunner().invoke(app, ["filter", str(data), "--keep", "penalizing"]).exception  # type: ignore[misc]
    with pytest.raises(WorldGaugeError, match="no question banks"):
        raise CliRunner().invoke(app, ["filter", str(tmp_path / "kept")]).exception  # type: ignore[misc]
    bank = read_banks(data)["ZenGarden_010"]
    bank.on_failure[1]["ID"] = 1
    with pytest.raises(WorldGaugeError, match="ZenGarden_010"):
        filtered(bank, "stable")
