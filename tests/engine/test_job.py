"""Which metrics and which cases a job takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import stubs
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.job import choose_metrics, parse_shard


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with stubs.own_registries():
        yield


def test_all_metrics_of_the_benchmark_or_those_named_also_registered_ones() -> None:
    stubs.make_metric("m_registered")
    uses = [MetricUse(id="own", use="m_registered"), MetricUse(id="other", use="m_registered")]
    assert choose_metrics(uses, []) == tuple(uses)
    assert choose_metrics(uses, ["other", "own", "other"]) == (uses[1], uses[0])
    found = choose_metrics(uses, ["m_registered", "own"])
    assert [(use.id, use.use) for use in found] == [("m_registered", "m_registered"), ("own", "m_registered")]
    with pytest.raises(WorldGaugeError, match="unknown metric 'm_registred'; did you mean m_registered"):
        choose_metrics(uses, ["m_registred"])


def test_shards_are_i_of_n_from_one() -> None:
    assert parse_shard("1/1") == (1, 1)
    assert parse_shard("3/3") == (3, 3)
    for text in ("0/3", "4/3", "x/3", "1/x", "1", "/", "-1/3"):
        with pytest.raises(WorldGaugeError, match="expected i/n"):
            parse_shard(text)
