"""Human study: agreement worked out by hand, the rows of Table S5, and files that are refused in one line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.worldscore.test_files import INDOOR, STATIC, write_run
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.benchmarks.worldscore.study.agreement import (
    COMBINATIONS,
    TWO_PEOPLE,
    UPPER_BOUND,
    majority_agreement,
    metric_agreement,
    pair_agreement,
    study,
)
from worldgauge.benchmarks.worldscore.study.votes import Question, joined, read_scores, read_votes, run_scores
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.published import published_tables
from worldgauge.core.submission import ModelCard

QUESTIONS = [Question("q1", "a", "b", 3, 4), Question("q2", "a", "c", 1, 4), Question("q3", "b", "c", 1, 1)]
SCORES = {"one": {"a": 3.0, "b": 1.0, "c": 1.0}, "two": {"a": 0.0, "b": 9.0, "c": 4.0}}


def test_agreement_by_hand():
    # one: a over b, a over c, b and c alike.
    assert metric_agreement(QUESTIONS, SCORES, ["one"]).tolist() == [0.75, 0.25, 0.5]
    assert metric_agreement(QUESTIONS, SCORES, ["two"]).tolist() == [0.25, 0.75, 1.0]
    assert majority_agreement(QUESTIONS).tolist() == [0.75, 0.75, 1.0]
    # Of 4 votes, 3 for one side: 3 of 6 pairs agree.
    assert pair_agreement(QUESTIONS)[:2].tolist() == [0.5, 0.5]
    assert np.isnan(pair_agreement(QUESTIONS)[2])


def test_a_combination_is_a_mean_of_standardised_metrics():
    """`two` has the larger unit and must not outvote `one`: a 1.41 - 1.17, b -0.71 + 1.27, c -0.71 - 0.09."""
    assert metric_agreement(QUESTIONS, SCORES, ["one", "two"]).tolist() == [0.25, 0.25, 1.0]
    thousand = SCORES | {"two": {video: 1000 * value for video, value in SCORES["two"].items()}}
    assert metric_agreement(QUESTIONS, thousand, ["one", "two"]).tolist() == [0.25, 0.25, 1.0]


def test_no_number_is_no_answer():
    rows = {row.name: row for row in study(QUESTIONS, {"one": {"a": 3.0, "b": 1.0}}, ["one & two"])}
    assert (rows["one"].value, rows["one"].questions) == (0.75, 1)
    assert (rows["one & two"].value, rows["one & two"].questions) == (None, 0)
    assert rows["MUSIQ"].value is None
    assert rows[UPPER_BOUND].value == pytest.approx(2.5 / 3)


def test_no_metric_beats_the_upper_bound():
    random = np.random.default_rng(1)
    questions = [Question(str(i), f"x{i}", f"y{i}", int(random.integers(0, 10)), 9) for i in range(200)]
    taste = {f"{side}{q.id}": (q.share if side == "x" else 1 - q.share) for q in questions for side in "xy"}
    noise = {video: float(random.normal()) for video in taste}
    rows = {row.name: row for row in study(questions, {"taste": taste, "noise": noise})}
    assert rows["taste"].value == pytest.approx(rows[UPPER_BOUND].value)
    low, high = rows["noise"].interval
    assert low < 0.5 < high and high < rows[UPPER_BOUND].value
    assert rows[TWO_PEOPLE].value < rows[UPPER_BOUND].value


def test_the_rows_are_those_of_table_s5():
    table = next(t for t in published_tables("worldscore") if t.id == "paper-table-s5")
    assert list(table.rows) == [*COMBINATIONS, UPPER_BOUND]
    best = max(COMBINATIONS, key=lambda name: table.score(name, "agreement"))
    assert (best, table.score(best, "agreement")) == ("CLIP-IQA+ & CLIP Aesthetic", 0.637)
    assert table.score(UPPER_BOUND, "agreement") == 0.772


HEADER = "question,first,second,person,choice\n"


def test_sides_may_be_exchanged(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text(HEADER + "q,a,b,p1,first\nq,b,a,p2,second\nq,a,b,p3,second\n")
    assert read_votes(file) == [Question("q", "a", "b", 2, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question,first\n", "no column 'second'"),
        (HEADER, "holds no vote"),
        (HEADER + "q,a,b,p,left\n", "vote 1: choice 'left'"),
        (HEADER + "q,a,a,p,first\n", "both sides are a"),
        (HEADER + "q,a,b,,first\n", "'person' is empty"),
        (HEADER + "q,a,b,p,first\nq,a,c,r,first\n", "vote 2: question 'q' was about a and b"),
        (HEADER + "q,a,b,p,first\nq,b,a,p,first\n", "person 'p' answered question 'q' before"),
    ],
)
def test_votes_that_are_refused(tmp_path, text, message):
    file = tmp_path / "votes.csv"
    file.write_text(text)
    with pytest.raises(WorldGaugeError, match=message):
        read_votes(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clip,m\n", "no column 'video'"),
        ("video,m\na,high\n", "row 1: m 'high' is not a number"),
        ("video,m\na,nan\n", "row 1: m is nan"),
        ("video,m\na,1\na,2\n", "video 'a' stands there twice"),
    ],
)
def test_scores_that_are_refused(tmp_path, text, message):
    file = tmp_path / "scores.csv"
    file.write_text(text)
    with pytest.raises(WorldGaugeError, match=message):
        read_scores(file)


def test_the_same_number_from_two_places_is_refused():
    with pytest.raises(WorldGaugeError, match="two numbers of m for a"):
        joined([{"m": {"a": 1.0}}, {"m": {"a": 1.0}}])


def test_the_command(tmp_path):
    """Scores of one metric from a file, of two from runs."""
    case = "static/photorealistic/indoor/a/000"
    runs = [
        write_run(tmp_path / name, {case: (INDOOR, STATIC | {"clip_iqa": quality})}, card=ModelCard(name=name))
        for name, quality in (("x", 0.5), ("y", 0.6))
    ]
    assert run_scores(runs)["CLIP-IQA+"] == {f"x/{case}": 0.5, f"y/{case}": 0.6}
    votes, scores = tmp_path / "votes.csv", tmp_path / "scores.csv"
    votes.write_text(HEADER + "".join(f"q,x/{case},y/{case},p{i},{'second' if i else 'first'}\n" for i in range(4)))
    scores.write_text(f"video,MUSIQ\nx/{case},50\ny/{case},40\n")
    arguments = ["study", str(votes), "--scores", str(scores)]
    for run in runs:
        arguments += ["--run", str(run.folder)]
    done = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["CLIP-IQA+"]["value"] == 0.75
    assert rows["CLIP Aesthetic"]["value"] == 0.5
    assert rows["MUSIQ"]["value"] == 0.25
    assert rows["MUSIQ"]["paper"] == 0.53
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "4 votes on 1 questions" in done.stdout
    done = CliRunner().invoke(app, ["study", str(votes)])
    assert "no metric" in str(done.exception)
    scores.write_text("video,MUSIQ\nother,50\n")
    done = CliRunner().invoke(app, ["study", str(votes), "--scores", str(scores)])
    assert "no metric has a number for a video of the votes" in str(done.exception)
