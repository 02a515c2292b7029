"""The number of workers and shards cannot change a score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute

METRICS = "psnr,ssim,flow_magnitude,warp_error"


@pytest.fixture
def cases(tmp_path: Path) -> tuple[Path, Path]:
    videos = helpers.make_videos(tmp_path / "videos", cases=7)
    folder = helpers.make_cases(tmp_path / "cases", videos, clusters=3)
    (videos / "case-03.mkv").unlink()
    (videos / "case-05.mkv").write_bytes(b"not a video")
    return folder, videos


def test_workers_and_shards_agree_to_the_byte(tmp_path: Path, cases: tuple[Path, Path]) -> None:
    folder, videos = cases
    summaries = {}
    for workers in (1, 2, 3):
        out = tmp_path / f"workers-{workers}"
        flags = ["-b", folder, "-m", METRICS, "-o", out, "--store", tmp_path / f"s{workers}", "-w", workers]
        helpers.worldgauge("run", videos, *flags)
        summaries[f"{workers} workers"] = (out / "summary.json").read_bytes()
    shards = []
    for shard in (1, 2, 3):
        out = tmp_path / f"shard-{shard}"
        flags = ["-b", folder, "-m", METRICS, "-o", out, "--store", tmp_path / f"shard-store-{shard}", "-w", 1]
        helpers.worldgauge("run", videos, *flags, "--shard", f"{shard}/3", check=False)
        shards.append(out)
    assert sum(len(helpers.records(out)) for out in shards) == 7 * 4
    helpers.worldgauge("merge", *shards, "--out", tmp_path / "merged")
    summaries["merged"] = (tmp_path / "merged" / "summary.json").read_bytes()
    assert len(set(summaries.values())) == 1, summaries.keys()
    content = json.loads(summaries["merged"])
    assert content["metrics"]["psnr"]["statuses"] == {"ok": 5, "missing": 1, "invalid": 1}
    assert content["metrics"]["psnr"]["expected"] == 7


def test_shards_of_two_models_do_not_merge(tmp_path: Path, cases: tuple[Path, Path]) -> None:
    folder, videos = cases
    helpers.worldgauge("run", videos, "-b", folder, "-m", "psnr", "-o", tmp_path / "a", "-w", 1)
    other = videos.rename(tmp_path / "other")
    helpers.make_cases(folder, other)
    helpers.worldgauge("run", other, "-b", folder, "-m", "psnr", "-o", tmp_path / "b", "-w", 1)
    done = helpers.worldgauge("merge", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "c", check=False)
    assert done.returncode == 2
    assert "merge one model's runs" in done.stderr


@pytest.mark.parametrize("shard", ["0/3", "4/3", "a/b", "2"])
def test_bad_shards(tmp_path: Path, cases: tuple[Path, Path], shard: str) -> None:
    folder, videos = cases
    done = helpers.worldgauge("run", videos, "-b", folder, "--shard", shard, check=False)
    assert done.returncode == 2
    assert f"--shard {shard}: expected i/n" in done.stderr


def test_workers_with_several_cases_each_give_the_same_records(tmp_path: Path, cases: tuple[Path, Path]) -> None:
    """As workers that share a GPU are."""
    folder, videos = cases
    found = []
    for name, workers, ahead in (("alone", 1, 1), ("beside", 2, 3)):
        places = {"out": tmp_path / name, "store": tmp_path / f"store-{name}"}
        job = build_job(videos, benchmark=folder, metrics="psnr,warp_error", device="cpu", workers=workers, **places)
        job = replace(job, setup=replace(job.setup, ahead=ahead))
        totals = execute(job, make_plan(job))
        assert totals.statuses.total() == 7 * 2
        found.append(helpers.records(job.setup.out))
    assert found[0] == found[1]


def test_a_case_is_not_asked_for_what_is_about_others(tmp_path: Path) -> None:
    """A column for cases with a tag costs nothing at the others."""
    videos = helpers.make_videos(tmp_path / "videos", cases=5)
    folder = helpers.make_cases(tmp_path / "cases", videos)
    metrics = '[[metric]]\nid = "ssim"\n[[metric]]\nid = "warp_error"\ncases = { parity = "odd" }\n'
    (folder / "benchmark.toml").write_text(f'schema = 2\nname = "b"\nprotocols = ["p"]\n{metrics}')
    job = build_job(videos, benchmark=folder, out=tmp_path / "out", store=tmp_path / "store")
    plan = make_plan(job)
    totals = execute(job, plan)
    assert totals.counters["computed:flow_pairs"] == 2
    assert totals.counters["computed:pixel_errors"] == 5
    assert {record["status"] for record in helpers.records(tmp_path / "out")} == {"ok", "skipped"}
