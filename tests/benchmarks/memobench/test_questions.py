"""Question banks: counts, constant answers, and what they find on failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.memobench.released_layout import write_bank
from worldgauge.benchmarks.memobench.data.questions import constant_baseline, discrimination, read_banks, statistics
from worldgauge.core.errors import WorldGaugeError


def test_counts_and_baselines(tmp_path: Path) -> None:
    write_bank(tmp_path / "vqa_questions")
    banks = list(read_banks(tmp_path).values())
    rows = {row["dimension"]: row for row in statistics(banks)}
    assert (rows["Instruction Following"]["positive"], rows["Instruction Following"]["negative"]) == (1, 1)
    assert rows["Object and Background"]["questions"] == 0
    assert constant_baseline(banks, "yes") == {
        "Instruction Following": 50.0,
        "Continuity of Memory": 0.0,
        "Physics Adherence": 100.0,
    }
    assert constant_baseline(banks, "no")["Continuity of Memory"] == 100.0


def test_discrimination_counts_questions_that_pass_on_the_failure(tmp_path: Path) -> None:
    write_bank(tmp_path / "vqa_questions")
    found = discrimination(read_banks(tmp_path).values())
    assert (found["questions"], found["passed_on_failure"]) == (4, 3)
    assert found["pass_rate"]["Physics Adherence"] == 0.0
    assert found["clips_without_a_failing_question"] == 0


def test_a_damaged_bank_is_named(tmp_path: Path) -> None:
    write_bank(tmp_path / "vqa_questions")
    file = tmp_path / "vqa_questions" / "Zen_Garden-10-questions.csv"
    file.write_text(file.read_text().replace("Final questions", "Last questions"))
    with pytest.raises(WorldGaugeError, match="Zen_Garden-10"):
        read_banks(tmp_path)
