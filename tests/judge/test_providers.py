"""Gemini and Anthropic through their own packages, against a server on loopback that speaks their protocols."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.judge_server import FAULTS, KEY, PRICE_IN, PRICE_OUT, JudgeServer, judge_server, sometimes, truth
from judge.test_asking import ask_all, check_all_told
from worldgauge.core.asking import Spending
from worldgauge.core.clip import Clip
from worldgauge.core.video import Video
from worldgauge.judge.clients.open import NEEDS
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.ledger import read_ledger
from worldgauge.judge.question_sets import JudgedQuestion, ask_questions
from worldgauge.judge.session import answer_in
from worldgauge.judge.settings import Settings

PROVIDERS = ("anthropic", "gemini")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    with judge_server() as running:
        yield running


def judge_at(server: JudgeServer, client: str, **settings: Any) -> Judge:
    pytest.importorskip(NEEDS[client])
    endpoint = server.endpoint.removesuffix("/v1")
    quick = {"backoff": 0.005, "cool_down": 0.05, "concurrency": 8, "timeout": 5.0, "frames": 2, "max_tokens": 300}
    priced = {"price_in": PRICE_IN, "price_out": PRICE_OUT, "key": "TEST_JUDGE_KEY"}
    return judge_of(Settings(client=client, endpoint=endpoint, model="test-judge-1", **{**quick, **priced, **settings}))


@pytest.mark.parametrize("client", PROVIDERS)
def test_every_question_ends_as_an_answer_or_with_a_reason(server: JudgeServer, client: str, tmp_path: Path) -> None:
    judge = judge_at(server, client)
    server.fault = sometimes(0.3, 2, FAULTS)
    answered = check_all_told(ask_all(judge, 40, tmp_path), 40)
    assert answered >= 30
    attempts = list(read_ledger(tmp_path))
    assert len(attempts) == len(server.log.calls)
    assert all(call.authorized and call.structured and call.images == 2 for call in server.log.calls)
    known = sum(attempt.cost for attempt in attempts if attempt.cost is not None)
    unknown = sum(attempt.reserved for attempt in attempts if attempt.cost is None)
    assert known <= server.log.cost + 1e-12 and server.log.cost <= known + unknown
    assert not any(KEY in attempt.model_dump_json() for attempt in attempts)


@pytest.mark.parametrize("client", PROVIDERS)
def test_cost_is_the_servers_own_where_no_connection_is_cut(server: JudgeServer, client: str, tmp_path: Path) -> None:
    judge = judge_at(server, client)
    server.fault = sometimes(0.3, 3, tuple(fault for fault in FAULTS if fault != "cut"))
    check_all_told(ask_all(judge, 20, tmp_path), 20)
    attempts = list(read_ledger(tmp_path))
    assert all(attempt.cost is not None for attempt in attempts)
    assert sum(attempt.cost or 0.0 for attempt in attempts) == pytest.approx(server.log.cost, abs=1e-9)


def test_a_video_is_uploaded_watched_and_deleted(server: JudgeServer, tmp_path: Path) -> None:
    judge = judge_at(server, "gemini", send="video")
    judge.begin(tmp_path, Spending(), threading.Event(), lambda _: None)
    frames = np.random.default_rng(0).integers(0, 256, (6, 32, 48, 3), np.uint8)
    arrays = ask_questions(Clip(Video.from_array(frames, fps=8.0)), (JudgedQuestion(id="1", text="Is it?"),), judge)
    judge.finish()
    assert answer_in(arrays)["1"]["answer"] == truth("Is it?")
    assert list(server.uploads.sizes) == server.uploads.deleted == ["clip0"]
    assert server.uploads.sizes["clip0"] > 500 and server.uploads.looks == 1
