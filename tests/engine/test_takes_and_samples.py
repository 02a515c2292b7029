"""Several videos per case, and a part of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import helpers
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.submission import Submission
from worldgauge.engine.sample import draw_sample
from worldgauge.media.encoder import write_video
from worldgauge.report.summary import summarise
from worldgauge.stats.bootstrap import cluster_replicates, percentile_interval


@pytest.fixture
def takes(tmp_path: Path) -> tuple[Path, Path]:
    """Two cases; the first has two takes, one noisier than the other, the second has two of which one is not there."""
    videos = helpers.make_videos(tmp_path / "videos", cases=2)
    cases = helpers.make_cases(tmp_path / "cases", videos)
    clean = helpers.moving_texture(6, seed=0).astype(float)
    noisy = np.clip(clean + np.random.default_rng(9).normal(scale=20, size=clean.shape), 0, 255).astype(np.uint8)
    write_video(videos / "other.mkv", noisy, fps=12)
    content = {"case-00": ["case-00.mkv", "other.mkv"], "case-01": ["case-01.mkv", "gone.mkv"]}
    (videos / "submission.json").write_text(json.dumps({"schema": 1, "model": {"name": "m"}, "videos": content}))
    return videos / "submission.json", cases


def test_takes_are_joined_within_the_case(takes: tuple[Path, Path], tmp_path: Path) -> None:
    submission, cases = takes
    flags = [submission, "-b", cases, "-m", "psnr", "-o", tmp_path / "run", "-w", 1]
    helpers.worldgauge("run", *flags)
    records = {(r["case"], r.get("take", 0)): r for r in helpers.records(tmp_path / "run")}
    assert {key: r["status"] for key, r in records.items()} == {
        ("case-00", 0): "ok", ("case-00", 1): "ok", ("case-01", 0): "ok", ("case-01", 1): "missing",
    }  # fmt: skip
    first, second, other = (records[key]["value"] for key in (("case-00", 0), ("case-00", 1), ("case-01", 0)))
    assert first > second + 5
    assert (Run(tmp_path / "run").file.cases, Run(tmp_path / "run").file.videos) == (2, 4)
    score = summarise(Run(tmp_path / "run")).metrics["psnr"]
    assert score.value == pytest.approx(((first + second) / 2 + other) / 2)
    assert (score.scored, score.expected, score.statuses) == (3, 4, {"ok": 3, "missing": 1})
    assert score.spread == pytest.approx(np.std([(first + other) / 2, second], ddof=1))
    again = helpers.run_json("run", *flags)
    assert again["plan"]["records_to_write"] == 0


def test_a_submission_with_takes_survives_a_round_trip(takes: tuple[Path, Path]) -> None:
    submission, _ = takes
    read = Submission.read(submission)
    assert [v and v.path.name for v in read.takes("case-01")] == ["case-01.mkv", None]
    assert read.takes("nobody") == [None]
    read.write(submission.with_name("again.json"))
    assert json.loads(submission.with_name("again.json").read_text()) == json.loads(submission.read_text())


def kinds(count: int) -> list[Case]:
    return [
        Case(id=f"c{i:04d}", cluster=f"s{i // 2}", tags={"kind": "rare" if i % 10 == 0 else "common"})
        for i in range(count)
    ]


def test_a_sample_has_every_kind_in_proportion_and_no_favourites() -> None:
    cases = kinds(200)
    drawn = [draw_sample(cases, 0.1, seed) for seed in range(400)]
    assert {len(sample) for sample in drawn} == {20}
    rare = [sum(case.tags["kind"] == "rare" for case in sample) for sample in drawn]
    assert set(rare) == {2}
    counts = np.array([sum(case in sample for sample in drawn) for case in cases])
    # Each of 200 cases is taken with probability 0.1: 40 of 400 times, give or take six standard deviations.
    assert counts.sum() == 400 * 20
    assert np.abs(counts - 40).max() < 6 * np.sqrt(400 * 0.1 * 0.9)
    assert draw_sample(cases, 0.1, 7) == drawn[7]
    assert draw_sample(cases, 1.0) == tuple(cases)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(WorldGaugeError, match="a sample is a share between 0 and 1"):
        draw_sample(kinds(10), share)


def test_the_interval_of_a_sample_covers_the_whole_benchmark() -> None:
    """95 % intervals from a tenth of 600 cases hold the mean over all of them in at least 93 % of draws."""
    cases = kinds(600)
    rng = np.random.default_rng(3)
    scene = np.repeat(rng.normal(scale=5, size=300), 2)
    values = 50 + scene + rng.normal(scale=3, size=600) + np.array([10.0 if i % 10 == 0 else 0.0 for i in range(600)])
    of_case = {case.id: value for case, value in zip(cases, values, strict=True)}
    held = 0
    for seed in range(300):
        sample = draw_sample(cases, 0.1, seed)
        names, clusters = np.unique([case.cluster_id for case in sample], return_inverse=True)
        drawn = cluster_replicates(np.array([[of_case[case.id] for case in sample]]), clusters, 300, seed)
        interval = percentile_interval(drawn[0], clusters=len(names))
        held += interval is not None and interval[0] <= values.mean() <= interval[1]
    assert held / 300 >= 0.93


def test_a_sampled_run_says_so(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=4)
    cases = helpers.make_cases(tmp_path / "cases", videos)
    flags = ["run", videos, "-b", cases, "-m", "psnr", "-o", tmp_path / "run", "-w", 1]
    helpers.worldgauge(*flags, "--sample", 0.5)
    run = Run(tmp_path / "run")
    assert run.file.sample is not None
    assert (run.file.cases, run.file.sample.of, len(helpers.records(tmp_path / "run"))) == (2, 4, 2)
    assert summarise(run).metrics["psnr"].expected == 2
    printed = helpers.worldgauge("report", tmp_path / "run").stdout
    assert "A sample, part of the benchmark: 2 of 4 cases, drawn with seed 0." in printed
    refused = helpers.worldgauge(*flags, "--sample", 0.5, "--sample-seed", 5, check=False)
    assert refused.returncode == 2
    assert "holds another sample (0.5, seed 0)" in refused.stderr
    # The whole benchmark takes over what the sample has measured.
    helpers.worldgauge(*flags)
    assert (Run(tmp_path / "run").file.cases, Run(tmp_path / "run").file.sample) == (4, None)


def test_an_older_run_folder_can_be_read_and_not_continued(tmp_path: Path) -> None:
    """`run.json` as version 0.1.0 wrote it before protocols were the benchmark's to name."""
    videos = helpers.make_videos(tmp_path / "videos", cases=2)
    flags = ["run", videos, "-m", "psnr", "-o", tmp_path / "run", "-w", 1]
    helpers.worldgauge(*flags)
    file = tmp_path / "run" / "run.json"
    content = json.loads(file.read_text())
    benchmark = content["benchmark"] | {"schema": 1, "protocol": "paper", "cases": "", "importer": ""}
    benchmark["metric"] = [{"id": "psnr", "released": {"parameters": {}}, "paper": {}}]
    benchmark["deviation"] = [{"id": "d", "released": "does this", "paper": "says that"}]
    for new in ("protocols",):
        benchmark.pop(new)
    content |= {"schema": 1, "protocol": "paper", "benchmark": benchmark}
    for new in ("videos", "sample", "data", "read_from"):
        content.pop(new)
    for definition in content["definitions"]:
        definition.pop("reduce"), definition.pop("reads")
    file.write_text(json.dumps(content))
    for line in (records := tmp_path / "run" / "records-0.jsonl").read_text().splitlines():
        assert json.loads(line)["schema"] == 3
    records.write_text(records.read_text().replace('{"schema":2,', '{"schema":1,'))
    opened = Run(tmp_path / "run")
    assert opened.file.older
    assert opened.file.benchmark.deviations[0].under == {"released": "does this", "paper": "says that"}
    assert "psnr" in helpers.worldgauge("report", tmp_path / "run").stdout
    refused = helpers.worldgauge(*flags, check=False)
    assert refused.returncode == 2
    assert "was made by an older version: it can be read, not continued" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
