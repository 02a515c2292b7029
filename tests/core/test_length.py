"""How long a clip has to be: the rule of each benchmark, from its own files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

import helpers
import worldgauge as wg
from benchmarks.worldolympiad.released_tree import write_tree
from benchmarks.worldscore.toy_dataset import make_dataset
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.core.benchmark import load_benchmark, read_benchmark_file
from worldgauge.core.case import Case, Condition, Phases, Reference
from worldgauge.core.length import HeldLength
from worldgauge.core.video import Video
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video

FOUR = ("worldscore", "memobench", "mbench", "worldolympiad")


def held(name: str, protocol: str = "paper") -> HeldLength:
    found = read_benchmark_file(name).held_length(protocol)
    assert found is not None
    return found


def clip(frames: int, fps: float | None = None) -> Video:
    return wg.Video.from_array(helpers.moving_texture(frames, 32, 32), fps=fps)


@pytest.mark.parametrize("name", FOUR)
def test_every_benchmark_says_how_long_a_clip_has_to_be_and_where_that_stands(name: str) -> None:
    rule = held(name).rule
    assert rule.requires and rule.source


@pytest.mark.parametrize(
    ("case", "frames", "fps", "told"),
    [
        (Condition(frames=161, fps=16), 128, 16, ""),
        (Condition(frames=161, fps=16), 127, 16, "lasts 7.94 s at 16 fps, 10 s were requested and 8 s are the least"),
        (Condition(frames=161, fps=16), 192, 24, ""),
        (Condition(frames=401, fps=16), 161, 16, "25 s were requested and 20 s are the least"),
        (Condition(), 600, 30, ""),
        (Condition(), 600, 30.01, ""),
        (Condition(), 590, 30, "lasts 19.7 s"),
        (Condition(), 320, None, ""),
        (Condition(), 310, None, "16 fps (the benchmark's usual rate, the frames and the request state none)"),
        (Condition(frames=25, fps=8), 25, 8, ""),
        (Condition(frames=25, fps=8), 20, None, ""),
        (Condition(frames=25, fps=8), 18, None, "8 fps (the rate of the request, the frames state none)"),
        (Condition(), 4, 0.01, "4 frames, a clip needs at least 5"),
    ],
)
def test_mbench_counts_seconds(case: Condition, frames: int, fps: float | None, told: str) -> None:
    found = held("mbench").shortfall(Case(id="a", condition=case), clip(frames, fps))
    assert (told in found) if told else not found, found


@pytest.mark.parametrize(("gone", "back", "needed"), [(100, 180, 5), (2, 290, 5), (35, 180, 6), (30, 60, 9)])
def test_memobench_asks_for_the_frames_of_its_phases(gone: int, back: int, needed: int, tmp_path: Path) -> None:
    write_video(tmp_path / "reference.mp4", helpers.moving_texture(300, 32, 32), fps=30)
    case = Case(id="a", reference=Reference(video="reference.mp4", phases=Phases(gone=gone, back=back))).at(tmp_path)
    assert held("memobench").shortfall(case, clip(needed)) == ""
    told = f"the clip has {needed - 1} frames, its parts need at least {needed}"
    assert held("memobench").shortfall(case, clip(needed - 1)).replace("a clip needs", "its parts need") == told


def test_worldolympiad_asks_for_a_frame_of_every_chunk(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"general/c1": 3})
    (case,) = load_benchmark("worldolympiad", root).cases
    video = submission_of(root, "longlive", [case]).video(case.id)
    assert video is not None and held("worldolympiad").shortfall(case, video) == ""
    # Three chunks of two seconds, of which a clip of 33 frames at 8 fps shows all, and one of 32 two.
    for frames, told in ((33, ""), (32, "the clip has 32 frames, its parts need at least 33")):
        write_video(video.path, helpers.moving_texture(frames), fps=8)
        assert held("worldolympiad").shortfall(case, Video(video.path, beside=video.beside)) == told
    assert held("worldolympiad").shortfall(case, clip(2, 8.0)) == "the clip has 2 frames, its parts need at least 3"


@pytest.mark.parametrize(("protocol", "status"), [("released", "invalid"), ("paper", "ok")])
def test_worldscore_refuses_another_length_as_released_alone(tmp_path: Path, protocol: str, status: str) -> None:
    """A model whose configuration names 9 frames and that made 7."""
    data = make_dataset(tmp_path / "data")
    case = load_benchmark("worldscore", data).cases[0]
    folder = tmp_path / "model" / "worldscore_output" / case.id
    (folder / "frames").mkdir(parents=True)
    for index, frame in enumerate(helpers.moving_texture(7)):
        Image.fromarray(frame).save(folder / "frames" / f"{index:03d}.png")
    (folder / "image_data.json").write_text(json.dumps({"total_frames": 9}))
    job = build_job(
        tmp_path / "model", benchmark="worldscore", data=data, protocol=protocol, metrics="optical_flow_aepe",
        cases=[case.id], store=tmp_path / "store", out=tmp_path / "run", instruments="pocket",
    )  # fmt: skip
    execute(job, make_plan(job))
    (record,) = helpers.records(tmp_path / "run")
    assert record["status"] == status
    told = "9 were asked for" if protocol == "released" else "its model's configuration names exactly 9"
    assert "7 frames" in record["reason"] and told in record["reason"]
    flags = ("-b", "worldscore", "--data", data, "--protocol", protocol)
    found = helpers.run_json("validate", tmp_path / "model", *flags, check=False)
    where = "invalid" if protocol == "released" else "remarks"
    assert list(found[where]) == [case.id] and told in found[where][case.id]


def test_a_benchmark_of_ones_own_says_what_it_requires(tmp_path: Path) -> None:
    """Without `[length]` nothing is required; with it, a column is worst or keeps its value as it says."""
    helpers.make_videos(tmp_path / "mine", cases=1, frames=6)
    text = """schema = 2
name = "mine"
{length}
[[metric]]
id = "kept"
use = "warp_error"
scale = {{ from = [0.1, 0.0] }}

[[metric]]
id = "held"
use = "warp_error"
scale = {{ from = [0.1, 0.0] }}
short = "worst"
"""
    rule = '[length]\nrequires = "ten frames"\nsource = "this test"\nframes = 10\n'
    values = {}
    for name, length in (("free", ""), ("held", rule)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "benchmark.toml").write_text(text.format(length=length))
        shutil.copy(tmp_path / "mine" / "case-00.mkv", folder / "case-00.mkv")
        (folder / "cases.jsonl").write_text(json.dumps({"id": "case-00"}) + "\n")
        job = build_job(tmp_path / "mine", benchmark=folder, store=tmp_path / "store", out=tmp_path / f"run-{name}")
        execute(job, make_plan(job))
        values[name] = {line["metric"]: line["value"] for line in helpers.records(tmp_path / f"run-{name}")}
    assert values["free"]["kept"] == values["free"]["held"] == values["held"]["kept"] > 0
    assert values["held"]["held"] == 0.0
