"""Every fallback of the physical track, with a scripted judge behind the real requests."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.worldolympiad.released_tree import write_tree
from benchmarks.worldolympiad.test_judged import asked, numbers
from helpers import records
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute

HERE = Path(__file__).parent
RULES = "Physical,gravity,impact,hardness"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = write_tree(tmp_path_factory.mktemp("released"), {"general/c1": 2})
    (found / "general" / "c1" / "prompt.txt").write_text("a ball falls in c1")
    return found


@pytest.fixture
def tree(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))
    return Path(shutil.copytree(made, tmp_path / "outputs_batch"))


def run(tree: Path, script: str, metrics: str = RULES, file: str = "faulty_rules_judge.py") -> dict[str, Any]:
    submission = tree.parent / "longlive.json"
    submission_of(tree, "longlive", read_dataset(tree)).write(submission)
    job = build_job(
        submission, benchmark="worldolympiad", data=tree, protocol="published", metrics=metrics,
        judge=f"scripted:{HERE / file}:{script}", store=tree.parent / "store", out=tree.parent / "run",
        includes=[HERE / "stub_networks.py"], use=["phrase_follower=stub_boxes"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return {line["metric"]: line for line in records(tree.parent / "run")}


def kinds(tree: Path) -> Counter[tuple[str, int]]:
    """How often what was asked about how many rules."""
    return Counter((line["kind"], len(line["ids"])) for line in asked(tree))


def test_a_batch_of_verdicts_that_cannot_be_read_is_asked_rule_by_rule_and_relevance_is_not_asked_again(
    tree: Path,
) -> None:
    found = run(tree, "compliance_batches")
    # Mechanics has two rules that apply: three replies that nobody can read, then each of them alone; material has one.
    assert kinds(tree) == {
        ("objects", 0): 2, ("relevance", 4): 2, ("relevance", 6): 1, ("compliance", 2): 3, ("compliance", 1): 3,
    }  # fmt: skip
    assert found["Physical"]["raw"] == pytest.approx(1 / 3) and found["Physical"]["weight"] == 3
    named = [line for line in asked(tree) if line["kind"] == "objects"]
    assert [numbers(line) for line in named] == [[0, 7, 13, 20, 27, 34, 40, 47]] * 2, "eight frames of either video"
    assert all("frames of the clip" in line["text"] for line in named)


@pytest.mark.nightly
def test_a_rule_that_was_left_out_is_asked_for_and_the_others_stand(tree: Path) -> None:
    found = run(tree, "forgetful")
    assert found["Physical"]["raw"] == pytest.approx(1 / 3) and found["Physical"]["weight"] == 3
    assert all(size > 1 or kind != "relevance" for kind, size in kinds(tree)), "no batch was given up"


@pytest.mark.nightly
def test_a_confidence_in_words_is_asked_again_and_costs_no_case(tree: Path) -> None:
    found = run(tree, "sure")
    assert found["Physical"]["status"] == "ok" and found["Physical"]["weight"] == 3
    assert kinds(tree)["compliance", 2] == 2


@pytest.mark.nightly
def test_false_as_a_text_is_no_verdict(tree: Path) -> None:
    found = run(tree, "wordy")
    assert found["gravity"]["status"] == "unscored" and found["gravity"]["code"] == "no-answer"
    assert found["impact"]["status"] == "ok" and found["hardness"]["status"] == "ok"
    assert "1 without an answer" in found["Physical"]["reason"]


@pytest.mark.nightly
def test_relevance_that_nobody_can_read_leaves_the_case_without_a_score(tree: Path) -> None:
    found = run(tree, "no_relevance")
    assert {found[name]["status"] for name in RULES.split(",")} == {"unscored"}
    # Mechanics three times, then its rules alone, of which the last has no answer either.
    assert kinds(tree)["relevance", 4] == 3 and kinds(tree)["relevance", 1] == 3 + 3
    assert not any(kind == "compliance" for kind, _ in kinds(tree)), "nothing is judged that may not apply"


@pytest.mark.nightly
def test_all_rules_at_once_fall_back_to_one_by_one(tree: Path) -> None:
    found = run(tree, "no_batches", "house_physical_at_once", "scripted_judge.py")
    assert found["house_physical_at_once"]["raw"] == pytest.approx(1 / 3)
    # Relevance is that of the case, asked by dimension whatever the mode of the verdicts; both fall back.
    assert kinds(tree)["relevance", 1] == 14 and kinds(tree)["compliance", 3] == 3 and kinds(tree)["compliance", 1] == 3
