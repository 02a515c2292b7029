"""The executor of clusters against actors that are lost by plan; `test_ray_cluster.py` has a real cluster."""

from __future__ import annotations

import multiprocessing
import socket
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import fake_ray
import helpers
from worldgauge.cli.run import app
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.engine.executors import InlineExecutor
from worldgauge.engine.job import Setup
from worldgauge.engine.layers import Layer, read_layers
from worldgauge.engine.scale import ray_executor
from worldgauge.engine.scale.cluster import Cluster, connect, handed_on, memory_of_worker
from worldgauge.engine.scale.host import Feed, Host, Introduction, needed_files, promises
from worldgauge.engine.scale.ray_executor import RayExecutor
from worldgauge.engine.scale.resources import Node, Resources, places
from worldgauge.engine.scale.shipping import Shipment, pack
from worldgauge.engine.work import WorkItem

METRIC = "picture_quality"


def setup_in(folder: Path) -> Setup:
    (folder / "out").mkdir(parents=True)
    return Setup((MetricUse(id=METRIC),), store=folder / "store", out=folder / "out")


def items(count: int) -> list[WorkItem]:
    rng = np.random.default_rng(0)
    clips = [rng.integers(0, 255, (2, 48, 64, 3), np.uint8) for _ in range(count)]
    return [WorkItem(Case(id=f"c{i}"), 0, Video.from_array(clip), 0, (METRIC,)) for i, clip in enumerate(clips)]


def executor(
    folder: Path, ray: Any, most: int = 0, shared_store: bool = False, shared_disk: bool = False, head: str = ""
) -> RayExecutor:
    cluster = Cluster(ray, Shipment(()), folder, head)
    return RayExecutor(cluster, setup_in(folder), Resources(), True, most, shared_store, shared_disk)


def run(folder: Path, ray: Any, count: int = 12, most: int = 0) -> list[dict[str, Any]]:
    made = executor(folder, ray, most)
    try:
        results = list(made.map(items(count)))
    finally:
        made.close()
    assert sorted(result.case for result in results) == sorted(f"c{i}" for i in range(count))
    return helpers.records(folder / "out")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a local run writes."""
    folder = tmp_path_factory.mktemp("local")
    local = InlineExecutor(setup_in(folder))
    list(local.map(items(12)))
    local.close()
    return helpers.records(folder / "out")


def test_the_driver_writes_what_a_local_run_would(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    ray = fake_ray.FakeRay()
    assert run(tmp_path, ray) == expected
    assert [file.name for file in (tmp_path / "out").glob("records-*")] == ["records-0.jsonl"]
    assert ray.started == 2 == ray.killed, "one actor for each core, ended at the end"
    assert 1 <= ray.most_given <= 4, "a few items in flight, never all"
    assert ray.options_seen[0]["num_cpus"] == 1 and "num_gpus" not in ray.options_seen[0]


def test_a_lost_actor_costs_nothing(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    ray = fake_ray.FakeRay(losses=Counter({"c0": 1, "c5": 1, "c11": 1}))
    assert run(tmp_path, ray) == expected
    assert ray.started > 2


def test_what_is_lost_with_two_actors_is_given_up(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    found = run(tmp_path, fake_ray.FakeRay(losses=Counter({"c3": 9})))
    failed = [record for record in found if record["status"] == "error"]
    assert [(record["case"], record["reason"]) for record in failed] == [
        ("c3", "the machine or the process that worked on it was lost, twice")
    ]
    others = [record for record in expected if record["case"] != "c3"]
    assert [record for record in found if record["case"] != "c3"] == others


def test_what_came_before_an_error_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One node finds that a file has changed: what it, and others, had done by then need not be done again."""
    exchange = fake_ray._Handle._exchange

    def then_fails(self: Any, given: Any) -> Any:
        return [*exchange(self, given), WorldGaugeError("a clip has changed", "run again")]

    monkeypatch.setattr(fake_ray._Handle, "_exchange", then_fails)
    made = executor(tmp_path, fake_ray.FakeRay())
    with pytest.raises(WorldGaugeError, match="a clip has changed"):
        list(made.map(items(4)))
    made.close()
    assert helpers.records(tmp_path / "out")


def test_actors_that_never_start_end_the_run(tmp_path: Path) -> None:
    made = executor(tmp_path, fake_ray.FakeRay(unable=99))
    with pytest.raises(WorldGaugeError, match="do not start"):
        list(made.map(items(2)))
    made.close()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"promises": frozenset([(0, METRIC, "another", True)])}, f"node would not measure '{METRIC}'"),
        ({"problem": WorldGaugeError("no room", "tidy up")}, "no room; tidy up"),
        ({"sees_store": False}, "does not see the store"),
    ],
)
def test_a_node_that_is_not_like_the_driver_is_refused(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    ray = fake_ray.FakeRay(introduction=lambda told: replace(told, **changed))
    made = executor(tmp_path, ray, shared_store=True)
    with pytest.raises(WorldGaugeError, match=message):
        list(made.map(items(2)))
    made.close()
    assert not list((tmp_path / "store").glob(".seen-*")) and not helpers.records(tmp_path / "out")


def test_a_bucket_below_will_do_unless_values_wait_on_a_disk(tmp_path: Path) -> None:
    def elsewhere(told: Introduction) -> Introduction:
        return replace(told, sees_store=False, brings_to_bucket=True)

    made = executor(tmp_path / "a", fake_ray.FakeRay(introduction=elsewhere), shared_store=True)
    assert len(list(made.map(items(2)))) == 2
    made.close()
    made = executor(tmp_path / "b", fake_ray.FakeRay(introduction=elsewhere), shared_store=True, shared_disk=True)
    with pytest.raises(WorldGaugeError, match=r"name a folder of a shared disk with --store$"):
        list(made.map(items(2)))
    made.close()


def test_when_the_head_is_gone_the_run_ends_with_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "_HEAD", 0.0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nobody = f"127.0.0.1:{probe.getsockname()[1]}"
    made = executor(tmp_path, fake_ray.FakeRay(losses=Counter({"c3": 1})), most=1, head=nobody)
    with pytest.raises(WorldGaugeError, match="the head of the Ray cluster is gone"):
        list(made.map(items(6)))
    made.close()
    assert 0 < len(helpers.records(tmp_path / "out")) < 6


def test_workers_limit_the_actors(tmp_path: Path) -> None:
    ray = fake_ray.FakeRay(cpus=64.0)
    run(tmp_path, ray, most=3)
    assert ray.started == 3


def test_a_cluster_without_room_says_what_is_there() -> None:
    with pytest.raises(WorldGaugeError, match=r"needs 4 CPU, 1 GPU, 20 GB \(a: 8 CPU, 0 GPU, 64 GB\)"):
        places([Node("a", 8, 0, 64)], Resources(4, 1, 20))
    assert places([Node("a", 8, 2, 64), Node("b", 3, 1, 64)], Resources(4, 1, 20)) == 2


def test_networks_go_onto_gpus_that_hold_them(tmp_path: Path) -> None:
    worker = Resources(4, 1, 20, gpu_gigabytes=30.0)
    small, large = Node("a", 8, 2, 64, 24.0, "aa"), Node("b", 8, 1, 64, 80.0, "bb")
    assert places([small, large, Node("c", 8, 1, 64)], worker) == 2, "one that says nothing is tried"
    with pytest.raises(WorldGaugeError, match=r"4 CPU, 1 GPU with 30 GB, 20 GB \(a: 8 CPU, 2 GPU with 24 GB, 64 GB\)"):
        places([small], worker)
    ray = fake_ray.FakeRay(cpus=8.0, gpus=(24.0, 80.0))
    made = RayExecutor(Cluster(ray, Shipment(()), tmp_path), setup_in(tmp_path), worker, True)
    assert len(list(made.map(items(1)))) == 1
    made.close()
    assert ray.options_seen[0]["label_selector"] == {"ray.io/node-id": "!in(node-0)"}
    assert ray.options_seen[0]["num_gpus"] == 1


def test_workers_that_share_a_gpu_have_a_part_of_it_each(tmp_path: Path) -> None:
    worker = Resources(4, 1, 20, gpu_gigabytes=10.0, sharing=3)
    small, large = Node("a", 16, 1, 64, 24.0, "aa"), Node("b", 16, 2, 640, 80.0, "bb")
    assert places([small, large], worker) == 4, "as the cores allow; three times 10 GB do not go onto the small one"
    assert places([Node("c", 64, 2, 640)], worker) == 6
    with pytest.raises(WorldGaugeError, match=r"4 CPU, 1/3 GPU with 10 GB, 20 GB .* fewer --workers-per-gpu"):
        places([small], worker)
    assert memory_of_worker([large], on_gpu=True, sharing=3) == int(640 * 0.8 / 6 * 2**30)
    ray = fake_ray.FakeRay(cpus=8.0, gpus=(24.0, 80.0))
    made = RayExecutor(Cluster(ray, Shipment(()), tmp_path), setup_in(tmp_path), worker, True)
    assert len(list(made.map(items(1)))) == 1
    made.close()
    assert ray.options_seen[0]["label_selector"] == {"ray.io/node-id": "!in(node-0)"}
    assert ray.options_seen[0]["num_gpus"] == 0.3333
    taken = Cluster(ray, Shipment(()), tmp_path, gpus_of_judges=1)
    with pytest.raises(WorldGaugeError, match="takes every GPU"):
        RayExecutor(taken, setup_in(tmp_path / "judged"), replace(worker, gpu_gigabytes=20.0), True)


def test_flags_of_ray_are_refused_elsewhere(videos: Path) -> None:
    for flag in ("--workers-per-gpu", "--decoders"):
        told = CliRunner().invoke(app, [str(videos), flag, "2"])
        assert f"{flag} is for --executor ray" in str(told.exception)


def test_a_worker_may_take_its_share_of_the_smallest_node() -> None:
    nodes = [Node("a", 8, 1, 64), Node("b", 2, 0, 10)]
    assert memory_of_worker(nodes, on_gpu=False) == int(10 * 0.8 / 2 * 2**30)
    assert memory_of_worker(nodes, on_gpu=True) == int(64 * 0.8 * 2**30)


def test_keys_of_judges_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDGAUGE_OFFLINE", "1")
    given = handed_on(["WORLDGAUGE_OFFLINE", "OPENAI_API_KEY", "WORLDGAUGE_STORE"])
    assert given == {"OPENBLAS_NUM_THREADS": "1", "WORLDGAUGE_OFFLINE": "1"}


def test_without_ray_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(WorldGaugeError, match=r"pip install 'worldgauge\[ray\]'"):
        connect("auto", ())


def test_a_feed_that_was_empty_goes_on() -> None:
    feed, some = Feed(), items(3)
    feed.add(iter(some[:1]))
    assert list(feed) == some[:1]
    feed.add(iter(some[1:]))
    feed.wait()
    assert list(feed) == some[1:]


def test_a_host_works_in_a_process_and_returns_records(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    setup = replace(setup_in(tmp_path), returns_records=True)
    host = Host(setup, True, Shipment(()), str(tmp_path))
    (tmp_path / "store").mkdir()
    told = host.introduce("no-such-file")
    assert told.problem is None and not told.sees_store and told.promises == promises(setup)
    wanted, results = items(3), []
    for item in wanted[:2]:
        results += host.exchange([fake_ray.Given(item)])
    results += host.exchange([fake_ray.Given(wanted[2])])
    while len(results) < 3:
        results += host.exchange([])
    assert host.exchange([]) == []
    values = {record.case: record.value for result in results for record in result.records}
    assert values == {record["case"]: record["value"] for record in expected if record["case"] in ("c0", "c1", "c2")}
    assert not list((tmp_path / "out").iterdir())
    for process in multiprocessing.active_children():
        process.kill()


def test_a_host_rests_on_what_the_driver_rests_on(tmp_path: Path) -> None:
    layers = (Layer(place="memory://lab/store", write=True),)
    setup = replace(setup_in(tmp_path), returns_records=True)
    told = Host(setup, True, Shipment(()), str(tmp_path), layers).introduce("no-such-file")
    assert told.problem is None and told.brings_to_bucket and not told.sees_store
    assert read_layers(setup.store) == layers


def test_a_host_that_does_not_see_a_video_says_so(tmp_path: Path) -> None:
    item = replace(items(1)[0], video=Video(tmp_path / "clip.mkv"))
    assert needed_files(item) == ()
    (tmp_path / "clip.mkv").touch()
    files = needed_files(item)
    assert files == (tmp_path / "clip.mkv",)
    (tmp_path / "clip.mkv").unlink()
    [problem] = Host(setup_in(tmp_path), True, Shipment(()), "").exchange([fake_ray.Given(item, files)])
    assert isinstance(problem, WorldGaugeError) and "does not see" in str(problem)


def test_included_files_travel_with_what_they_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from worldgauge.core.manifest import include, included

    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "beside_it.py").write_text("LEVEL = 3\n")
    (tmp_path / "mine.py").write_text("import beside_it\n")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    include(tmp_path / "mine.py")
    packed = tmp_path / "packed"
    packed.mkdir()
    shipment = pack(included(), packed)
    assert {"worldgauge", "worldgauge_included"} <= {folder.name for folder in shipment.modules}
    monkeypatch.syspath_prepend(str(packed))
    arrived = shipment.unpacked(setup_in(tmp_path / "there"))
    [file] = arrived.includes
    assert packed in file.parents and file.read_text() == "import beside_it\n"
    assert any((Path(place) / "beside_it.py").is_file() and packed in Path(place).parents for place in sys.path)
    sys.modules.pop("worldgauge_included")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"])
def test_an_address_where_nobody_answers_is_told_at_once(address: str) -> None:
    with pytest.raises(WorldGaugeError, match=r"nobody answers at '.*', where the head of a Ray cluster should be"):
        connect(address, ())
