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
from worldgauge.core.weights import find_weights, weights_table, without_digest
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
    digests = [one.sha256 for found in OURS.values() for one in {e.sha256: e for e in found.editions}.values()]
    known = [digest for digest in digests if digest]
    assert len(known) == len(set(known)) > 30


@pytest.mark.parametrize("name", OURS)
def test_every_digest_of_ours_says_who_states_it(name: str) -> None:
    for found in OURS[name].editions:
        assert bool(found.sha256) <= bool(found.evidence)
        assert not found.revision or re.fullmatch(r"[0-9a-f]{40}", found.revision)
        assert not found.sha256 or found.size is not None or found.url, "a size, or an address that tells it"
        assert found.fully_known <= (len(found.sha256) == 64)


def test_which_files_of_ours_have_no_whole_digest() -> None:
    """A column that rests on one of the first is not official; of the second its authors publish the first digits."""
    assert without_digest(OURS) == ["image_reward"]
    assert [name for name, found in OURS.items() if found.known_digest == "first digits"] == ["clip_iqa_plus"]
    assert [name for name, found in OURS.items() if found.known_digest == "whole" and not found.fully_known] == ["sam3"]


@pytest.mark.parametrize(
    ("name", "size", "digest"),
    [
        ("droid_slam", 16061701, "46476ef64cde45a97504910d6f3de2eef7b398ec1c6e4e668815c29076024526"),
        ("vfimamba", 264414373, "c1dac5b08f4c41e95452f7a41b35347409fc58b0e25b3ba8de899144ff28a350"),
        ("sea_raft_m", 78778760, "cb8cfbf14c5e0f6734b64add383708b7ff68cc6089a0007c67165d4761346102"),
        ("grounding_dino_t", 689359096, "1a2412ef99bd74bcd3c2a246fa1e48581f8889a1300c9051974741314fc042f3"),
        ("map_anything", 4914062480, "fa06c0fdccefc5048e072c85935d5789b1e36b307f3859033c17f9dcb9fd5201"),
        ("depth_anything_3_nested", 6759558100, "8ebe871a022ed58d2fc8fdfb2ebdb31d57b60fe39611c849095851a7b7c6020c"),
        ("depth_anything_3_small", 137248940, "364492e38a3a06d221ac75da7f6621ada3f2361cd24fde11ba79091e9f40efcf"),
        ("depth_anything_v2_base", 389961218, "0d2b7002e62d39d655571c371333340bd88f67ab95050c03591555aa05645328"),
        ("depth_anything_v2_large", 1341395338, "a7ea19fa0ed99244e67b624c72b8580b7e9553043245905be58796a608eb9345"),
        ("clip_b32_laion2b", 605143316, "ac4f8c4b88af6d963118cbf40ad93176d092abbedfcb752601ae1866352656e6"),
    ],
)
def test_published_identities(name: str, size: int, digest: str) -> None:
    assert (OURS[name].bytes, OURS[name].sha256) == (size, digest)


def test_other_files_of_ours() -> None:
    """The checkpoint that WorldScore's code loads, and the second repositories of three files."""
    pth = OURS["sea_raft_m"].editions[1]
    assert (pth.file, pth.sha256[:8], pth.bytes) == ("Tartan-C-T-TSKH-spring540x960-M.pth", "adcc1692", None)
    for name, repository in (
        ("vfimamba", "MCG-NJU/VFIMamba"),
        ("clip_iqa_plus", "chaofengc/IQA-PyTorch-Weights"),
        ("image_reward", "zai-org/ImageReward"),
    ):
        entry, other = OURS[name].editions
        assert (other.repository, other.sha256, other.bytes) == (repository, entry.sha256, entry.bytes)
    assert OURS["droid_slam"].command == "worldgauge fetch droid_slam"


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
        ({"beside": ["b"], "beside_sha256": {"c": "0" * 64}}, "beside_sha256 names c, which is not among the files"),
        ({"beside": ["b"], "beside_sha256": {"b": "0" * 8}}, "beside_sha256 of b is no sha256"),
        ({"also": [{"file": "b"}]}, "give a repository or a url"),
        ({"also": [{"url": "https://example.org/a", "bytes": 3}]}, "a file of another size needs its own sha256"),
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
