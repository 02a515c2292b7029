"""Many questions to a server that fails in every way: none lost, none twice, every call accounted for."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.judge_server import (
    FAULTS,
    KEY,
    PRICE_IN,
    PRICE_OUT,
    TRANSPORT,
    UNTOLD,
    JudgeServer,
    judge_server,
    sometimes,
    truth,
)
from worldgauge.core.asking import OnAsked, OutOfMoney, Spending, Unanswered
from worldgauge.core.clip import Clip
from worldgauge.core.video import Video
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.ledger import FILE_NAME, read_ledger
from worldgauge.judge.question_sets import JudgedQuestion, ask_questions
from worldgauge.judge.session import answer_in
from worldgauge.judge.settings import Settings

NEVER_CUT = tuple(fault for fault in FAULTS if fault not in UNTOLD)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running


def judge_at(server: JudgeServer, **settings: Any) -> Judge:
    quick = {"backoff": 0.005, "cool_down": 0.05, "concurrency": 16, "timeout": 2.0, "frames": 2, "max_tokens": 300}
    priced = {"price_in": PRICE_IN, "price_out": PRICE_OUT, "key": "TEST_JUDGE_KEY"}
    place = {"endpoint": server.endpoint, "model": "test-judge-1"}
    return judge_of(Settings(**{**place, **quick, **priced, **settings}))


def ask_all(
    judge: Judge, count: int, folder: Path, spending: Spending | None = None, watch: OnAsked = lambda _: None
) -> dict[int, Any]:
    """Question number to its answer, or to what was raised."""
    judge.begin(folder, spending or Spending(), threading.Event(), watch)
    clip = np.zeros((5, 24, 32, 3), np.uint8)

    def one(number: int) -> Any:
        try:
            asked = (JudgedQuestion(id=str(number), text=f"Is it {number}?"),)
            return answer_in(ask_questions(Clip(Video.from_array(clip, fps=8.0)), asked, judge))[str(number)]["answer"]
        except Unanswered as reason:
            return reason

    with ThreadPoolExecutor(judge.concurrency) as pool:
        found = dict(zip(range(count), pool.map(one, range(count)), strict=True))
    judge.finish()
    return found


def check_all_told(found: dict[int, Any], count: int) -> int:
    """Every question has the true answer or a reason; how many have an answer."""
    assert sorted(found) == list(range(count))
    reasons = {number: str(answer) for number, answer in found.items() if isinstance(answer, Unanswered)}
    assert all(reasons.values())
    answered = {number: answer for number, answer in found.items() if number not in reasons}
    assert answered == {number: truth(f"Is it {number}?") for number in answered}
    return len(answered)


def check_none_twice(server: JudgeServer, count: int) -> None:
    """Every question came to the server, and none once more after a reply that was right, or after a refusal."""
    calls: dict[str, list[str]] = {}
    for call in server.log.calls:
        (question,) = call.questions
        calls.setdefault(question, []).append(call.fault)
    assert sorted(calls, key=int) == [str(number) for number in range(count)]
    assert not any(fault in ("", "refusal") for faults in calls.values() for fault in faults[:-1])


def faulty_run(
    server: JudgeServer, folder: Path, count: int, faults: tuple[str, ...] = FAULTS, judge: Judge | None = None
) -> None:
    server.fault = sometimes(0.3, 1, faults)
    answered = check_all_told(ask_all(judge or judge_at(server), count, folder), count)
    check_none_twice(server, count)
    # Refusals, and what fails three times in a row.
    assert answered >= 0.75 * count
    attempts = list(read_ledger(folder))
    assert len(attempts) == len(server.log.calls)
    known = sum(attempt.cost for attempt in attempts if attempt.cost is not None)
    unknown = sum(attempt.reserved for attempt in attempts if attempt.cost is None)
    assert known <= server.log.cost + 1e-12 and server.log.cost <= known + unknown + 1e-12
    if "cut" in faults:
        assert unknown > 0
    else:
        assert known == pytest.approx(server.log.cost, abs=1e-9) and unknown == 0


def test_every_question_ends_as_an_answer_or_with_a_reason(server: JudgeServer, tmp_path: Path) -> None:
    faulty_run(server, tmp_path, 50)
    assert {call.fault for call in server.log.calls} >= {"429", "500", "cut", "slow", "garbled", "prose", "refusal"}


def test_cost_is_the_servers_own_where_no_connection_is_cut(server: JudgeServer, tmp_path: Path) -> None:
    faulty_run(server, tmp_path, 25, NEVER_CUT)


@pytest.mark.nightly
@pytest.mark.parametrize("cut", [True, False])
def test_three_hundred_questions(server: JudgeServer, tmp_path: Path, cut: bool) -> None:
    faulty_run(server, tmp_path, 300, FAULTS if cut else NEVER_CUT)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in {"refusal", "length", *TRANSPORT}])
def test_a_reply_that_does_not_fit_is_repaired_twice_at_most(server: JudgeServer, tmp_path: Path, fault: str) -> None:
    server.fault = lambda number, questions: fault
    found = ask_all(judge_at(server), 1, tmp_path)
    assert "could not be read, 3 times" in str(found[0])
    assert [call.repaired for call in server.log.calls] == [False, True, True]
    server.fault = lambda number, questions: fault if number == 3 else ""
    assert ask_all(judge_at(server), 1, tmp_path)[0] == truth("Is it 0?")
    assert len(server.log.calls) == 5


def test_a_refusal_is_not_argued_with(server: JudgeServer, tmp_path: Path) -> None:
    server.fault = lambda number, questions: "refusal"
    assert "refuses" in str(ask_all(judge_at(server), 1, tmp_path)[0])
    assert len(server.log.calls) == 1


def test_an_endpoint_that_is_down_is_not_called_for_ever(server: JudgeServer, tmp_path: Path) -> None:
    server.fault = lambda number, questions: "500"
    found = ask_all(judge_at(server, attempts=50, cool_down=0.01), 40, tmp_path)
    assert all("down" in str(reason) or "500" in str(reason) for reason in found.values())
    # Four times a dozen failures, and those that were in the air.
    assert len(server.log.calls) < 4 * 12 + 4 * 16


def test_nobody_calls_before_the_time_the_server_asked_for(server: JudgeServer, tmp_path: Path) -> None:
    server.retry_after = "0.3"
    server.fault = lambda number, questions: "429" if number == 0 else ""
    ask_all(judge_at(server, concurrency=1), 2, tmp_path)
    first, second, _ = server.log.calls
    assert second.began - first.ended >= 0.29


@pytest.mark.parametrize(
    ("limit", "count", "at_once"), [(0.08, 180, 10), pytest.param(0.28, 720, 32, marks=pytest.mark.nightly)]
)
def test_spent_and_reserved_never_exceed_the_limit(
    server: JudgeServer, tmp_path: Path, limit: float, count: int, at_once: int
) -> None:
    """With as many calls in the air as the limit holds: what the server charged stays below it, and most is used."""
    judge, seen = judge_at(server, concurrency=32), list[float]()
    server.together = at_once

    def watch(state: Mapping[str, float]) -> None:
        seen.append(state["spent"] + state["unknown"] + state["reserved"])

    found = ask_all(judge, count, tmp_path, Spending(cost=limit), watch)
    spent = [answer for answer in found.values() if isinstance(answer, OutOfMoney)]
    assert 0 < len(spent) < count and check_all_told(found, count) == count - len(spent)
    assert max(seen) <= limit + 1e-12 and 0.5 * limit < server.log.cost <= limit
    assert server.log.most_at_once >= at_once


def test_calls_are_counted_out(server: JudgeServer, tmp_path: Path) -> None:
    found = ask_all(judge_at(server), 20, tmp_path, Spending(calls=7))
    assert sum(not isinstance(answer, Unanswered) for answer in found.values()) == len(server.log.calls) == 7


def test_a_key_is_sent_and_shows_up_nowhere(server: JudgeServer, tmp_path: Path) -> None:
    server.fault = lambda number, questions: "429" if number < 2 else "echo"
    judge = judge_at(server, attempts=2)
    found = ask_all(judge, 3, tmp_path)
    judge.begin(tmp_path, Spending(), threading.Event(), lambda _: None)
    clip = Clip(Video.from_array(np.zeros((5, 24, 32, 3), np.uint8)))
    arrays = ask_questions(clip, (JudgedQuestion(id="1", text="Is it?"),), judge)
    judge.finish()
    assert answer_in(arrays)["1"]["reason"] == "because of ***"
    assert all(call.authorized for call in server.log.calls)
    texts = [(tmp_path / FILE_NAME).read_text(), *map(str, found.values()), repr(judge), repr(judge.settings)]
    texts += [array.tobytes().decode("latin-1") for array in arrays.values()]
    assert not any(KEY in text for text in texts) and any("***" in text for text in texts)
