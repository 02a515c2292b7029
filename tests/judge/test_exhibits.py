"""Exact evidence: these frames in this order, told in words; and forms for what is answered about them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldgauge.core.clip import Clip
from worldgauge.core.video import Video
from worldgauge.judge.exhibits import Exhibit, described, shown
from worldgauge.judge.forms import Unreadable
from worldgauge.judge.kept_answers import KeptAnswers
from worldgauge.judge.tables import NumbersForm, VerdictsForm, WordsForm


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


def test_answers_that_wait_survive_a_torn_line(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path)
    kept.put("k", {"value": 1, "raw": ["1"], "model": "m"})
    kept.close()
    with kept.path.open("a") as stream:
        stream.write(json.dumps({"key": "torn", "answer": {}})[:-5])
    again = KeptAnswers(tmp_path)
    assert again.get("k") == {"value": 1, "raw": ["1"], "model": "m"} and again.get("torn") is None
    again.put("later", {"value": 2, "raw": [], "model": ""})
    again.close()
    assert KeptAnswers(tmp_path).get("later") == {"value": 2, "raw": [], "model": ""}
