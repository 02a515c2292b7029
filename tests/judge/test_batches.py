"""Questions by batch: sent together, collected once, half the price; what a batch does not answer is asked at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.judge_server import FAULTS, KEY, PRICE_IN, PRICE_OUT, JudgeServer, judge_server, sometimes, truth
from judge.test_asking import ask_all, check_all_told
from worldgauge.core.asking import Spending
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.judge.clients.open import NEEDS
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.ledger import open_batches, read_ledger
from worldgauge.judge.question_sets import JudgedQuestion, ask_questions
from worldgauge.judge.session import answer_in
from worldgauge.judge.settings import Settings

CLIENTS = ("openai", "anthropic", "gemini")
MORE = ("openai", *(pytest.param(client, marks=pytest.mark.nightly) for client in CLIENTS[1:]))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running


def judge_at(server: JudgeServer, client: str, **settings: Any) -> Judge:
    if client in NEEDS:
        pytest.importorskip(NEEDS[client])
    endpoint = server.endpoint if client == "openai" else server.endpoint.removesuffix("/v1")
    quick = {"backoff": 0.005, "cool_down": 0.05, "timeout": 2.0, "frames": 2, "max_tokens": 300}
    priced = {"price_in": PRICE_IN, "price_out": PRICE_OUT, "key": "TEST_JUDGE_KEY"}
    batch = {"batch": True, "batch_pause": 0.2, "batch_look": 0.02}
    return judge_of(
        Settings(client=client, endpoint=endpoint, model="test-judge-1", **{**quick, **priced, **batch, **settings})
    )


def check_costs(server: JudgeServer, folder: Path) -> None:
    attempts = list(read_ledger(folder))
    known = sum(attempt.cost for attempt in attempts if attempt.cost is not None)
    unknown = sum(attempt.reserved for attempt in attempts if attempt.cost is None)
    assert known <= server.log.cost + 1e-12 and server.log.cost <= known + unknown + 1e-12


@pytest.mark.parametrize("client", CLIENTS)
def test_a_batch_answers_all_at_half_the_price(server: JudgeServer, client: str, tmp_path: Path) -> None:
    assert check_all_told(ask_all(judge_at(server, client), 12, tmp_path), 12) == 12
    # One batch, or two where a slow machine took its time between two questions.
    assert sum(len(lines) for lines in server.batches.sent.values()) == 12 > 2 * len(server.batches.sent)
    assert all(call.batch and call.images == 2 for call in server.log.calls)
    attempts = list(read_ledger(tmp_path))
    assert sum(attempt.cost or 0.0 for attempt in attempts) == pytest.approx(server.log.cost, abs=1e-12)
    assert all(attempt.cost is not None and attempt.cost <= attempt.reserved for attempt in attempts)
    assert server.batches.deleted and not open_batches(tmp_path)


@pytest.mark.parametrize("client", MORE)
def test_lines_that_fail_are_asked_at_once(server: JudgeServer, client: str, tmp_path: Path) -> None:
    server.fault, server.batches.broken = sometimes(0.3, 5, FAULTS), [500]
    assert check_all_told(ask_all(judge_at(server, client), 30, tmp_path), 30) >= 22
    by_batch = Counter(question for call in server.log.calls if call.batch for question in call.questions)
    assert len(by_batch) == 30 and set(by_batch.values()) == {1}
    assert any(not call.batch for call in server.log.calls)
    check_costs(server, tmp_path)


@pytest.mark.parametrize("client", MORE)
def test_a_batch_that_expires_is_asked_at_once(server: JudgeServer, client: str, tmp_path: Path) -> None:
    server.batches.expires = True
    assert check_all_told(ask_all(judge_at(server, client, concurrency=4), 6, tmp_path), 6) == 6
    assert sum(len(lines) for lines in server.batches.sent.values()) == 6
    assert not any(call.batch for call in server.log.calls)
    assert len(server.log.calls) == 6
    check_costs(server, tmp_path)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_sent_is_collected_by_the_next_command(server: JudgeServer, client: str, tmp_path: Path) -> None:
    """Stopped while the batch is being worked on: the lines are in the ledger, nothing is sent again."""
    server.batches.looks = 10**6
    stop, judge = threading.Event(), judge_at(server, client)
    judge.begin(tmp_path, Spending(), stop, lambda _: None)
    clip = Clip(Video.from_array(np.zeros((5, 24, 32, 3), np.uint8), fps=8.0))
    asked = (JudgedQuestion(id="1", text="Is it?"),)
    stopped: list[str] = []

    def ask() -> None:
        try:
            ask_questions(clip, asked, judge)
        except WorldGaugeError as reason:
            stopped.append(str(reason))

    thread = threading.Thread(target=ask)
    thread.start()
    while not open_batches(tmp_path):
        assert thread.is_alive()
    stop.set()
    thread.join()
    judge.finish()
    assert "the same command collects it" in stopped[0] and len(open_batches(tmp_path)) == 1
    server.batches.looks = 0
    again = judge_at(server, client)
    again.begin(tmp_path, Spending(), threading.Event(), lambda _: None)
    assert answer_in(ask_questions(clip, asked, again))["1"]["answer"] == truth("Is it?")
    again.finish()
    assert len(server.batches.sent) == 1 == len(server.log.calls) and not open_batches(tmp_path)


def test_an_expected_batch_costs_half(server: JudgeServer) -> None:
    clip = Clip(Video.from_array(np.zeros((5, 24, 32, 3), np.uint8), fps=8.0))
    asked = (JudgedQuestion(id="1", text="Is it?"),)

    def cost(batch: bool) -> float:
        from worldgauge.core.asking import Estimated

        with pytest.raises(Estimated) as found:
            ask_questions(clip, asked, judge_at(server, "openai", batch=batch).estimator())
        (expected,) = found.value.questions.values()
        assert expected.cost is not None
        return expected.cost[1]

    assert cost(True) == pytest.approx(0.5 * cost(False))
    with pytest.raises(ValueError, match="batches are for"):
        Settings(client="scripted", function="a.py:b", batch=True)
