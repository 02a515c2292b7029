"""What a judge says about pictures of a rebuilt scene: the eight views together, and the meta-view by itself."""

from __future__ import annotations

import json
from functools import partial

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.splat_views import SHOWN, SIDE
from worldgauge.benchmarks.worldolympiad.formulas.static_scene import static_scene
from worldgauge.benchmarks.worldolympiad.signals.views import house_scene_views, scene_views, unpacked_views
from worldgauge.core.asking import NotUnderstood
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.video import Video
from worldgauge.judge.exhibits import Exhibit, Inquiry
from worldgauge.judge.instrument import Judge
from worldgauge.judge.rendering import fenced
from worldgauge.judge.session import Answer, answer_in
from worldgauge.judge.tables import NumbersForm, TextsForm

PACKAGE = "worldgauge.benchmarks.worldolympiad"
REWRITE, VIEWS, META = (f"{PACKAGE}:{name}" for name in ("static_scene", "views", "meta_view"))
TEXTS = TextsForm(("static_scene_description", "camera_behavior", "ignore_for_3d"), ("static_scene_description",))
SCORE = NumbersForm(("score",), (0.0, 1.0))
QUALITY = 90
"""Of the JPEG files of the views; the meta-view is sent in the best there is."""
_judged = partial(signal, version=1, reads=("video", "extras.description"), seat="judge", cost=0.0, memory=0.0)
"""What all that are about pictures have in common."""


@signal(version=1, reads=("extras.description",), seat="judge", cost=0.0, memory=0.0, prompts=(REWRITE,))
def static_scene_text(description: str, judge: Judge) -> Arrays:
    """The description without those who move in it, rewritten by a judge that sees no picture.

    The same for every model. A rule makes it where what the judge says cannot be read.
    """
    values = {"description": fenced(description)}
    inquiry = Inquiry((), REWRITE, values, TEXTS, "static scene", {"description": description})
    judge.expect([inquiry])
    try:
        answer, _ = judge.inquire(inquiry)
    except NotUnderstood as problem:
        text = static_scene(description)
        return Answer(text, (), "").arrays(told=[["static scene", text, f"made by a rule: {problem}"]])
    text = static_scene(description, json.dumps(answer.value))
    return Answer(text, answer.raw, answer.model).arrays(told=[["static scene", text, ""]])


@_judged(needs=(scene_views(), static_scene_text()), prompts=(VIEWS,))
def splat_judgement(clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge) -> Arrays:
    """The judge's score, 0 to 1, of eight views of the scene after what moves was filled."""
    return _of_views(clip, description, views, text, judge)


@_judged(needs=(scene_views(), static_scene_text()), prompts=(META,))
def meta_judgement(clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge) -> Arrays:
    """The judge's score, 0 to 1, of the meta-view of the scene after what moves was filled."""
    return _of_meta_view(clip, description, views, text, judge)


@_judged(needs=(scene_views(dynamic="drop"), static_scene_text()), prompts=(VIEWS,))
def dropped_splat_judgement(
    clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge
) -> Arrays:
    """The judge's score, 0 to 1, of eight views of the scene without what moves."""
    return _of_views(clip, description, views, text, judge)


@_judged(needs=(scene_views(dynamic="drop"), static_scene_text()), prompts=(META,))
def dropped_meta_judgement(
    clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge
) -> Arrays:
    """The judge's score, 0 to 1, of the meta-view of the scene without what moves."""
    return _of_meta_view(clip, description, views, text, judge)


@_judged(needs=(house_scene_views(), static_scene_text()), prompts=(VIEWS,))
def house_splat_judgement(
    clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge
) -> Arrays:
    """The judge's score, 0 to 1, of eight views of the scene after what moves was filled by the camera's motion."""
    return _of_views(clip, description, views, text, judge)


@_judged(needs=(house_scene_views(), static_scene_text()), prompts=(META,))
def house_meta_judgement(
    clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge
) -> Arrays:
    """The judge's score, 0 to 1, of the meta-view of the scene after what moves was filled by the camera's motion."""
    return _of_meta_view(clip, description, views, text, judge)


def _of_views(clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge) -> Arrays:
    pictures = _pictures(clip, views)
    label = "views of the rebuilt place, along a path through it"
    shown = Exhibit(label, pictures, tuple(range(SHOWN)), quality=QUALITY)
    scene = _scene(description, text)
    return _asked(judge, Inquiry((shown,), VIEWS, {"scene": fenced(scene)}, SCORE, "views", {"scene": scene}))


def _of_meta_view(clip: Clip, description: str, views: Arrays | None, text: Arrays | None, judge: Judge) -> Arrays:
    shown = Exhibit("the rebuilt place from its farthest camera", _pictures(clip, views), (SHOWN,), quality=100)
    scene = _scene(description, text)
    return _asked(judge, Inquiry((shown,), META, {"scene": fenced(scene)}, SCORE, "meta-view", {"scene": scene}))


def _asked(judge: Judge, inquiry: Inquiry) -> Arrays:
    judge.expect([inquiry])
    answer, shown = judge.inquire(inquiry)
    return answer.arrays(shown, [[inquiry.about, f"{answer.value['score']:g}", answer.value["reason"]]])


def _scene(description: str, text: Arrays | None) -> str:
    return static_scene(description) if text is None else str(answer_in(text))


def _pictures(clip: Clip, views: Arrays | None) -> Clip:
    """The nine pictures as a clip. A plan is made before they are: blank ones then stand for them, of each clip their
    own, so that its questions are counted."""
    if views is not None:
        return Clip(Video.from_array(unpacked_views(views), layout="THWC"))
    blank = np.zeros((SHOWN + 1, SIDE, SIDE, 3), np.uint8)
    told = np.frombuffer(clip.video.digest.encode(), np.uint8)
    blank.reshape(-1)[: len(told)] = told
    return Clip(Video.from_array(blank, layout="THWC"))
