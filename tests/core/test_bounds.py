"""Bounds beside a benchmark file: whose numbers they scale, and what is refused."""

import pytest

from worldgauge.core.benchmark import MetricUse, read_benchmark_file
from worldgauge.core.bounds import Bound
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.scale import Scale

BENCHMARK = """
name = "mine"
protocols = ["quick", "slow"]

[[metric]]
id = "sharp"
use = "sharpness"
scale = { from = [1.0, 0.0], level = "model" }
"""
BOUND = """
benchmark = "mine"

[[bound]]
column = "sharp"
protocol = "slow"
measured = "abc"
from = [4.0, 2.0]
"""


def folder(path, bounds):
    (path / "benchmark.toml").write_text(BENCHMARK)
    (path / "bounds.toml").write_text(bounds)
    return str(path)


def test_a_bound_is_for_one_protocol_and_one_way_to_measure(tmp_path):
    (use,) = read_benchmark_file(folder(tmp_path, BOUND)).metrics
    slow = use.under_protocol("slow").scaled_for("abc")
    assert slow.scale == Scale(source=(4.0, 2.0), level="model")
    assert use.under_protocol("slow").scaled_for("other").scale.source == (1.0, 0.0)
    assert use.under_protocol("quick").scaled_for("abc").scale.source == (1.0, 0.0)


def test_a_bound_ends_a_column_without_a_scale():
    bound = Bound(column="c", protocol="slow", measured="abc", source=(1.0, 0.0))
    use = MetricUse(id="c", unscaled="nobody knows its ends", bounds=(bound,))
    assert use.scaled_for("abc").unscaled == ""
    assert use.scaled_for("abc").scale(0.25) == 75.0
    assert use.scaled_for("other").scale is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"sharp"', '"shap"', "unknown column of .*shap"),
        ('"slow"', '"slowly"', "no protocol 'slowly'"),
        ('"mine"', '"yours"', "is of benchmark 'yours'"),
        ("[4.0, 2.0]", "[2.0, 2.0]", "two different numbers"),
        ("[4.0, 2.0]", "[inf, 2.0]", "two different numbers"),
        ("measured", "measurd", "measured: Field required"),
    ],
)
def test_what_is_refused(tmp_path, old, new, says):
    with pytest.raises(WorldGaugeError, match=says):
        read_benchmark_file(folder(tmp_path, BOUND.replace(old, new)))


def test_no_bounds_no_difference(tmp_path):
    (tmp_path / "benchmark.toml").write_text(BENCHMARK)
    assert read_benchmark_file(str(tmp_path)).metrics[0].bounds == ()
