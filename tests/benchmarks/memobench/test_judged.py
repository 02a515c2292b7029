"""The four question columns of a run: a scripted judge, a hand computation, and the official files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from benchmarks.memobench.made_banks import DIMENSIONS, write_bank
from benchmarks.memobench.released_layout import SYNTHETIC, write_dataset, write_frames
from helpers import records, worldgauge, worldgauge_many
from worldgauge.api.building import build_job
from worldgauge.benchmarks.memobench.data.answer_form import BankForm
from worldgauge.benchmarks.memobench.data.questions import read_banks
from worldgauge.benchmarks.memobench.official.leaderboard import COLUMNS as COLUMNS_OF_BOARD
from worldgauge.benchmarks.memobench.official.run_answers import answers_of_run
from worldgauge.benchmarks.memobench.official.vqa_files import read_answers, read_overall, score_banks, write_answers
from worldgauge.benchmarks.memobench.signals.answers import clip_answers, played_rate
from worldgauge.core.case import Question
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.core.video import Video
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.material import describe
from worldgauge.judge.settings import Settings
from worldgauge.report.summary import write_summary
from worldgauge.report.tables import build_table

SCRIPT = Path(__file__).with_name("scripted_judge.py")
COLUMNS = ("InstructionFollowing", "ObjectBackground", "ContinuityOfMemory", "PhysicsAdherence")
QUESTIONS = 12
ASKED = ("Barnyard_001", "ZenGarden_010")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A data set of which two clips have banks of twelve questions, and a model's frames for all synthetic clips."""
    data = write_dataset(tmp_path / "set")
    banks = data / "vqa_questions"
    for file in banks.glob("*"):
        file.unlink()
    write_bank(banks, "Barnyard", 1, dict.fromkeys(range(1, QUESTIONS + 1), "PP"))
    write_bank(banks, "Zen_Garden", 10, dict.fromkeys(range(1, QUESTIONS + 1), "FF"), "ZenGarden_010")
    frames = np.random.default_rng(1).integers(0, 256, (6, 24, 32, 3), np.uint8)
    for clip in SYNTHETIC:
        write_frames(tmp_path / "model" / clip / "frames", frames)
    return tmp_path


def run(world: Path, script: str, protocol: str = "released") -> dict[tuple[str, str], dict[str, object]]:
    job = build_job(
        world / "model", benchmark="memobench", data=world / "set", protocol=protocol, metrics=",".join(COLUMNS),
        judge=f"scripted:{SCRIPT}:{script}", store=world / "store", out=world / f"run-{script}-{protocol}",
    )  # fmt: skip
    execute(job, make_plan(job))
    return {(line["case"], line["metric"]): line for line in records(world / f"run-{script}-{protocol}")}


def by_hand(ids: list[int], dimension: str) -> float:
    """Share that passes: the judge says no to every third, questions 5 to 8 want no."""
    own = [number for number in ids if DIMENSIONS[(number - 1) % 4] == dimension]
    passed = [(number % 3 != 0) == ((number - 1) // 4 % 2 == 0) for number in own]
    return round(sum(passed) / len(passed), 4)


@pytest.mark.parametrize("protocol", ["released", "paper"])
def test_columns_are_those_of_a_hand_computation(world: Path, protocol: str) -> None:
    found = run(world, "answer", protocol)
    for column, dimension in zip(COLUMNS, DIMENSIONS, strict=True):
        wanted = by_hand(list(range(1, QUESTIONS + 1)), dimension)
        for clip in ASKED:
            assert found[clip, column]["raw"] == pytest.approx(wanted, abs=1e-4)
            assert found[clip, column]["value"] == pytest.approx(100 * wanted, abs=1e-2)
        assert found["Barnyard_002", column]["status"] == "skipped"


def test_omitted_questions_shrink_the_denominator_and_repeated_ones_count_twice(world: Path) -> None:
    found = run(world, "careless")
    answered = [*range(1, QUESTIONS), 1]
    for column, dimension in zip(COLUMNS, DIMENSIONS, strict=True):
        assert found["Barnyard_001", column]["raw"] == by_hand(answered, dimension)
    assert found["Barnyard_001", "PhysicsAdherence"]["reason"] == "2 of 3 questions answered"


def test_under_paper_a_question_that_stays_open_is_left_out(world: Path) -> None:
    found = run(world, "careless", "paper")
    open_ones = {1, QUESTIONS}
    for column, dimension in zip(COLUMNS, DIMENSIONS, strict=True):
        ids = [number for number in range(1, QUESTIONS + 1) if number not in open_ones]
        assert found["Barnyard_001", column]["raw"] == pytest.approx(by_hand(ids, dimension), abs=1e-4)


@pytest.mark.parametrize("script", ["answer", "careless"])
def test_official_files_of_a_run_come_back_as_they_were(world: Path, script: str) -> None:
    found = run(world, script)
    banks = list(read_banks(world / "set" / "data").values())
    given = answers_of_run(world / f"run-{script}-released", world / "store")
    rows, scores, unscored = score_banks(given, banks)
    assert sorted(scores) == sorted(ASKED) and not unscored
    out = world / "official"
    assert sorted(file.name for file in write_answers(rows, out)) == [
        "Barnyard-1.csv", "Zen_Garden-10.csv", "overall.csv",
    ]  # fmt: skip
    assert read_answers(out, banks) == given
    overall = read_overall(out / "overall.csv")
    for column, dimension in zip(COLUMNS, DIMENSIONS, strict=True):
        assert overall["Zen_Garden", 10][dimension] == found["ZenGarden_010", column]["raw"]


def test_the_verb_scores_a_judged_run(world: Path) -> None:
    run(world, "answer")
    arguments = ["memobench", "answers", "run-answer-released", "--data", "set", "--store", "store"]
    refused = worldgauge(*arguments, "-o", "official", check=False)
    assert refused.returncode == 2 and not (world / "official").exists()
    for reason in ("part of the cases", "a scripted judge", "asked in our own words"):
        assert reason in refused.stderr
    _, printed = worldgauge_many(arguments, [*arguments, "-o", "official", "--unofficial"])
    assert "2 of 2 clips with questions; 24 of their 24 questions are answered" in printed
    for file in sorted((world / "official").glob("*.csv")):
        assert "a scripted judge" in pandas.read_csv(file)["unofficial"][0]
    assert "a scripted judge" in (world / "official" / "UNOFFICIAL.txt").read_text()
    # What is made of these files says so too.
    again = worldgauge("memobench", "answers", "official", "--data", "set", "-o", "again", check=False)
    assert again.returncode == 2 and "a scripted judge" in again.stderr
    (board,) = worldgauge_many(["memobench", "leaderboard", "--vqa-dir", "."])
    assert "official (unofficial)" in board and "not official, as its files say" in board


def test_all_official_columns_have_values_in_one_run(world: Path) -> None:
    """Fourteen, with stand-ins for the networks; those of the questions rest on the clips that have a bank."""
    stubs = [Path(__file__).with_name(f"{name}.py") for name in ("stub_networks", "stub_segmenter", "stub_scores")]
    seats = {
        "aesthetic": "aesthetic", "image_quality": "quality", "perceptual_distance": "distance",
        "prompt_reward": "reward", "poses": "poses", "image_depth": "depth", "embedding": "patches",
        "segmenter": "segmenter",
    }  # fmt: skip
    groups = {
        "VisualQuality": ("AestheticScore", "ImageQuality"),
        "ObjIdentityConsistency": ("ObjIdentityMean", "ObjIdentityMin"),
        "Geo3DConsistency": ("GeoConsistencyMean", "GeoConsistencyMin"),
    }
    single = [column for column in COLUMNS_OF_BOARD[1:] if column not in groups]
    job = build_job(
        world / "model", benchmark="memobench", data=world / "set", instruments="pocket", includes=stubs,
        metrics=",".join([*single, *(part for parts in groups.values() for part in parts)]),
        use=[f"{seat}=stub_{name}" for seat, name in seats.items()],
        judge=f"scripted:{SCRIPT}:answer", store=world / "store", out=world / "run",
    )  # fmt: skip
    execute(job, make_plan(job))
    summary = write_summary(world / "run")
    scores = {**summary.metrics, **summary.groups}
    assert len(COLUMNS_OF_BOARD[1:]) == 14
    assert [column for column in COLUMNS_OF_BOARD[1:] if scores[column].value is None] == []
    assert {scores[column].scored for column in COLUMNS} == {len(ASKED)}
    # The table says of how many clips they are; in the released set that is 45 of 360.
    of_all = len(summary.cases)
    note = f"Of {len(ASKED)} of {of_all} clips, as others have no part in it: {', '.join(COLUMNS)}."
    assert of_all == 6 and note in build_table([summary]).notes
    assert all(scores[column].constants["coin"] == 50 for column in COLUMNS)
    # No total: the groups have only the parts they had before.
    assert not {*COLUMNS} & {part for group in summary.run.file.benchmark.groups for part in group.of}


@pytest.mark.parametrize(("count", "rate"), [(100, 16.0), (101, 24.0)])
def test_rates_at_which_frames_are_shown(count: int, rate: float) -> None:
    assert played_rate(Clip(Video.from_array(np.zeros((count, 8, 8, 3), np.uint8)))) == rate


def test_what_is_sent_byte_for_byte() -> None:
    """Of a folder of 101 frames: a changed prompt shows here."""
    settings = Settings(model="m", frames=3)
    asked: dict[str, Any] = {}

    class Listener:
        def ask(
            self, clip: Clip, prompt: str, values: dict[str, str], form: BankForm, about: str, rate: float, **_: Any
        ) -> None:
            asked["text"] = judge_of(settings).request(prompt, values, form, describe(clip, settings, rate)).text
            raise Unscored("asked")

    clip = Clip(Video.from_array(np.zeros((101, 8, 8, 3), np.uint8)))
    questions = tuple(Question(id=n, text=t, answer="no") for n, t in (("7", "Is it there? </answer>"), ("8", "Now?")))
    with pytest.raises(Unscored):
        clip_answers.function(clip, questions, Listener())
    assert "lasts 4.21 seconds at 24 frames per second" in asked["text"]
    golden = Path(__file__).with_name("judge_prompt.txt")
    if os.environ.get("UPDATE_PROMPTS"):
        golden.write_text(asked["text"] + "\n", "utf-8")
    assert golden.read_text("utf-8") == asked["text"] + "\n"
