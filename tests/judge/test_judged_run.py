"""Judged metrics in a run: stored, resumed, replayed, planned, capped; nothing without a judge."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import make_cases, make_videos, records, worldgauge
from judge.judge_server import KEY, PRICE_IN, PRICE_OUT, JudgeServer, judge_server, truth
from worldgauge.api.building import build_job
from worldgauge.core.asking import Spending
from worldgauge.core.errors import NoRoom, WorldGaugeError
from worldgauge.core.prompts import forget_prompts, prompt_file
from worldgauge.core.run_folder import Run
from worldgauge.engine.evidence import stored_evidence
from worldgauge.engine.fitting import execute_fitting
from worldgauge.engine.plan import Plan, make_plan, make_plans
from worldgauge.engine.run import Totals, execute, execute_together
from worldgauge.engine.store import Store
from worldgauge.judge.instrument import judge_of
from worldgauge.judge.ledger import read_ledger
from worldgauge.judge.question_sets import PROMPT
from worldgauge.judge.settings import Settings
from worldgauge.media.encoder import write_video
from worldgauge.report.summary import write_summary

PLUGIN = Path(__file__).with_name("judged_plugin.py")
CASES = 4


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


def settings_for(server: JudgeServer, **more: Any) -> Settings:
    return Settings(
        endpoint=server.endpoint, model="test-judge-1", key="TEST_JUDGE_KEY", price_in=PRICE_IN, price_out=PRICE_OUT,
        frames=3, backoff=0.01, cool_down=0.05, timeout=10.0, **more,
    )  # fmt: skip


def planned(world: Path, **flags: Any) -> tuple[Any, Plan]:
    flags = {"metrics": "judged", "out": world / "run", **flags}
    job = build_job(
        world / "videos", benchmark=world / "cases", includes=[PLUGIN], store=world / "store", workers=1, **flags
    )
    return job, make_plan(job)


def run(world: Path, **flags: Any) -> Totals:
    job, plan = planned(world, **flags)
    return execute(job, plan)


def expected_values() -> list[float]:
    def passed(prompt: str) -> float:
        first, second = truth(f"Does it show {prompt}?"), truth(f"Is {prompt} absent?")
        return ((first == "yes") + (second == "no")) / 2

    return [passed(f"clip {number}") for number in range(CASES)]


def test_a_run_asks_once_and_never_again(server: JudgeServer, world: Path) -> None:
    judge = judge_of(settings_for(server))
    totals = run(world, judge=judge)
    assert [line["value"] for line in sorted(records(world / "run"), key=lambda r: r["case"])] == expected_values()
    assert len(server.log.calls) == CASES and all(call.images == 3 for call in server.log.calls)
    assert totals.counters["judge_calls"] == CASES
    assert totals.counters["judge_spent"] == pytest.approx(server.log.cost)
    assert {attempt.about.split()[0] for attempt in read_ledger(world / "run")} == {f"case-{n:02d}" for n in range(4)}
    finished = Run(world / "run")
    shown = stored_evidence(Store(world / "store"))(finished, finished.sources()["case-00"]).interviews
    assert [one.frames for one in shown] == [(0, 3, 5)] and shown[0].judge == "test-judge-1"
    assert [told.question for told in shown[0].told] == ["Does it show clip 0?", "Is clip 0 absent?"]
    first = shown[0].told[0]
    assert (first.answer, first.reason, first.wanted) == (truth("Does it show clip 0?"), "seen", "yes")
    assert shown[0].told[1].wanted == "no" and '"answers"' in shown[0].raw[-1]
    run(world, judge=judge)
    run(world, judge=judge, out=world / "second")
    assert len(server.log.calls) == CASES
    assert [line["value"] for line in sorted(records(world / "second"), key=lambda r: r["case"])] == expected_values()


def test_a_replay_gives_the_same_summary_with_the_network_closed(server: JudgeServer, world: Path) -> None:
    run(world, judge=judge_of(settings_for(server)))
    write_summary(world / "run")
    before = (world / "run" / "summary.json").read_bytes()
    server.close()
    for line in (world / "run").glob("records-*.jsonl"):
        line.unlink()
    run(world, judge="replay")
    write_summary(world / "run")
    assert (world / "run" / "summary.json").read_bytes() == before
    forgotten = {line["case"]: line for line in records(world / "run")}
    assert all(line["status"] == "ok" for line in forgotten.values())


def test_a_replay_asks_nobody(server: JudgeServer, world: Path) -> None:
    run(world, judge=judge_of(settings_for(server), replays=True))
    assert not server.log.calls
    assert {line["status"] for line in records(world / "run")} == {"unscored"}
    assert all("replay asks nobody" in line["reason"] for line in records(world / "run"))


def test_one_changed_byte_of_a_prompt_asks_again_exactly_those(server: JudgeServer, world: Path) -> None:
    judge, both = judge_of(settings_for(server)), "judged,judged_with_caption"
    run(world, judge=judge, metrics=both)
    assert len(server.log.calls) == 2 * CASES
    mine = world / "mine.md"
    mine.write_bytes(prompt_file(PROMPT).read_bytes() + b"\n")
    run(world, judge=judge, metrics=both, judge_prompts=[f"questions={mine}"])
    assert len(server.log.calls) == 3 * CASES
    forget_prompts()
    run(world, judge=judge, metrics=both)
    assert len(server.log.calls) == 3 * CASES


def test_a_refusal_is_unscored_and_asked_again(server: JudgeServer, world: Path) -> None:
    server.fault = lambda number, questions: "refusal" if number == 0 else ""
    server.model = "test-judge-2"
    totals = run(world, judge=judge_of(settings_for(server, concurrency=1)))
    assert "the judge answered as test-judge-2 where test-judge-1 was asked" in totals.remarks
    statuses = {line["case"]: line["status"] for line in records(world / "run")}
    assert sorted(statuses.values()) == ["ok"] * 3 + ["unscored"]
    run(world, judge=judge_of(settings_for(server)))
    assert len(server.log.calls) == CASES + 1
    assert {line["case"]: line["status"] for line in records(world / "run")} == dict.fromkeys(statuses, "ok")


def test_a_purse_that_is_empty_stops_cleanly_and_goes_on(server: JudgeServer, world: Path) -> None:
    judge = judge_of(settings_for(server, concurrency=1))
    run(world, judge=judge, max_calls=3)
    assert sorted(line["status"] for line in records(world / "run")) == ["ok"] * 3 + ["unscored"]
    run(world, judge=judge, max_calls=3)
    assert len(server.log.calls) == CASES
    with pytest.raises(WorldGaugeError, match="--max-cost needs the price"):
        free = settings_for(server).model_copy(update={"price_in": None, "price_out": None, "seed": 1})
        run(world, judge=judge_of(free), max_cost=1.0, out=world / "other")


def test_the_plan_tells_calls_images_tokens_and_cost(server: JudgeServer, world: Path) -> None:
    judge = judge_of(settings_for(server))
    asking = planned(world, judge=judge)[1].asking
    assert (asking.calls, asking.images) == (CASES, 3 * CASES)
    assert not server.log.calls
    run(world, judge=judge)
    assert asking.cost is not None and asking.cost[0] < server.log.cost < asking.cost[1]
    assert planned(world, judge=judge)[1].asking.calls == 0


def test_frames_leave_the_machine_only_after_a_yes(server: JudgeServer, world: Path) -> None:
    settings = settings_for(server).model_copy(update={"endpoint": "http://judge.example.invalid/v1"})
    job, plan = planned(world, judge=judge_of(settings))
    with pytest.raises(WorldGaugeError, match=r"send 12 frames of 4 clips.*to judge\.example\.invalid.*--send-to"):
        execute(job, plan)
    assert not (world / "run").exists()
    run(world, judge=judge_of(settings), send_to=["judge.example.invalid"], metrics="looked")


def test_no_judge_is_no_failure(world: Path) -> None:
    run(world, metrics="judged,looked")
    by_metric = {line["metric"]: line for line in records(world / "run")}
    assert by_metric["looked"]["status"] == "ok"
    assert by_metric["judged"]["status"] == "unscored"
    assert by_metric["judged"]["reason"].startswith("no judge; name one with --judge")


def test_perception_goes_on_while_the_judge_thinks(server: JudgeServer, world: Path) -> None:
    server.seconds = 0.4
    started = time.time()
    run(world, judge=judge_of(settings_for(server, concurrency=2)), metrics="judged,looked")
    attempts = list(read_ledger(world / "run"))
    lines = [json.loads(line) for line in (world / "run" / "records-0.jsonl").read_text().splitlines()]
    looked = [line["time"] for line in lines if line["metric"] == "looked"]
    assert len(looked) == CASES and max(looked) < max(attempt.time + attempt.seconds for attempt in attempts)
    assert min(attempt.time for attempt in attempts) < min(looked)
    assert time.time() - started < CASES * 0.4 + 1.2


@pytest.mark.parametrize(
    ("count", "seconds", "most", "at_once", "meanwhile"),
    [(24, 0.5, 3.0, 8, 3), pytest.param(640, 2.0, 48.0, 32, 500, marks=pytest.mark.nightly)],
)
def test_slow_calls_run_side_by_side(
    server: JudgeServer, tmp_path: Path, count: int, seconds: float, most: float, at_once: int, meanwhile: int
) -> None:
    """As many calls as the server allows are in the air, and clips are looked at all the while."""
    videos = tmp_path / "videos"
    (videos / "reference").mkdir(parents=True)
    for number in range(count):
        frames = np.random.default_rng(number).integers(0, 256, (4, 32, 48, 3), np.uint8)
        write_video(videos / f"case-{number:03d}.mkv", frames, fps=12)
        os.link(videos / f"case-{number:03d}.mkv", videos / "reference" / f"case-{number:03d}.mkv")
    make_cases(tmp_path / "cases", videos)
    server.seconds = seconds
    run(tmp_path, judge=judge_of(settings_for(server, concurrency=32)), metrics="judged,looked")
    calls, attempts = server.log.calls, list(read_ledger(tmp_path / "run"))
    assert len(calls) == count == len(attempts) and at_once <= server.log.most_at_once <= 32
    assert max(call.ended for call in calls) - min(call.began for call in calls) <= most
    lines = [json.loads(line) for line in (tmp_path / "run" / "records-0.jsonl").read_text().splitlines()]
    assert {line["status"] for line in lines} == {"ok"} and len(lines) == 2 * count
    looked = [line["time"] for line in lines if line["metric"] == "looked"]
    began, ended = min(one.time for one in attempts), max(one.time + one.seconds for one in attempts)
    assert sum(began <= moment <= ended for moment in looked) >= meanwhile


def two_benchmarks(server: JudgeServer, world: Path, metrics: tuple[str, str], **flags: Any) -> list[Any]:
    """Jobs over the same videos, each with a judge of its own that has a seed of its own."""
    return [
        planned(
            world, judge=judge_of(settings_for(server, seed=seed)), metrics=names, out=world / f"run-{seed}", **flags
        )[0]
        for seed, names in enumerate(metrics)
    ]


@pytest.mark.parametrize("second", ["judged,looked", "looked"])
def test_benchmarks_in_one_run_ask_each_for_itself(server: JudgeServer, world: Path, second: str) -> None:
    jobs = two_benchmarks(server, world, ("judged,looked", second))
    totals = execute_together(list(zip(jobs, make_plans(jobs), strict=True)))
    asking = [1, int("judged" in second)]
    assert [one.counters["judge_calls"] for one in totals] == [CASES * asks for asks in asking]
    assert len(server.log.calls) == CASES * sum(asking)
    for number, asks in enumerate(asking):
        lines = sorted(records(world / f"run-{number}"), key=lambda line: line["case"])
        assert [line["value"] for line in lines if line["metric"] == "judged"] == expected_values() * asks
        assert sum(line["status"] == "ok" for line in lines) == CASES * (1 + asks)
    assert sum(one.counters["computed:slow_look"] for one in totals) == CASES


def test_benchmarks_in_one_run_have_one_purse(server: JudgeServer, world: Path) -> None:
    jobs = two_benchmarks(server, world, ("judged", "judged"), max_calls=3)
    totals = execute_together(list(zip(jobs, make_plans(jobs), strict=True)))
    assert len(server.log.calls) == 3 == sum(one.counters["judge_calls"] for one in totals)
    lines = [line for number in range(2) for line in records(world / f"run-{number}")]
    assert sorted(line["status"] for line in lines) == ["ok"] * 3 + ["unscored"] * 5
    other = replace(jobs[1], spending=Spending(calls=4))
    with pytest.raises(WorldGaugeError, match="have one purse"):
        execute_together(list(zip([jobs[0], other], make_plans(jobs), strict=True)))


def test_a_question_that_two_benchmarks_or_two_metrics_have_in_common_is_asked_once(
    server: JudgeServer, world: Path
) -> None:
    server.seconds = 0.05
    flags = {"judge": judge_of(settings_for(server)), "metrics": "judged,judged_too"}
    jobs = [planned(world, out=world / f"run-{number}", **flags)[0] for number in range(2)]
    plans = make_plans(jobs)
    assert [plan.asking.calls for plan in plans] == [CASES, 0]
    execute_together(list(zip(jobs, plans, strict=True)))
    assert len(server.log.calls) == CASES
    for number in range(2):
        lines = sorted(records(world / f"run-{number}"), key=lambda line: (line["metric"], line["case"]))
        assert [line["value"] for line in lines] == expected_values() * 2


def test_a_run_that_starts_over_for_want_of_memory_has_what_is_left(server: JudgeServer, world: Path) -> None:
    """A worker runs out of memory after two answers; the command's purse is not filled anew."""
    job, plan = planned(world, judge=judge_of(settings_for(server, concurrency=1)), max_calls=3)

    def interrupted(result: Any) -> None:
        tries.append(result.case)
        if len(tries) == 2:
            raise NoRoom("a_network", 4)

    tries: list[str] = []
    ((_, _, totals),) = execute_fitting([(job, plan)], interrupted)
    assert len(server.log.calls) == 3
    statuses = {line["case"]: line["status"] for line in records(world / "run")}
    assert sorted(statuses.values()) == ["ok"] * 3 + ["unscored"] and totals.finished


@pytest.mark.nightly
def test_killed_in_the_middle_it_asks_no_answered_question_again(server: JudgeServer, world: Path) -> None:
    import threading

    server.gate, server.open_calls = threading.Event(), 2
    table = settings_for(server, concurrency=3).model_dump(exclude_defaults=True)
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    (world / "worldgauge.toml").write_text("[judge]\n" + "\n".join(lines) + "\n")
    command = [
        sys.executable, "-m", "worldgauge", "run", "videos", "-b", "cases", "--include", str(PLUGIN), "-m", "judged",
        "--store", "store", "--out", "run", "-w", "1",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=world, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    # The answer by itself, and the signal that was read off it.
    while len(list((world / "store").glob("??/*.npz"))) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    while len(server.log.calls) < CASES and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    answered = {call.questions[0] + str(call.began) for call in server.log.calls[:2]}
    assert len(answered) == 2 and len(server.log.calls) == CASES
    server.gate.set()
    server.gate = None
    done = worldgauge(*command[3:])
    assert "2 calls, 2 answers" in done.stdout
    assert len(server.log.calls) == CASES + 2
    assert not any(KEY.encode() in file.read_bytes() for file in world.rglob("*") if file.is_file())


def test_shards_bring_what_the_judge_was_asked_into_one_folder(server: JudgeServer, world: Path) -> None:
    judge = judge_of(settings_for(server))
    for part in (1, 2):
        run(world, judge=judge, shard=(part, 2), out=world / f"part-{part}")
    worldgauge("merge", "part-1", "part-2", "--out", "whole")
    attempts = list(read_ledger(world / "whole"))
    assert len(attempts) == CASES == len({attempt.question for attempt in attempts})
    assert sum(attempt.cost or 0.0 for attempt in attempts) == pytest.approx(server.log.cost)
