"""Clips decoded elsewhere: the same frames, the same records, whoever is lost; and who decodes for whom."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import fake_ray
import helpers
from worldgauge.api.building import build_job
from worldgauge.core.clip import Clip
from worldgauge.core.decoded_video import DecodedVideo
from worldgauge.core.frames import FrameSpec
from worldgauge.core.video import Video
from worldgauge.engine.executors import InlineExecutor
from worldgauge.engine.job import Job
from worldgauge.engine.plan import Plan, make_plan
from worldgauge.engine.run import Totals, execute
from worldgauge.engine.scale import decoders, decoding
from worldgauge.engine.scale.cluster import Cluster
from worldgauge.engine.scale.decoding import Decoder, Looks, Wish, decoded, decoder_nodes, with_frames
from worldgauge.engine.scale.ray_executor import on_cluster
from worldgauge.engine.scale.resources import Node, Resources
from worldgauge.engine.scale.shipping import Shipment
from worldgauge.engine.work import WorkItem

CLIPS = 6
INCLUDE = Path(__file__).parents[1] / "engine" / "slow_metrics.py"


def planned(folder: Path, name: str) -> tuple[Job, Plan]:
    if not (folder / "videos").exists():
        helpers.make_videos(folder / "videos", cases=CLIPS)
    job = build_job(
        folder / "videos",
        metrics="test_mean_brightness,test_contrast_ratio",
        includes=[INCLUDE],
        out=folder / name,
        store=folder / f"{name}-store",
    )
    return job, make_plan(job)


def items(plan: Plan) -> list[WorkItem]:
    return [WorkItem(work.case, work.take, work.video, 0, work.todo) for work in plan.works]


def run(folder: Path, name: str, ray: fake_ray.FakeRay, asked: int | None = 2) -> Totals:
    job, plan = planned(folder, name)
    cluster = Cluster(ray, Shipment(()), folder)
    return execute(job, plan, make_executor=on_cluster(cluster, [(job, plan)], Resources(), 1, asked))


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with clips, and a run of them that a single worker has made."""
    folder = tmp_path_factory.mktemp("local")
    execute(*planned(folder, "run"))
    return folder


def test_nobody_decodes_for_a_worker_that_decodes_with_something_else(local: Path) -> None:
    """Two versions of a codec may give two pictures; records must not depend on who has decoded."""
    ray = fake_ray.FakeRay(introduction=lambda told: replace(told, codecs="av 0.0.1"))
    run(local, "other-codecs", ray)
    assert not ray.decoded
    assert helpers.records(local / "other-codecs") == helpers.records(local / "run")


def test_frames_come_from_the_file_that_another_has_written(videos: Path) -> None:
    video = Video(next(videos.glob("*.mkv")))
    item, file = with_frames(WorkItem(None, 0, video, 0, ()), decoded(video, [0, 2, 3]))  # type: ignore[arg-type]
    brought = item.video
    assert isinstance(brought, DecodedVideo) and brought.info == video.info and brought.digest == video.digest
    clip, plain = Clip(brought), Clip(video)
    for index in (0, 3):
        assert np.array_equal(clip.frames()[index], plain.frames()[index])
    small = FrameSpec().within(32)
    assert np.array_equal(clip.frames(small)[2], plain.frames(small)[2])
    assert (clip.frames_brought, clip.frames_decoded, clip.passes) == (3, 0, 0)
    assert not clip.frames()[0].flags.writeable
    assert all(np.array_equal(*pair) for pair in zip(clip.frames(), plain.frames(), strict=True))
    assert (clip.frames_brought, clip.frames_decoded) == (3, 3), "what was not brought is decoded"
    file.close()
    gone = Clip(DecodedVideo.of(video, brought._decoded))
    assert np.array_equal(gone.frames()[0], plain.frames()[0]) and gone.frames_brought == 0


def test_frames_of_another_content_are_not_looked_at(videos: Path) -> None:
    first, second = sorted(videos.glob("*.mkv"))[:2]
    item, file = with_frames(WorkItem(None, 0, Video(second), 0, ()), decoded(Video(first), [0]))  # type: ignore[arg-type]
    assert item.video is not None
    clip = Clip(item.video)
    assert np.array_equal(clip.frames()[0], next(Video(second).frames())) and clip.frames_brought == 0
    file.close()
    folder = videos / "frames"
    folder.mkdir()
    for number, frame in enumerate(Video(first).frames()):
        Image.fromarray(frame).save(folder / f"{number}.png")
    item, file = with_frames(replace(item, video=Video(folder, fps=5)), decoded(Video(folder, fps=5), [0, 1]))
    assert item.video is not None
    clip = Clip(item.video)
    with ThreadPoolExecutor(2) as readers:
        clip.read_with(readers)
        assert all(np.array_equal(*pair) for pair in zip(clip.frames(), Video(first).frames(), strict=True))
    assert (clip.frames_brought, clip.frames_decoded) == (2, 4)
    file.close()


def test_records_are_those_of_a_local_run(local: Path) -> None:
    ray = fake_ray.FakeRay(cpus=3.0)
    totals = run(local, "decoded", ray)
    assert totals.counters["clips_decoded_elsewhere"] > 0
    assert set(ray.decoded.values()) == {1} and len(ray.decoded) == totals.counters["clips_decoded_elsewhere"]
    assert helpers.records(local / "decoded") == helpers.records(local / "run")
    [first, *_] = [given for given in ray.options_seen if "max_task_retries" in given and "memory" not in given]
    assert first["num_cpus"] == 1 and "num_gpus" not in first


def test_a_lost_decoder_costs_nothing(local: Path) -> None:
    ray = fake_ray.FakeRay(cpus=3.0, decoders_lost=Counter({"case-00": 1, "case-01": 1}))
    totals = run(local, "lost", ray)
    assert sum(ray.decoded.values()) > totals.counters["clips_decoded_elsewhere"]
    assert helpers.records(local / "lost") == helpers.records(local / "run")


def test_decoders_make_room_where_no_worker_comes_up(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(fake_ray.FakeRay):
        waits = 0

        def wait(self, calls: Any, num_returns: int, timeout: float) -> Any:
            self.waits += timeout > 0
            return super().wait(calls, num_returns, timeout) if self.waits > 1 else ([], calls)

    monkeypatch.setattr("worldgauge.engine.scale.ray_executor._PATIENCE", -1.0)
    ray = Slow(cpus=3.0)
    totals = run(local, "slow", ray)
    assert totals.counters["clips_decoded_elsewhere"] == 0 and ray.killed == 1 + 2, "the worker, and two decoders"
    assert helpers.records(local / "slow") == helpers.records(local / "run")


def test_who_sees_no_video_decodes_none(local: Path) -> None:
    job, plan = planned(local, "unseen")
    wish = Looks([(job, plan)]).wish(items(plan)[0])
    assert wish is not None
    why, found = Decoder().decode(replace(wish, video=Video(local / "nowhere.mkv")))
    assert "does not see" in why and found is None
    broken = local / "broken.mkv"
    broken.write_bytes(b"\x1a\x45\xdf\xa3")
    assert Decoder().decode(replace(wish, video=Video(broken))) == ("", None)


def test_only_what_will_be_looked_at_is_decoded(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job, plan = planned(local, "looks")
    looks, item = Looks([(job, plan)]), items(plan)[0]
    wish = looks.wish(item)
    assert isinstance(wish, Wish) and wish.indices == tuple(range(6)) and wish.bytes == 6 * 64 * 48 * 3
    assert looks.clips == CLIPS
    assert looks.wish(replace(item, stage=1)) is None, "no network of that pass looks at it"
    assert looks.wish(replace(item, alone=True)) is None and Looks().wish(item) is None
    monkeypatch.setattr(decoding, "LARGEST", wish.bytes - 1)
    assert looks.wish(item) is None, "a large clip is left to who looks at it"


def test_no_more_is_in_the_air_than_may_be(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldgauge.engine.scale.ray_executor.IN_THE_AIR", 6 * 64 * 48 * 3)
    ray = fake_ray.FakeRay(cpus=3.0)
    totals = run(local, "bounded", ray)
    assert 0 < totals.counters["clips_decoded_elsewhere"] < CLIPS
    assert helpers.records(local / "bounded") == helpers.records(local / "run")


def test_near_ones_are_asked_first() -> None:
    asked: list[str] = []

    class Handle:
        def __init__(self, name: str) -> None:
            self.decode, self._name = self, name

        def options(self, **_: Any) -> Handle:
            return self

        def remote(self, wish: Wish) -> tuple[object, object]:
            asked.append(self._name)
            return object(), object()

    class Never:
        def wait(self, calls: list[object], **_: Any) -> tuple[list[object], list[object]]:
            return [], calls

    class Always(Looks):
        def wish(self, item: Any, origins: Any = ()) -> Wish:
            return Wish(item, (), (0,), 10)

    made = decoders.Decoders(Cluster(Never(), Shipment(()), Path()), Always(), Resources())
    made._decoders = [decoders._Decoder(Handle(node), node, None) for node in ("far", "near", "near")]
    found = [made.frames(None, (), "near", "", 100) for _ in range(7)]  # type: ignore[arg-type]
    assert asked == ["near"] * 4 + ["far"] * 2 and found[-1] is None, "two for each, then nobody has time"
    assert made.frames(None, (), "near", "", 9) is None  # type: ignore[arg-type]


def test_decoders_take_the_cores_that_workers_leave() -> None:
    gpu, cpu = Node("a", 16, 2, 640, id="a"), Node("b", 3, 0, 64, id="b")
    worker = Resources(4, 1, 20)
    assert decoder_nodes([cpu, gpu], worker, 2) == ["a"] * 8 + ["b"] * 3
    assert decoder_nodes([gpu, cpu], worker, 1) == ["a"] * 12 + ["b"] * 3, "a worker that was not asked for needs none"
    assert decoder_nodes([gpu, cpu], worker, 2, 0) == [] and decoder_nodes([gpu, cpu], Resources(), 19) == []
    assert decoder_nodes([cpu], Resources(), 1, 5) == ["b", "b"], "where one asks, also beside workers without a GPU"
    assert len(decoder_nodes([Node("c", 999, 1, 64, id="c")], worker, 1)) == decoding.FOR_EACH


def test_a_worker_does_not_change_what_it_counts(local: Path) -> None:
    job, plan = planned(local, "inline")
    made = InlineExecutor(job.setup)
    [result] = made.map(items(plan)[:1])
    made.close()
    assert "clips_decoded_elsewhere" not in result.counters
