"""The table of weights: what ours states, and what is refused in anybody's."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import worldgauge
from weights.conftest import Table, entry
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.core.manifest import benchmarks
from worldgauge.core.official import official_instruments
from worldgauge.core.weights import find_weights, weights_table
from worldgauge.engine.fetching import official_names, weights_of

OURS = weights_table()


@pytest.mark.parametrize("name", OURS)
def test_every_entry_of_ours_says_where_it_comes_from(name: str) -> None:
    found = OURS[name]
    assert found.id == name
    assert re.fullmatch(r"[a-z0-9_]+", name)
    assert not found.url or found.url.startswith("https://")
    assert not found.repository or found.repository.count("/") == 1
    assert found.bytes is None or found.megabytes is None, "one size"
    in_name = re.search(r"-([0-9a-f]{8})\.pth$", found.file)
    assert in_name is None or found.sha256.startswith(in_name[1]), "torch puts the first digits into the name"
    assert ("non-commercial" in found.restrictions) == bool(re.search(r"NC|S-Lab|non-commercial", found.licence))


def test_the_digests_of_ours_are_all_different() -> None:
    digests = [found.sha256 for found in OURS.values() if found.sha256]
    assert len(digests) == len(set(digests)) > 15


@pytest.mark.parametrize("name", INSTRUMENTS.names())
def test_what_an_instrument_needs_stands_in_the_table(name: str) -> None:
    assert set(INSTRUMENTS.get(name)().weights) <= set(OURS)


@pytest.mark.parametrize("name", benchmarks())
def test_the_weights_of_a_benchmark(name: str) -> None:
    file = read_benchmark_file(name)
    known, nobodys = official_names(official_instruments(file), list(file.protocols))
    assert set(weights_of(known)) <= set(OURS)
    assert not set(known) & set(nobodys)


def test_the_table_goes_with_the_package() -> None:
    file = Path(worldgauge.__file__).parent / "instruments" / "weights.toml"
    assert set(tomllib.loads(file.read_text("utf-8"))["weights"]) == set(OURS)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"url": "https://example.org/a", "repository": "a/b"}, "a repository or a url, not both"),
        ({"repository": ""}, "give a repository, a url, or a page"),
        ({"sha256": "XYZ"}, "sha256"),
        ({"licence": ""}, "licence"),
        ({"shape": "round"}, "shape"),
        ({"url": "https://example.org/a", "beside": ["b"]}, "only a repository has files beside"),
    ],
)
def test_a_wrong_table_is_one_line(table: Table, fields: dict[str, Any], told: str) -> None:
    table(tiny_net=entry(**fields))
    with pytest.raises(WorldGaugeError, match=re.escape(told)) as refused:
        weights_table()
    assert "weights.toml" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_id_belongs_to_one_package(table: Table) -> None:
    table(raft_large=entry())
    with pytest.raises(WorldGaugeError, match="'raft_large' stands in another package's table too"):
        weights_table()


def test_a_wrong_id_is_answered_with_the_nearest() -> None:
    with pytest.raises(WorldGaugeError, match="unknown weights 'raft_larg'; did you mean raft_large"):
        find_weights("raft_larg")
