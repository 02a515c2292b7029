"""A tiny model with random weights answers end to end: by its logits, and in words that nobody can read."""

from __future__ import annotations

import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.tiny_model import save_tiny_model
from worldgauge.core.asking import Spending, Unanswered
from worldgauge.core.clip import Clip
from worldgauge.core.video import Video
from worldgauge.judge.clients.local import expected_score
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.question_sets import JudgedQuestion, ask_questions
from worldgauge.judge.session import answer_in, unpacked
from worldgauge.judge.settings import Settings

pytest.importorskip("torch")
pytest.importorskip("transformers")
# Importing both takes longer than all other tests of judges together.
pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("model"))


def opened(folder: Path, out: Path, **settings: Any) -> Judge:
    judge = judge_of(
        Settings(client="local", model=str(folder), frames=2, image_side=64, concurrency=4, max_tokens=8, **settings)
    )
    assert judge.is_here and judge.unavailable() is None
    judge.begin(out, Spending(), threading.Event(), lambda _: None)
    return judge


def clip(seed: int) -> Clip:
    frames = np.random.default_rng(seed).integers(0, 256, (5, 48, 64, 3), np.uint8)
    return Clip(Video.from_array(frames, fps=8.0))


def test_one_question_is_answered_by_the_logits_whatever_waits_beside_it(folder: Path, tmp_path: Path) -> None:
    judge = opened(folder, tmp_path, logits=True)
    questions = [JudgedQuestion(id="1", text="Is it there?" * (1 + k)) for k in range(4)]

    def scores(number: int) -> dict[str, float]:
        arrays = ask_questions(clip(number), (questions[number],), judge)
        found: dict[str, float] = json.loads(unpacked(arrays["scores"]))
        assert answer_in(arrays)["1"]["answer"] == max(found, key=lambda choice: found[choice])
        return found

    alone = [scores(number) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(scores, range(4)))
    for one, other in zip(alone, together, strict=True):
        assert sum(one.values()) == pytest.approx(1) and one == pytest.approx(other, abs=1e-4)
    assert len({round(one["yes"], 6) for one in alone}) == 4
    scale = ask_questions(clip(0), (JudgedQuestion(id="1", text="How good?", scale=(1, 5)),), judge)
    judge.finish()
    mean = expected_score(json.loads(unpacked(scale["scores"])))
    assert math.isfinite(mean) and 1 < mean < 5


def test_words_that_cannot_be_read_are_no_answer(folder: Path, tmp_path: Path) -> None:
    judge = opened(folder, tmp_path)
    with pytest.raises(Unanswered, match="could not be read, 3 times"):
        ask_questions(clip(0), (JudgedQuestion(id="1", text="Is it?"), JudgedQuestion(id="2", text="Was it?")), judge)
    judge.finish()
