"""Exact evidence: these frames in this order, told in words; and forms for what is answered about them."""

from __future__ import annotations

import io
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from worldgauge.core.asking import Estimated, Shared, Spending
from worldgauge.core.clip import Clip
from worldgauge.core.purse import Purse
from worldgauge.core.video import Video
from worldgauge.engine.answer_book import AnswerBook
from worldgauge.engine.store import Store
from worldgauge.judge.exhibits import Exhibit, Inquiry, described, shown
from worldgauge.judge.forms import Unreadable
from worldgauge.judge.instrument import Judge, judge_of
from worldgauge.judge.panel import Panel
from worldgauge.judge.question_sets import PROMPT, JudgedQuestion, question_values
from worldgauge.judge.settings import Settings
from worldgauge.judge.tables import NumbersForm, VerdictsForm, WordsForm
from worldgauge.judge.voting import join


def grey_clip(count: int = 6, width: int = 80, height: int = 48) -> Clip:
    frames = np.stack([np.full((height, width, 3), 20 * k + 20, np.uint8) for k in range(count)])
    return Clip(Video.from_array(frames, layout="THWC", fps=4.0))


def greys(pictures: tuple) -> list[int]:  # type: ignore[type-arg]
    return [round((float(np.asarray(Image.open(io.BytesIO(one.data))).mean()) - 20) / 20) for one in pictures]


def test_pictures_come_in_the_order_of_the_exhibits() -> None:
    clip = grey_clip()
    exhibits = (Exhibit("the end", clip, (5, 3, 5)), Exhibit("the beginning", clip, (0,), side=40))
    material = shown(exhibits)
    assert greys(material.pictures) == [5, 3, 5, 0]
    assert material.frames == (5, 3, 5, 0)
    assert material.words == "pictures 1 to 3: the end; picture 4: the beginning"
    assert [one.size for one in material.pictures] == [(80, 48)] * 3 + [(40, 24)]
    expected = described(exhibits)
    assert [one.size for one in expected.pictures] == [one.size for one in material.pictures]
    assert expected.words == material.words and not any(one.data for one in expected.pictures)


def test_something_is_drawn_before_a_frame_is_made_smaller() -> None:
    def draw(index: int, frame: np.ndarray) -> np.ndarray:
        assert frame.shape == (48, 80, 3)
        return np.full_like(frame, 200) if index == 1 else frame

    material = shown((Exhibit("x", grey_clip(), (0, 1), side=40, draw=draw),))
    assert [round(float(np.asarray(Image.open(io.BytesIO(one.data))).mean())) for one in material.pictures] == [20, 200]


def test_numbers_must_be_numbers_within_the_ends() -> None:
    form = NumbersForm(("a", "b"), (0.0, 5.0))
    assert form.read({"a": 1, "b": 5.0, "reason": "r"}) == {"a": 1.0, "b": 5.0, "reason": "r"}
    for wrong in (
        {"a": 1},
        {"a": 1, "b": 6},
        {"a": 1, "b": "5"},
        {"a": 1, "b": True},
        {"a": 1, "b": float("nan")},
        [1],
    ):
        with pytest.raises(Unreadable):
            form.read(wrong)


def test_verdicts_are_completed_by_a_second_reply_and_a_contradiction_is_none() -> None:
    form = VerdictsForm(("x", "y"), "holds")
    with pytest.raises(Unreadable, match="about y") as problem:
        form.read({"results": [{"id": "x", "holds": True, "confidence": 0.5}, {"id": "y", "holds": "yes"}]})
    found = form.read({"results": [{"id": "y", "holds": False, "confidence": 1}]}, problem.value.partial)
    assert found["x"]["holds"] is True and found["y"]["holds"] is False
    with pytest.raises(Unreadable, match="about x"):
        form.read(
            {"results": [{"id": n, "holds": n == "y" or k, "confidence": 1} for k in (True, False) for n in "xy"]}
        )
    assert WordsForm().read({"names": ["a"]}) == ["a"]


SCRIPT = """
from pathlib import Path

def judge(request):
    with Path(__file__).with_name("asked").open("a") as stream:
        stream.write("x")
    return {"a": float(len(request.pictures) + request.take), "reason": "seen"}
"""


def calls(folder: Path) -> int:
    file = folder / "asked"
    return len(file.read_text()) if file.exists() else 0


def opened(folder: Path, takes: int = 0) -> Any:
    """A judge as a new run has it: all it knows is what lies in the store. With `takes`, asked so often."""
    (folder / "script.py").write_text(SCRIPT)
    one = judge_of(Settings(client="scripted", function=f"{folder / 'script.py'}:judge"))
    judge: Judge | Panel = Panel((one,), (takes,)) if takes else one
    shared = Shared(AnswerBook(Store(folder / "store")), Purse(Spending()))
    judge.begin(folder, Spending(), threading.Event(), lambda _: None, shared)
    return judge


def inquiry(**changed: Any) -> Inquiry:
    values = question_values([JudgedQuestion(id="a", text="How many?")])
    exhibit = replace(Exhibit("the end", grey_clip(), (5, 3)), **changed)
    return Inquiry((exhibit,), PROMPT, values, NumbersForm(("a",), (0.0, 5.0)))


def test_an_answer_is_kept_under_everything_that_can_change_it(tmp_path: Path) -> None:
    answer, frames = opened(tmp_path).inquire(inquiry())
    assert (answer.value, frames, calls(tmp_path)) == ({"a": 2.0, "reason": "seen"}, (5, 3), 1)
    again, seen = opened(tmp_path).inquire(inquiry())
    assert (again.value, again.raw, seen, calls(tmp_path)) == (answer.value, answer.raw, frames, 1), "not asked again"
    with pytest.raises(Estimated) as planned:
        opened(tmp_path).estimator().expect([inquiry(), inquiry(frames=(5, 4))])
    store = Store(tmp_path / "store")
    assert [store.has(key) for key in planned.value.questions] == [True, False], "a plan tells what is kept"
    others: list[dict[str, Any]] = [
        {"label": "the very end"},
        {"clip": grey_clip(7)},
        {"frames": (3, 5)},
        {"side": 40},
        {"quality": 50},
        {"draw": lambda _, frame: frame // 2},
        {"draw": lambda _, frame: frame // 3},
    ]
    for number, changed in enumerate(others):
        opened(tmp_path).inquire(inquiry(**changed))
        assert calls(tmp_path) == 2 + number, changed
    for changed in others:
        opened(tmp_path).inquire(inquiry(**changed))
    assert calls(tmp_path) == 1 + len(others)


def test_takes_are_asked_once_each_and_made_one(tmp_path: Path) -> None:
    opened(tmp_path).inquire(inquiry())
    panel = opened(tmp_path, takes=2)
    with pytest.raises(Estimated) as planned:
        panel.estimator().expect([inquiry()])
    assert len(planned.value.questions) == 2
    answer, frames = panel.inquire(inquiry())
    assert calls(tmp_path) == 2, "the first take was known"
    assert answer.value["a"] == 2.5 and frames == (5, 3)
    assert answer.ballots[0]["counted"] == 2.5 and list(answer.ballots[0]["answers"].values()) == [[2.0, 3.0]]


def test_verdicts_of_several_are_the_majority_and_none_where_votes_are_even() -> None:
    form = VerdictsForm(("x", "y"), "holds")

    def said(x: bool, y: bool, confidence: float) -> dict[str, Any]:
        rows = [{"id": name, "holds": held, "confidence": confidence} for name, held in (("x", x), ("y", y))]
        return dict(form.votes(form.read({"results": rows})))

    items, ballots = join(form.asked, {"a": [said(True, True, 0.5)], "b": [said(True, False, 1.0)]})
    found = form.of_votes(items)
    assert set(found) == {"x"} and found["x"]["holds"] is True and found["x"]["confidence"] == 0.75
    assert [ballot["question"] for ballot in ballots] == ["x", "x: confidence", "y", "y: confidence"]
