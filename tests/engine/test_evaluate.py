"""From what a metric answers, or raises, to its record."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import stubs
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.contents import inputs_digest
from worldgauge.core.errors import CannotWrite, InvalidVideo, NotApplicable, Unavailable, Unscored, WorldGaugeError
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.reasons import TOO_FEW_FRAMES
from worldgauge.core.record import Record
from worldgauge.core.scale import Scale
from worldgauge.core.status import Status
from worldgauge.core.video import Video, VideoInfo
from worldgauge.engine.definitions import Definition, Seats, resolve
from worldgauge.engine.estimate import TooLarge
from worldgauge.engine.evaluate import evaluate, first_lack
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, NotStored, Perception
from worldgauge.engine.store import Store
from worldgauge.engine.together import Together

SEATS = Seats({}, "stubs")


class _Clip:
    """A video that is never opened."""

    def __init__(self, frames: int = 5, digest: str = "d" * 64, expected_frames: int | None = None) -> None:
        self.info, self.digest, self.expected_frames = VideoInfo(frames, 64, 48, 12.0), digest, expected_frames


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with stubs.own_registries():
        yield


def _definition(answer: object, scale: Scale | None = None, **declaration: Any) -> Definition:
    """A metric that answers, or raises, what it is told to."""

    def compute(case: Case, *signals: object) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    compute.__name__ = compute.__qualname__ = "m_told"
    declared = {"unit": "u", "higher_is_better": True, "bounds": (0.0, 10.0), **declaration}
    metric(**declared)(compute)
    return resolve([MetricUse(id="m_told", scale=scale)], SEATS)[0]


def _inputs(case: Case | None = None, **clip: Any) -> CaseInputs:
    given = case or Case(id="a", cluster="scene", tags={"k": "v"})
    return CaseInputs(given, cast(Video, _Clip(**clip)))


def _perception(inputs: CaseInputs, folder: Path, perceive: bool = True) -> Perception:
    return Perception(inputs, SEATS, Store(folder), Loaded(SEATS, "cpu") if perceive else None)


def _record(tmp_path: Path, definition: Definition, inputs: CaseInputs | None = None, lost: str = "") -> Record:
    given = inputs or _inputs()
    return evaluate(definition, given, _perception(given, tmp_path), lost)


def test_a_number_within_bounds_is_ok_and_keeps_its_curve(tmp_path: Path) -> None:
    definition = _definition(Measurement(4.0, (1.0, None, 7.0), "over 2 frames"))
    found = _record(tmp_path, definition)
    assert (found.status, found.value, found.raw, found.curve) == (Status.OK, 4.0, 4.0, [1.0, None, 7.0])
    assert (found.case, found.cluster, found.metric, found.tags) == ("a", "scene", "m_told", {"k": "v"})
    assert (found.reason, found.traceback, found.video) == ("over 2 frames", None, "d" * 64)
    assert found.fingerprint == definition.fingerprint
    assert found.inputs == inputs_digest(_inputs().part_digests(definition.reads), definition.reads)


@pytest.mark.parametrize("value", [0.0, 10.0, 3])
def test_bounds_are_data(tmp_path: Path, value: float) -> None:
    assert _record(tmp_path, _definition(Measurement(value))).value == value


def test_a_scale_per_case_changes_the_value_and_one_per_model_does_not(tmp_path: Path) -> None:
    per_case = Scale.model_validate({"from": (0, 8)})
    found = _record(tmp_path, _definition(Measurement(4.0), per_case))
    assert (found.value, found.raw) == (50.0, 4.0)
    per_model = Scale.model_validate({"from": (0, 8), "level": "model"})
    assert _record(tmp_path, _definition(Measurement(4.0), per_model)).value == 4.0


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (Measurement(-0.1), Status.ERROR, r"metric 'm_told' returned -0.1, outside its bounds [0, 10]"),
        (Measurement(10.1), Status.ERROR, r"metric 'm_told' returned 10.1, outside its bounds [0, 10]"),
        (Measurement(float("nan")), Status.ERROR, "metric 'm_told' returned nan, not a finite number"),
        (Measurement(cast(float, "4")), Status.ERROR, "metric 'm_told' returned '4', not a finite number"),
        (4.0, Status.ERROR, "metric 'm_told' returned float, not a Measurement"),
        (InvalidVideo("half a file"), Status.INVALID, "half a file"),
        (Unscored("lost"), Status.UNSCORED, "lost"),
        (Unavailable("no weights", "fetch them"), Status.UNSCORED, "no weights; fetch them"),
        (NotApplicable("no target"), Status.SKIPPED, "no target"),
        (WorldGaugeError("cannot read x"), Status.ERROR, "cannot read x"),
        (KeyError("psnr"), Status.ERROR, "KeyError: 'psnr'"),
    ],
)
def test_everything_else_has_a_status_and_a_reason_and_no_number(
    tmp_path: Path, answer: object, status: Status, reason: str
) -> None:
    found = _record(tmp_path, _definition(answer))
    assert (found.status, found.reason) == (status, reason)
    assert found.value is found.raw is found.curve is None
    assert (found.traceback is not None) == isinstance(answer, KeyError)


def test_a_lost_case_is_an_error_and_nothing_is_asked(tmp_path: Path) -> None:
    found = _record(tmp_path, _definition(Measurement(4.0)), lost="the worker died")
    assert (found.status, found.reason, found.value) == (Status.ERROR, "the worker died", None)


def test_what_stops_the_run_is_not_turned_into_a_record(tmp_path: Path) -> None:
    for error in (CannotWrite("full"), NotStored("not there")):
        with pytest.raises(type(error)):
            _record(tmp_path, _definition(error))


def test_reasons_in_order_lack_then_no_video_then_no_instrument_then_too_short(tmp_path: Path) -> None:
    definition = _definition(Measurement(1.0), requires=("camera",))
    gone = CaseInputs(Case(id="a"), None)
    assert _record(tmp_path, definition, gone).status is Status.SKIPPED
    plain = replace(_definition(Measurement(1.0)), unavailable="no weights")
    missing = _record(tmp_path, plain, gone)
    assert (missing.status, missing.video) == (Status.MISSING, None)
    assert missing.reason == "the submission has no video for this case"
    assert _record(tmp_path, plain, _inputs(frames=1)).reason == "no weights"
    short = _record(tmp_path, _definition(Measurement(1.0)), _inputs(frames=1))
    assert (short.status, short.reason) == (Status.INVALID, "the clip has 1 frame, at least 2 are needed")
    assert _record(tmp_path, _definition(Measurement(1.0)), _inputs(frames=2)).status is Status.OK


def test_a_metric_applies_to_cases_with_its_tags_and_parts() -> None:
    definition = replace(_definition(Measurement(1.0), requires=("camera",)), tags={"kind": "still"})
    has = {"id": "a", "condition": {"camera": "c.npz"}}
    cases = [{"id": "a"}, {"id": "a", "tags": {"kind": "moving"}}, {"id": "a", "tags": {"kind": "still"}}]
    cases += [{**has, "tags": {"kind": "still"}}]
    lacks = [first_lack(definition, CaseInputs(Case.model_validate(case), None)) for case in cases]
    assert lacks == [
        "only for cases with kind still",
        "only for cases with kind still",
        "needs a camera path, the case has none",
        None,
    ]


def test_the_digest_of_the_inputs_changes_with_all_that_a_record_rests_on(tmp_path: Path) -> None:
    brightness = stubs.make_signal("s_brightness")
    definition = _definition(Measurement(1.0), needs=(brightness(),), requires=("prompt",))

    def digest(of: Definition = definition, prompt: str = "x", **clip: Any) -> str:
        inputs = _inputs(Case.model_validate({"id": "a", "condition": {"prompt": prompt}}), **clip)
        return inputs_digest(inputs.part_digests(of.reads), of.reads)

    other_use = _definition(Measurement(1.0), needs=(brightness(of="reference"),), requires=("prompt",))
    found = [
        digest(),
        digest(prompt="y"),
        digest(prompt=""),
        digest(digest="e" * 64),
        digest(expected_frames=5),
        digest(other_use),
        inputs_digest(CaseInputs(Case(id="a"), None).part_digests(definition.reads), definition.reads),
    ]
    assert len(set(found)) == len(found)
    assert digest() == digest()


def test_signals_are_computed_once_and_handed_over_in_order(tmp_path: Path) -> None:
    first, second = stubs.make_signal("s_first", reads=()), stubs.make_signal("s_second", reads=())
    definition = _definition(Measurement(1.0), needs=(second(), first()))
    inputs = _inputs()
    perception = _perception(inputs, tmp_path)
    for _ in range(2):
        assert evaluate(definition, inputs, perception).status is Status.OK
    assert perception.counters == {"signals_computed": 2, "computed:s_first": 1, "computed:s_second": 1}
    again = _perception(_inputs(), tmp_path, perceive=False)
    assert evaluate(definition, _inputs(), again).status is Status.OK
    assert again.counters == {"signals_reused": 2}
    with pytest.raises(NotStored, match="signal s_first is not in the store"):
        _perception(_inputs(), tmp_path / "empty", perceive=False).value(first())


def test_to_compute_lists_needs_first_and_leaves_out_what_is_stored(tmp_path: Path) -> None:
    ground = stubs.make_signal("s_ground", reads=(), kept=False)
    middle = stubs.make_signal("s_middle", reads=(), needs=(ground(),))
    top = stubs.make_signal("s_top", reads=(), needs=(middle(), ground()))
    perception = _perception(_inputs(), tmp_path)
    assert perception.to_compute([top(), middle()]) == [ground(), middle(), top()]
    perception.value(middle())
    # In memory here; in the store, and so without what it rests on, for the next.
    assert perception.to_compute([top()]) == [top()]
    assert _perception(_inputs(), tmp_path).to_compute([middle()]) == []
    assert _perception(_inputs(), tmp_path).to_compute([top()]) == [ground(), top()]


def test_what_a_signal_raised_once_it_raises_again_and_undecided_is_remembered(tmp_path: Path) -> None:
    from worldgauge.core.signal import signal

    calls: list[str] = []

    @signal(version=1, reads=(), name="s_undecided")
    def undecided() -> Any:
        calls.append("undecided")
        raise Unscored("no parallax")

    @signal(version=1, reads=(), name="s_broken")
    def broken() -> Any:
        calls.append("broken")
        raise ZeroDivisionError

    perception = _perception(_inputs(), tmp_path)
    for _ in range(2):
        with pytest.raises(Unscored, match="no parallax"):
            perception.value(undecided())
        with pytest.raises(ZeroDivisionError):
            perception.value(broken())
    assert calls == ["undecided", "broken"]
    later = _perception(_inputs(), tmp_path)
    with pytest.raises(Unscored, match="no parallax"):
        later.value(undecided())
    with pytest.raises(ZeroDivisionError):
        later.value(broken())
    assert calls == ["undecided", "broken", "broken"]
    assert later.counters == {"signals_reused": 1}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Unscored("lost"), ""),
        (Unscored("half of it is black", code=TOO_FEW_FRAMES), "too-few-frames"),
        (Unavailable("no weights"), "unavailable"),
        (TooLarge("too many pixels"), "too-large"),
        (InvalidVideo("half a file"), ""),
    ],
)
def test_a_record_has_the_code_of_its_reason(tmp_path: Path, answer: Exception, code: str) -> None:
    assert _record(tmp_path, _definition(answer)).code == code


def test_a_case_weighs_the_same_without_a_number(tmp_path: Path) -> None:
    heavy = Case(id="a", weight=3.0)
    definition = replace(_definition(Unscored("lost")), reduce="weighted_mean")
    assert _record(tmp_path, definition, _inputs(heavy)).weight == 3.0
    assert _record(tmp_path, definition, CaseInputs(heavy, None)).weight == 3.0


def test_a_code_is_a_word_and_crosses_processes() -> None:
    with pytest.raises(ValueError, match="small letters"):
        Unscored("lost", code="Too few")
    copied = pickle.loads(pickle.dumps(Unscored("lost", "look again", "too-few-frames")))
    assert (str(copied), copied.code) == ("lost; look again", "too-few-frames")


def test_the_code_is_remembered_and_a_reference_is_no_fault_of_the_model(tmp_path: Path) -> None:
    from worldgauge.core.signal import signal

    @signal(version=1, reads=(), name="s_dark")
    def dark() -> Any:
        raise Unscored("all black", code=TOO_FEW_FRAMES)

    for _ in range(2):
        perception = _perception(_inputs(), tmp_path)
        for use, code in ((dark(), "too-few-frames"), (dark(of="reference"), "of-the-case")):
            with pytest.raises(Unscored) as raised:
                perception.value(use)
            assert (str(raised.value), raised.value.code) == ("all black", code)
    assert perception.counters == {"signals_reused": 2}


def test_a_signal_gets_what_it_reads_then_needs_then_its_instrument(tmp_path: Path) -> None:
    from worldgauge.core.signal import signal

    got: list[Any] = []
    below = stubs.make_signal("s_below", reads=())

    @signal(version=1, reads=("prompt",), needs=(below(),), seat="flow", name="s_all")
    def everything(*arguments: Any, power: int = 2) -> Any:
        got.extend([*arguments, power])
        return {"x": np.ones(2)}

    flow = stubs.instrument("flow", network=False)
    seats = Seats({"flow": flow}, "stubs")
    inputs = _inputs(Case.model_validate({"id": "a", "condition": {"prompt": "hello"}}))
    perception = Perception(inputs, seats, Store(tmp_path), Loaded(seats, "cpu"))
    assert perception.value(everything(power=3))["x"].tolist() == [1, 1]
    assert (got[0], got[1]["zero"].tolist(), got[2], got[3]) == ("hello", [0.0], flow, 3)
    identity = perception.identity(everything(power=3))
    assert identity["instrument"] == flow.identity()
    assert identity["needs"] == [perception.key(below())]
    assert perception.key(everything(power=3)) != perception.key(everything(power=2))
    with pytest.raises(Unavailable, match="no flow instrument in the 'stubs' set"):
        Perception(inputs, SEATS, Store(tmp_path), None).identity(everything())


def test_dense_rows_are_let_go_after_their_last_reader(tmp_path: Path) -> None:
    from worldgauge.core.signal import signal

    @signal(version=1, reads=("prompt",), kept=False, name="s_rows")
    def rows(prompt: str) -> Iterator[Any]:
        yield {"x": np.ones(len(prompt))}

    def reader(name: str) -> Any:
        @signal(version=1, reads=(), needs=(rows(),), name=name)
        def total(stacks: Any) -> Any:
            return {"sum": np.array(sum(stack["x"].sum() for stack in stacks))}

        return total()

    first, second = reader("s_first"), reader("s_second")
    inputs, together = _inputs(Case.model_validate({"id": "a", "condition": {"prompt": "hello"}})), Together()
    perception = Perception(inputs, SEATS, Store(tmp_path), Loaded(SEATS, "cpu"), together=together)
    perception.announce([rows(), first, second])
    assert perception.value(first)["sum"] == 5
    assert together.values, "another reader is waiting"
    assert perception.value(second)["sum"] == 5
    assert not together.values
    assert perception.counters["computed:s_rows"] == 1
