"""A run folder is one thing: whom it is about, what was there, and which records still count."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import helpers
import worldgauge as wg
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


def score(videos: Any, out: Path, **flags: Any) -> Run:
    """One run of the command, in this process."""
    job = build_job(videos, out=out, store=out.parent / "store", **{"metrics": "psnr,frame_similarity"} | flags)
    execute(job, make_plan(job))
    return Run(out)


def values(run: Run) -> dict[tuple[str, str], float | None]:
    return {(r["metric"], r["case"]): r.get("value") for r in run.records()}


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
    with pytest.raises(WorldGaugeError, match=r"case .case-01. is not the same in both runs.*another reference video"):
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


HEAD = b'{"schema":3,"case":"case-00","cluster":"c","metric":"psnr","fingerprint":"f","inputs":"i",'


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (b"\xff\xfe{}\n", "line 1"),
        (b'{"schema":3,"case":"case-00","metric":"psnr"}\n', "no fingerprint"),
        (HEAD + b'"status":"ok","value":NaN}\n', "line 1"),
        (HEAD + b'"status":"ok"}\n', "ok without a value"),
        (b"[" * 100_000 + b"\n", "line 1"),
        (b"9" * 5000 + b"\n", "line 1"),
        (b"7\n", "not an object"),
    ],
)  # fmt: skip
def test_trust_07_a_damaged_line_is_left_out_told_and_computed_again(tmp_path: Path, damage: bytes, said: str) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    whole = values(score(videos, tmp_path / "run"))
    file = tmp_path / "run" / "records-0.jsonl"
    file.write_bytes(damage + b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    run = Run(tmp_path / "run")
    assert len(values(run)) == len(whole) - 1
    assert said in run.left_out.damaged[0]
    assert "Damaged record lines" in run.left_out.sentences()[-1]
    assert values(score(videos, tmp_path / "run")) == whole


def test_trust_07_a_newer_schema_is_refused_in_one_line(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    run = score(videos, tmp_path / "run")
    file = run.folder / "records-0.jsonl"
    file.write_text(file.read_text().replace('"schema":3', '"schema":9'))
    with pytest.raises(WorldGaugeError, match="the records have schema 9"):
        run.records()
    content = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps(content | {"schema": 9}))
    with pytest.raises(WorldGaugeError, match="written by a newer version"):
        Run(run.folder)


@pytest.mark.parametrize("damaged", ["run.json", "contents.jsonl"])
def test_trust_07_a_damaged_description_is_written_anew(tmp_path: Path, damaged: str) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    whole = values(score(videos, tmp_path / "run"))
    (tmp_path / "run" / damaged).write_bytes(b'{"schema": 3, \xff')
    with pytest.raises(WorldGaugeError, match=r"is damaged.*records are kept"):
        Run(tmp_path / "run").records()
    other = helpers.make_videos(tmp_path / "other", cases=2, frames=3)
    with pytest.raises(WorldGaugeError, match="is another run"):
        score(other, tmp_path / "run")
    run = score(videos, tmp_path / "run")
    assert values(run) == whole
    assert run.file.invocations[-1].counters == {}, "nothing was computed again"


def test_trust_07_a_shard_is_merged_once(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    for i in (1, 2):
        score(videos, tmp_path / f"s{i}", shard=(i, 2))
    twice = helpers.worldgauge("merge", tmp_path / "s1", tmp_path / "s1", "-o", tmp_path / "m", check=False)
    assert twice.returncode == 2
    assert "both measured case 'case-00'; name each shard once" in twice.stderr
    helpers.worldgauge("merge", tmp_path / "s1", tmp_path / "s2", "-o", tmp_path / "m")
    merged = Run(tmp_path / "m")
    assert values(merged) == values(score(videos, tmp_path / "whole"))
    assert all(source.video is not None for source in merged.sources().values())


PLUGIN = '''
"""A plug-in."""
from worldgauge import Measurement, metric
import trust_helper

@metric(unit="", higher_is_better=True, bounds=(0, 1))
def trust_number(case):
    """A number."""
    return Measurement(0.25 + trust_helper.MORE)
'''


def test_trust_08_an_edited_plugin_is_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    plugin, helper = tmp_path / "plugin.py", tmp_path / "trust_helper.py"
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)

    def number(text: str, more: str) -> tuple[float | None, dict[str, float]]:
        plugin.write_text(text)
        helper.write_text(more)
        run = score(videos, tmp_path / "run", metrics="trust_number", includes=[plugin])
        return values(run)["trust_number", "case-00"], run.file.invocations[-1].counters

    assert number(PLUGIN, "MORE = 0")[0] == 0.25
    assert number(PLUGIN.replace("A number", "Some number") + "# more\n", "MORE = 0  # none")[1] == {}
    assert number(PLUGIN.replace("0.25", "0.5"), "MORE = 0")[0] == 0.5
    assert number(PLUGIN.replace("0.25", "0.5"), "MORE = 0.125")[0] == 0.625
    assert number(PLUGIN, "MORE = 0")[1] == {}, "the first records agree again"


SIGNAL = """
import numpy as np
from worldgauge import Measurement, metric, signal

@signal(version=1, reads=("video",), name="trust_level")
def level(clip):
    return {"level": np.full(2, 0.25)}

@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[level()])
def trust_level_mean(case, found):
    return Measurement.from_curve(found["level"])
"""


def test_trust_08_an_edited_signal_is_not_taken_from_the_store(tmp_path: Path) -> None:
    plugin = tmp_path / "signals.py"
    videos = helpers.make_videos(tmp_path / "videos", cases=1, frames=3)
    for number in ("0.25", "0.75"):
        plugin.write_text(SIGNAL.replace("0.25", number))
        run = score(videos, tmp_path / "run", metrics="trust_level_mean", includes=[plugin])
        assert values(run)["trust_level_mean", "case-00"] == float(number)
