"""Several takes and several judges: each answer kept by itself, one made of them, and how far they agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import make_cases, make_videos, records
from judge.judge_server import KEY, JudgeServer, judge_server
from judge.test_judged_run import CASES, expected_values, planned, run, settings_for
from worldgauge.api.judges import place_judges
from worldgauge.core.ballots import Ballot, read_ballots
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.prompts import forget_prompts
from worldgauge.core.run_folder import Run
from worldgauge.judge.forms import Asked
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.panel import Panel, panel_of
from worldgauge.judge.question_sets import JudgedQuestion, scores_by_dimension
from worldgauge.judge.voting import join, joined
from worldgauge.report.html.source import ReportSource
from worldgauge.report.judges import agreements, agreements_of
from worldgauge.report.summary import summarise, write_summary
from worldgauge.report.tables import build_table


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running
    forget_prompts()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    make_cases(tmp_path / "cases", make_videos(tmp_path / "videos", CASES))
    return tmp_path


def two_judges(server: JudgeServer, takes: tuple[int, ...] = (2, 1)) -> Panel:
    judges = [judge_of(settings_for(server, snapshot=name)) for name in ("first", "second")[: len(takes)]]
    found = panel_of(judges, takes)
    assert isinstance(found, Panel)
    return found


def item(answer: str | int) -> dict[str, str | int]:
    return {"answer": answer, "reason": "seen"}


def test_first_a_judges_takes_then_the_judges() -> None:
    """One judge that says no five times has one vote."""
    assert joined({"a": ["no"] * 5, "b": ["yes"], "c": ["yes"]}, "majority") == "yes"
    assert joined({"a": ["yes", "no"], "b": ["no"]}, "majority") == "no"
    assert joined({"a": ["yes"], "b": ["no"]}, "majority") is None
    assert joined({"a": [1, 1, 4], "b": [4]}, "mean") == 3.0
    assert joined({"a": [1, 1, 4], "b": [5]}, "median") == 3.0
    asked = (Asked("1"), Asked("2", scale=(1, 5)), Asked("3"))
    given = {"a": [{"1": item("yes"), "2": item(2), "3": item("yes")}], "b": [{"1": item("yes"), "2": item(5)}]}
    items, ballots = join(asked, given)
    assert {number: found["answer"] for number, found in items.items()} == {"1": "yes", "2": 3.5, "3": "yes"}
    assert [ballot["answers"] for ballot in ballots][1] == {"a": [2], "b": [5]}
    items, ballots = join(asked[:1], {"a": [{"1": item("yes")}], "b": [{"1": item("no")}]})
    assert not items and "counted" not in ballots[0]


def test_the_mean_of_choices_is_the_mean_of_their_scores() -> None:
    mean = JudgedQuestion(id="1", text="?", combine="mean")
    given = {"a": [{"1": item("yes")}, {"1": item("no")}], "b": [{"1": item("yes")}]}
    items, _ = join((Asked("1", combine="mean"),), given)
    assert scores_by_dimension([mean], items) == {"": 0.75}
    assert scores_by_dimension([JudgedQuestion(id="1", text="?")], items) == {"": 1.0}
    with pytest.raises(ValueError, match="choices have no median"):
        JudgedQuestion(id="1", text="?", combine="median")


def test_every_take_of_every_judge_is_asked_once_and_kept(server: JudgeServer, world: Path) -> None:
    panel = two_judges(server)
    plan = planned(world, judge=panel)[1]
    assert plan.asking.calls == 3 * CASES
    run(world, judge=panel)
    assert len(server.log.calls) == 3 * CASES
    assert [line["value"] for line in sorted(records(world / "run"), key=lambda r: r["case"])] == expected_values()
    ballots = list(read_ballots(world / "run"))
    assert len(ballots) == 2 * CASES
    assert {tuple(map(len, ballot.answers.values())) for ballot in ballots} == {(2, 1)}
    run(world, judge=two_judges(server), out=world / "again")
    assert len(server.log.calls) == 3 * CASES
    # A third take asks for the third take alone; a judge alone asks nothing.
    run(world, judge=two_judges(server, (3, 1)), out=world / "more")
    assert len(server.log.calls) == 4 * CASES
    run(world, judge=panel.judges[1], out=world / "alone")
    assert len(server.log.calls) == 4 * CASES and not (world / "alone" / "ballots.jsonl").exists()


def test_a_refused_take_leaves_the_others_kept(server: JudgeServer, world: Path) -> None:
    server.fault = lambda number, questions: "refusal" if number == 1 else ""
    run(world, judge=two_judges(server, (1, 1)), cases=["case-00"])
    (line,) = records(world / "run")
    assert line["status"] == "unscored" and "take 1: the judge refuses" in line["reason"]
    run(world, judge=two_judges(server, (1, 1)), cases=["case-00"])
    assert len(server.log.calls) == 3 and records(world / "run")[-1]["status"] == "ok"


def test_agreement_stands_in_table_page_and_summary_and_is_replayed(server: JudgeServer, world: Path) -> None:
    """The second judge disagrees in half of its answers: a scripted one that always says yes."""
    (world / "yes.py").write_text(
        "import json, re\n"
        "def judge(request):\n"
        '    ids = re.findall(r\'"id": "([ab])"\', request.text)\n'
        "    return {'answers': [{'id': i, 'reason': '', 'answer': 'yes'} for i in ids]}\n"
    )
    table = settings_for(server).model_dump(exclude_defaults=True)
    scripted = {"client": "scripted", "function": f"{world / 'yes.py'}:judge"}
    place_judges({"mine": {**table, "takes": 2}, "yes": scripted}, "here", trust=True)
    try:
        run(world, judge="mine,yes", judge_takes=None)
        (found,) = agreements(Run(world / "run"))
        assert found.with_itself[0].takes == 2 == len(found.judges) and found.with_itself[0].agree == 1.0
        assert found.questions == 2 * CASES and len(found.judges) == 2 and found.between is not None
        said = [ballot.answers["test-judge-1"][0] for ballot in read_ballots(world / "run")]
        assert found.even == said.count("no") > 0
        write_summary(world / "run")
        before = (world / "run" / "summary.json").read_bytes()
        assert json.loads(before)["judges"][0]["between"] == found.between
        notes = " ".join(build_table([summarise(Run(world / "run"))]).notes)
        assert f"alpha between 2 judges {found.between:.2f}" in notes
        page = ReportSource([Run(world / "run")], media=False).content("index.html").decode()
        assert f"alpha between 2 judges {found.between:.2f}" in page
        calls = len(server.log.calls)
        for line in (world / "run").glob("records-*.jsonl"):
            line.unlink()
        run(world, judge="replay")
        write_summary(world / "run")
        assert (world / "run" / "summary.json").read_bytes() == before and len(server.log.calls) == calls
        with pytest.raises(WorldGaugeError, match="named twice"):
            planned(world, judge="mine,mine")
    finally:
        place_judges({}, "here", trust=True)


def test_agreement_by_hand() -> None:
    """Two judges, three takes of the first, four questions with a scale."""
    rows = [([1, 1, 1], [1]), ([2, 2, 2], [2]), ([3, 3, 4], [3]), ([5, 5, 5], [5])]
    ballots = [
        Ballot(question=str(k), signal="s", level="interval", answers={"a": a, "b": b}, counted=1.0)
        for k, (a, b) in enumerate(rows)
    ]
    (found,) = agreements_of(ballots)
    (own,) = found.with_itself
    # Ordered pairs within each question, and among all twelve answers.
    values = [value for a, _ in rows for value in a]
    observed = sum((x - y) ** 2 for a, _ in rows for i, x in enumerate(a) for j, y in enumerate(a) if i != j) / 2
    expected = sum((x - y) ** 2 for x in values for y in values) / (len(values) - 1)
    assert own.alpha == pytest.approx(1 - observed / expected) and own.agree == 0.75
    assert found.between is not None and 0.98 < found.between < 1
    assert "says the same 3 times to 75%" in found.in_words()
