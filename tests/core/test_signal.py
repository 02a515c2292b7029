"""Needs are read from the clip that is asked about, and a metric knows everything its case must have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import stubs
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import (
    ChosenInstruments,
    SignalUse,
    inherited,
    keyword_defaults,
    merge_parameters,
    signal,
)
from worldgauge.engine.definitions import Seats, all_uses


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with stubs.own_registries():
        yield


def test_what_the_reference_needs_is_read_from_the_reference() -> None:
    spec = FrameSpec(number=4)
    below = stubs.make_signal("s_below")
    above = stubs.make_signal("s_above", needs=(below(frames=spec),))
    assert inherited(above()) == (below(frames=spec),)
    assert inherited(above(of="reference")) == (below(of="reference", frames=spec),)
    assert inherited(below(of="reference")) == ()


def test_a_metrics_inputs_are_those_of_all_signals_below_it() -> None:
    masks = stubs.make_signal("s_masks", reads=("video", "target_mask"), requires=("phases",))
    depth = stubs.make_signal("s_depth", needs=(masks(),))
    shape = stubs.make_signal("s_shape", reads=("prompt",), needs=(depth(),))
    assert stubs.make_metric("m_none").inputs() == ()
    assert stubs.make_metric("m_own", requires=("camera",)).inputs() == ("camera",)
    assert stubs.make_metric("m_below", shape()).inputs() == ("video", "target_mask", "phases", "prompt")
    both = stubs.make_metric("m_both", depth(of="reference"), requires=("questions",))
    assert both.inputs() == ("reference", "target_mask", "phases", "questions")


def test_every_signal_below_a_metric_once_and_needs_first() -> None:
    ground = stubs.make_signal("s_ground")
    left = stubs.make_signal("s_left", needs=(ground(),))
    right = stubs.make_signal("s_right", needs=(ground(),))
    assert all_uses(stubs.make_metric("m_two", right(), left())) == [ground(), right(), left()]


def test_needs_may_depend_on_the_chosen_instruments() -> None:
    film = stubs.make_signal("s_film", seat="poses", reads=("video",))
    views = stubs.make_signal("s_views", seat="poses", reads=("video", "prompt"))

    def needs(use: SignalUse, chosen: ChosenInstruments) -> tuple[SignalUse, ...]:
        instrument = chosen.instrument("s_film")
        return (views() if instrument is not None and instrument.reads == "views" else film(),)

    path = stubs.make_signal("s_path", needs=(film(),), needs_by=needs)
    follows, sees = (stubs.instrument("poses", network=False) for _ in range(2))
    type(sees).reads = "views"
    whole, few = Seats({"poses": follows}, "stubs"), Seats({"poses": sees}, "stubs")
    assert inherited(path()) == inherited(path(), whole) == (film(),)
    assert inherited(path(of="reference"), few) == (views(of="reference"),)
    metric = stubs.make_metric("m_path", path())
    assert all_uses(metric, whole) == [film(), path()] and all_uses(metric, few) == [views(), path()]
    assert metric.inputs() == metric.inputs(whole) == ("video",) and metric.inputs(few) == ("video", "prompt")
    by_film, by_views = stubs.definition(metric, whole), stubs.definition(metric, few)
    assert by_film.fingerprint != by_views.fingerprint and by_views.parts == ("video", "prompt")


def test_a_use_says_what_differs_from_the_default() -> None:
    plain = stubs.make_signal("s_plain")
    assert plain().describe() == "s_plain"
    assert plain(of="reference").describe() == "s_plain(of=reference)"


def test_parameters_override_defaults_and_must_be_plain_data() -> None:
    defaults = {"stride": 1, "window": (3, 3)}
    assert merge_parameters("x", defaults, {}) == defaults
    assert merge_parameters("x", defaults, {"window": [5, 7]}) == {"stride": 1, "window": (5, 7)}
    with pytest.raises(WorldGaugeError, match="unknown parameter of x 'strid'"):
        merge_parameters("x", defaults, {"strid": 2})
    with pytest.raises(WorldGaugeError, match="parameter 'stride' must be plain data"):
        merge_parameters("x", defaults, {"stride": object()})


def test_parameters_are_the_keyword_only_arguments_and_need_defaults() -> None:
    def good(clip: object, *, stride: int = 2) -> None: ...
    def bad(clip: object, *, stride: int) -> None: ...

    assert keyword_defaults(good) == {"stride": 2}
    with pytest.raises(WorldGaugeError, match="bad: parameter 'stride' needs a default"):
        keyword_defaults(bad)


def test_a_question_can_rest_only_on_what_is_kept() -> None:
    kept, passing = stubs.make_signal("s_kept"), stubs.make_signal("s_passing", kept=False)
    signal(version=1, seat="judge", needs=(kept(),))
    with pytest.raises(WorldGaugeError, match="only signals that are kept"):
        signal(version=1, seat="judge", needs=(passing(),))
