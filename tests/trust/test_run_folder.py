"""A run folder is one thing: whom it is about, what was there, and which records still count."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import helpers
import worldgauge as wg
from trust.scored import PLUGIN, score, values
from worldgauge.api.building import build_job, default_out
from worldgauge.core.benchmark import Benchmark, BenchmarkFile
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.engine import evaluate as evaluating
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.report.summary import summarise


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file() and not p.name.startswith(".w")}


def test_trust_01_two_submissions_never_share_a_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = []
    for place in ("a", "b"):
        videos = helpers.make_videos(tmp_path / place / "videos", cases=1, frames=3)
        job = build_job(videos, metrics="psnr", store=tmp_path / "store")
        execute(job, make_plan(job))
        folders.append(job.setup.out)
        assert build_job(videos, metrics="psnr").setup.out == job.setup.out, "the same command resumes"
    assert folders[0] == Path("runs/videos/videos")
    assert folders[1].name.startswith("videos-")


@pytest.mark.parametrize("names", [("a/b", "a-b"), ("..", "."), ("", "-"), ("x" * 300, "x" * 301)])
def test_trust_01_names_that_look_alike_stay_apart(names: tuple[str, str]) -> None:
    benchmark = Benchmark(BenchmarkFile(name="b"), (Case(id="c"),))
    cards = [ModelCard.model_construct(name=name) for name in names]
    found = [default_out(benchmark, Submission(card, {}), "released") for card in cards]
    assert found[0] != found[1]
    assert all(len(path.parts) == 3 and len(path.name) < 200 for path in found)


def test_trust_02_another_identity_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    other = helpers.make_videos(tmp_path / "other", cases=2, frames=3)
    cases = helpers.make_cases(tmp_path / "cases", videos)
    score(videos, tmp_path / "run")
    before = folder_bytes(tmp_path / "run")
    renamed = Submission(ModelCard(name="renamed"), Submission.from_folder(videos).videos)
    for changed, said in (
        ({"videos": other}, "model 'videos', asked for 'other'"),
        ({"videos": videos, "benchmark": cases}, "benchmark 'videos', asked for 'cases'"),
        ({"videos": renamed}, "model 'videos', asked for 'renamed'"),
    ):
        with pytest.raises(WorldGaugeError, match=said):
            score(out=tmp_path / "run", **changed)  # type: ignore[arg-type]
    assert folder_bytes(tmp_path / "run") == before

    score(videos, tmp_path / "of_cases", benchmark=cases)
    lines = (cases / "cases.jsonl").read_text().splitlines()
    (cases / "cases.jsonl").write_text(lines[0] + "\n")
    with pytest.raises(WorldGaugeError, match="a data set with the list of cases"):
        score(videos, tmp_path / "of_cases", benchmark=cases)


def test_trust_02_videos_that_were_moved_are_accepted_by_a_flag(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "here" / "videos", cases=2, frames=3)
    first = values(score(videos, tmp_path / "run"))
    moved = tmp_path / "there" / "videos"
    moved.parent.mkdir()
    videos.rename(moved)
    with pytest.raises(WorldGaugeError, match="say --moved"):
        score(moved, tmp_path / "run")
    run = score(moved, tmp_path / "run", moved=True)
    assert values(run) == first
    assert run.file.read_from == str(moved)
    assert run.file.invocations[-1].counters == {}


def test_trust_03_deleted_and_replaced_videos_do_not_count(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=3, frames=3)
    out = tmp_path / "run"
    score(videos, out)
    (videos / "case-00.mkv").unlink()
    shutil.copyfile(videos / "case-02.mkv", videos / "case-01.mkv")
    run = score(videos, out, metrics="psnr")
    fresh = score(videos, tmp_path / "fresh", metrics="psnr")
    assert {k: v for k, v in values(run).items() if k[0] == "psnr"} == values(fresh)
    # What was not asked for again: only the clip that is still the same keeps its number.
    assert [case for metric, case in values(run) if metric == "frame_similarity"] == ["case-02"]
    summary = summarise(run)
    assert summary.metrics["frame_similarity"].statuses == {"ok": 1, "pending": 1}
    assert run.left_out.stale == {"the case is gone": 2, "the video changed": 1}
    assert "stale records do not count" in run.left_out.sentences()[0]
    shown = run.sources()
    assert sorted(shown) == ["case-01", "case-02"]
    # A clip that is replaced after the run is not shown under the old numbers.
    shutil.copyfile(videos / "case-01.mkv", videos / "case-02.mkv")
    with (videos / "case-02.mkv").open("ab") as stream:
        stream.write(b"more")
    assert [case for case, source in Run(out).sources().items() if source.video is not None] == ["case-01"]


def test_trust_03_report_check_looks_again(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=3, frames=3)
    score(videos, tmp_path / "run", metrics="psnr")
    (videos / "case-00.mkv").unlink()
    told = helpers.worldgauge("report", tmp_path / "run").stdout
    assert "stale" not in told, "a report alone opens no video"
    told = helpers.worldgauge("report", tmp_path / "run", "--check").stdout
    assert "1 stale records do not count: the video is gone (1)" in " ".join(told.split())


def test_trust_04_the_clock_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = PLUGIN.replace("import trust_helper", "").replace(" + trust_helper.MORE", "")
    plugin = tmp_path / "plugin.py"
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    for now, text in ((5000.0, alone.replace("0.25", "1 / 0")), (1000.0, alone)):
        plugin.write_text(text)
        monkeypatch.setattr(evaluating.time, "time", lambda now=now: now)
        score(videos, tmp_path / "run", metrics="trust_number", includes=[plugin])
    # An error of the same definition and content, written before by a machine whose clock runs ahead.
    file = tmp_path / "run" / "records-0.jsonl"
    line = json.loads(file.read_text().splitlines()[-1])
    late = {key: value for key, value in line.items() if key not in ("value", "raw")}
    file.write_text(file.read_text() + json.dumps(late | {"status": "error", "time": 9e9, "invocation": 0}) + "\n")
    assert values(Run(tmp_path / "run")) == {("trust_number", "case-00"): 0.25}


def test_trust_05_one_writer_at_a_time_and_readers_do_not_wait(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    out = tmp_path / "run"
    score(videos, out, metrics="psnr")
    hold = (
        "import sys, time; from pathlib import Path; from worldgauge.engine.writing import writing\n"
        "with writing(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", hold, str(out)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(WorldGaugeError, match=rf"another run writes to .*process {holder.pid} of .*, for 0 min"):
            score(videos, out, metrics="frame_similarity")
        assert values(Run(out)) == values(wg.load_run(out))
    finally:
        holder.kill()
        holder.wait()
    run = score(videos, out, metrics="frame_similarity")
    assert [d.id for d in run.file.definitions] == ["frame_similarity", "psnr"]


def test_trust_05_a_lock_of_another_machine_is_told_and_broken_by_a_flag(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    score(videos, tmp_path / "run")
    owner = {"host": "elsewhere", "pid": 7, "user": "kim", "since": time.time() - 3600}
    (tmp_path / "run" / ".writer.json").write_text(json.dumps(owner))
    with pytest.raises(WorldGaugeError, match=r"process 7 of kim on elsewhere, for 60 min.*--break-lock"):
        score(videos, tmp_path / "run")
    assert values(score(videos, tmp_path / "run", break_lock=True))


def test_trust_06_runs_over_other_cases_do_not_share_a_table(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    cases = helpers.make_cases(tmp_path / "cases", videos)
    score(videos, tmp_path / "a", benchmark=cases)
    shutil.copyfile(videos / "case-00.mkv", videos / "reference" / "case-01.mkv")
    score(videos, tmp_path / "b", benchmark=cases)
    told = r"case .case-01. is not the same in both runs.*another reference video.* \([0-9a-f]+ and [0-9a-f]+\)"
    with pytest.raises(WorldGaugeError, match=told):
        wg.compare(tmp_path / "a", tmp_path / "b")
    lines = (cases / "cases.jsonl").read_text().splitlines()
    (cases / "cases.jsonl").write_text(lines[1] + "\n")
    score(videos, tmp_path / "c", benchmark=cases)
    with pytest.raises(WorldGaugeError, match="runs of different list of cases do not share a table"):
        wg.compare(tmp_path / "b", tmp_path / "c")


def test_trust_06_a_partial_rerun_with_another_instrument_mixes_nothing(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    score(videos, tmp_path / "run", metrics="flow_magnitude,psnr")
    run = score(videos, tmp_path / "run", metrics="flow_magnitude", cases="case-00", use=["flow=dis:preset=ultrafast"])
    assert sorted(values(run)) == [("flow_magnitude", "case-00"), ("psnr", "case-00"), ("psnr", "case-01")]
    assert run.left_out.stale == {"the definition changed": 1}
    assert run.file.instruments["flow"] == "dis"
    assert summarise(run).metrics["flow_magnitude"].statuses == {"ok": 1, "pending": 1}
