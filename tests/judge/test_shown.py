"""What a judged run leaves for people: pages, replies nobody could read, figures of its questions; never the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers import make_cases, make_videos
from judge.judge_server import KEY, JudgeServer, judge_server
from judge.test_judged_run import CASES, run, settings_for
from worldgauge.cli.judge import app
from worldgauge.core.asking import BALLOTS
from worldgauge.core.run_folder import Run
from worldgauge.engine.evidence import stored_evidence
from worldgauge.engine.store import Store
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.question_sets import JudgedQuestion
from worldgauge.judge.session import packed
from worldgauge.judge.settings import Settings
from worldgauge.judge.sittings import repeated_scores, sittings_in
from worldgauge.judge.unread import with_unread
from worldgauge.report.html import ReportSource, write_report
from worldgauge.report.summary import summarise, write_summary
from worldgauge.report.tables import build_table, to_markdown


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path) -> Path:
    make_cases(tmp_path / "cases", make_videos(tmp_path / "videos", CASES))
    return tmp_path


def test_a_key_that_a_server_echoes_is_in_no_file_page_or_log(
    server: JudgeServer, world: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    server.fault = lambda number, questions: "429" if number == 0 else "echo"
    run(world, judge=judge_of(settings_for(server)))
    write_summary(world / "run")
    evidence = with_unread(stored_evidence(Store(world / "store")))
    write_report(ReportSource([Run(world / "run")], evidence=evidence), world / "page")
    files = {file: file.read_bytes() for file in world.rglob("*") if file.is_file()}
    assert not [file for file, content in files.items() if KEY.encode() in content]
    assert KEY not in caplog.text
    # The search would find it: the words that stood around the key are in the ledger, the store and the page.
    found = {file.relative_to(world).parts[0] for file, content in files.items() if b"because of ***" in content}
    assert found == {"run", "store", "page"}


def test_replies_that_could_not_be_read_are_shown_for_their_case(server: JudgeServer, world: Path) -> None:
    # One call after the other: the second case's is the second, and both of its repairs.
    server.fault = lambda number, questions: "prose" if number in (1, 2, 3) else ""
    run(world, judge=judge_of(settings_for(server, concurrency=1)))
    finished = Run(world / "run")
    find = with_unread(stored_evidence(Store(world / "store")))
    (unread,) = find(finished, finished.sources()["case-01"]).interviews
    assert "3 attempts, none could be read" in unread.problem and len(unread.raw) == 3
    assert all("Let me see." in reply for reply in unread.raw) and not unread.told
    (read,) = find(finished, finished.sources()["case-00"]).interviews
    assert not read.problem and len(read.told) == 2
    table = to_markdown(build_table([summarise(finished)]))
    assert "videos 25.0 % (1 of 4)" in table
    assert "| always yes | 50.00 " in table or "| always yes | 0.500 " in table


def test_figures_of_the_questions_of_a_run(server: JudgeServer, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(world, judge=judge_of(settings_for(server)))
    monkeypatch.chdir(world)
    told = json.loads(CliRunner().invoke(app, ["items", "run", "--store", "store", "--json"]).stdout)
    assert len(told) == 2 * CASES and {row["asked"] for row in told} == {1}
    printed = CliRunner().invoke(app, ["items", "run", "--store", "store"]).stdout
    assert "8 of 8 questions are passed by all or by none" in printed


def test_takes_of_a_judge_are_shown_apart_and_tell_its_noise(server: JudgeServer, world: Path) -> None:
    from worldgauge.judge.panel import panel_of

    script = world / "wavering.py"
    script.write_text(
        "def wavering(request):\n"
        "    word = 'yes' if request.take == 0 else 'no'\n"
        "    return {'answers': [{'id': i, 'reason': 'seen', 'answer': word} for i in 'ab']}\n"
    )
    judge = judge_of(Settings(client="scripted", function=f"{script}:wavering"))
    run(world, judge=panel_of([judge], [3]))
    finished = Run(world / "run")
    column = finished.columns()["judged"]
    # Yes passes one question and no the other: every time scores a half, and always did.
    assert column.repeats is not None and column.repeats.shape == (CASES, 3) and (column.repeats == 0.5).all()
    interviews = stored_evidence(Store(world / "store"))(finished, finished.sources()["case-00"]).interviews
    assert [(one.take, [told.answer for told in one.told]) for one in interviews] == [
        (0, ["yes", "yes"]), (1, ["no", "no"]), (2, ["no", "no"]), (0, ["no", "no"]),
    ]  # fmt: skip
    assert interviews[-1].judge.startswith("together") and len(interviews[-1].raw) == 3
    assert interviews[0].told[1].wanted == "no"
    source = ReportSource([finished], evidence=stored_evidence(Store(world / "store")))
    judged = source.index()["judged"]
    assert judged["columns"][0]["noise"]["noise"] == 0 and judged["judges"][0]["parameters"]["takes"] == [3]
    flags = json.loads(source.content("data/judged.js").decode().partition(",")[2].rstrip(");\n"))
    assert flags == [[3] * CASES], "not as wanted, and takes that disagree"


def test_what_each_judge_said_each_time() -> None:
    questions = [JudgedQuestion(id="1", text="?"), JudgedQuestion(id="2", text="?", passes="no", dimension="d")]
    ballots = [
        {"question": "1", "answers": {"a": ["yes", "no"], "b": ["yes"]}},
        {"question": "2", "answers": {"a": ["no", "no"]}},
    ]
    arrays = {BALLOTS: packed(json.dumps(ballots))}
    assert sittings_in(arrays) == [{"1": "yes", "2": "no"}, {"1": "no", "2": "no"}, {"1": "yes"}]
    assert repeated_scores(questions, arrays) == (1.0, 0.0, 1.0)
    assert repeated_scores(questions, arrays, "d") == (1.0, 1.0), "who was not asked is not wrong"
    assert repeated_scores(questions, {}) == ()


def test_a_question_set_is_looked_at_before_anybody_is_asked(tmp_path: Path) -> None:
    texts = {"a": ("Is the fox there?", "yes"), "b": ("Is there the fox?", "no"), "c": ("Does it melt?", "no")}
    tables = [
        f'[[question]]\nid = "{i}"\ntext = "{text}"\ndimension = "memory"\npasses = "{passes}"\n'
        for i, (text, passes) in texts.items()
    ]
    tables.append('[[question]]\nid = "d"\ntext = "How sharp?"\nscale = [1, 5]\ndimension = "looks"\n')
    (tmp_path / "set.toml").write_text("\n".join(tables))
    told = json.loads(CliRunner().invoke(app, ["bank", str(tmp_path / "set.toml"), "--json"]).stdout)
    memory, looks, both = told["dimensions"]
    assert (memory["questions"], memory["most wanted"]) == (3, "no") and memory["wanted %"] == pytest.approx(200 / 3)
    assert memory["always yes"] == pytest.approx(100 / 3) and memory["coin"] == 50
    assert looks["scales"] == 1 and looks["always yes"] is None and both["questions"] == 4
    assert told["alike"] == [["a", "b"]]
    assert "worded alike: a, b" in CliRunner().invoke(app, ["bank", str(tmp_path / "set.toml")]).stdout
