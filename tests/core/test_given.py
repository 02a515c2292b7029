"""A column under a condition."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from worldgauge.core.aggregate import Tree
from worldgauge.core.benchmark import BenchmarkFile
from worldgauge.core.given import NOT_KNOWN, given
from worldgauge.core.reasons import UNAVAILABLE
from worldgauge.core.run_folder import Columns
from worldgauge.core.status import Status


def column(numbers, statuses=None, codes=None):
    count = len(numbers)
    values = np.array([np.nan if number is None else number for number in numbers], np.float64)
    found = statuses or [Status.UNSCORED if number is None else Status.OK for number in numbers]
    names = [f"case{k}" for k in range(count)]
    return Columns(names, [0] * count, names, found, values, values.copy(), np.ones(count), codes or [""] * count)


def test_only_cases_with_a_one_count():
    found = given(column([0.5, 0.6, 0.7]), column([1, 0, 1]))
    assert [status.value for status in found.statuses] == ["ok", "skipped", "ok"]
    assert found.values.tolist()[::2] == [0.5, 0.7]
    assert np.isnan(found.values[1])


def test_where_the_condition_is_not_known_the_number_is_not():
    condition = column([1, None, None, None], codes=["", "no-answer", UNAVAILABLE, "no-answer"])
    found = given(column([0.5, 0.6, 0.7, None]), condition)
    assert found.statuses == [Status.OK, Status.UNSCORED, Status.UNSCORED, Status.UNSCORED]
    assert found.codes == ["", NOT_KNOWN, UNAVAILABLE, ""]


def test_a_condition_nobody_measured_leaves_nothing():
    assert given(column([0.5]), None).codes == [UNAVAILABLE]


def test_the_condition_does_not_turn_a_failure_into_a_number():
    own = column([None, None], [Status.MISSING, Status.ERROR])
    found = given(own, column([None, 1], [Status.MISSING, Status.OK]))
    assert found.statuses == [Status.MISSING, Status.ERROR]
    assert given(own, column([0, 0])).statuses == [Status.SKIPPED, Status.SKIPPED]


def file_of(**group):
    metrics = [{"id": "rate", "use": "psnr"}, {"id": "score", "use": "psnr", "given": "rate"}]
    return BenchmarkFile.model_validate(
        {"name": "b", "protocols": ["one", "two"], "metric": metrics, "group": [{"id": "m", **group}]}
    )


def test_groups_differ_by_protocol():
    file = file_of(
        of={"rate": 1, "score": 1}, reduce="harmonic_zero", under={"two": {"of": {"score": 1}, "reduce": "mean"}}
    )
    assert file.under_protocol("one").groups[0].reduce == "harmonic_zero"
    other = file.under_protocol("two").groups[0]
    assert (other.of, other.reduce) == ({"score": 1}, "mean")
    assert Tree(file.under_protocol("two"), []).groups == [other]


@pytest.mark.parametrize(
    "group", [{"of": {"rate": 1}, "under": {"three": {}}}, {"of": {"rate": 1}, "under": {"two": {"of": {"rat": 1}}}}]
)
def test_a_wrong_name_is_told(group):
    with pytest.raises(ValidationError, match=r"unknown (protocol|member)"):
        file_of(**group)


def test_a_condition_must_be_a_column():
    with pytest.raises(ValidationError, match="column that 'a' is given"):
        BenchmarkFile.model_validate({"name": "b", "metric": [{"id": "a", "given": "b"}]})
