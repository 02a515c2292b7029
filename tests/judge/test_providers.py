"""Gemini and Anthropic through their own packages, against a server on loopback that speaks their protocols."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.judge_server import FAULTS, KEY, PRICE_IN, PRICE_OUT, JudgeServer, judge_server, truth
from judge.test_asking import NEVER_CUT, faulty_run
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
    quick = {"backoff": 0.005, "cool_down": 0.05, "concurrency": 8, "timeout": 2.0, "frames": 2, "max_tokens": 300}
    priced = {"price_in": PRICE_IN, "price_out": PRICE_OUT, "key": "TEST_JUDGE_KEY"}
    return judge_of(Settings(client=client, endpoint=endpoint, model="test-judge-1", **{**quick, **priced, **settings}))


@pytest.mark.parametrize("client", PROVIDERS)
def test_every_question_ends_as_an_answer_or_with_a_reason(server: JudgeServer, client: str, tmp_path: Path) -> None:
    faulty_run(server, tmp_path, 40, judge=judge_at(server, client))
    assert all(call.authorized and call.structured and call.images == 2 for call in server.log.calls)
    assert not any(KEY in attempt.model_dump_json() for attempt in read_ledger(tmp_path))


@pytest.mark.parametrize("client", PROVIDERS)
def test_cost_is_the_servers_own_where_no_connection_is_cut(server: JudgeServer, client: str, tmp_path: Path) -> None:
    faulty_run(server, tmp_path, 20, NEVER_CUT, judge_at(server, client))


@pytest.mark.nightly
@pytest.mark.parametrize("client", PROVIDERS)
@pytest.mark.parametrize("cut", [True, False])
def test_three_hundred_questions(server: JudgeServer, client: str, cut: bool, tmp_path: Path) -> None:
    faulty_run(server, tmp_path, 300, FAULTS if cut else NEVER_CUT, judge_at(server, client))


def test_a_video_is_uploaded_watched_and_deleted(server: JudgeServer, tmp_path: Path) -> None:
    judge = judge_at(server, "gemini", send="video")
    judge.begin(tmp_path, Spending(), threading.Event(), lambda _: None)
    frames = np.random.default_rng(0).integers(0, 256, (6, 32, 48, 3), np.uint8)
    arrays = ask_questions(Clip(Video.from_array(frames, fps=8.0)), (JudgedQuestion(id="1", text="Is it?"),), judge)
    judge.finish()
    assert answer_in(arrays)["1"]["answer"] == truth("Is it?")
    assert list(server.uploads.sizes) == server.uploads.deleted == ["clip0"]
    assert server.uploads.sizes["clip0"] > 500 and server.uploads.looks == 1
