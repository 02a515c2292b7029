"""Looking through a submission of any size: quick, told as it goes, and flat in memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.cli import validate
from worldgauge.core.benchmark import Benchmark, BenchmarkFile
from worldgauge.core.case import Case, Condition
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.possible import possible_metrics
from worldgauge.engine.validating import validate_videos


def many(folder: Path, count: int, linked: bool = True) -> Path:
    """A submission and a benchmark of so many cases; the clips are links to one file, or files of their own."""
    clip = helpers.make_videos(folder / "clips", cases=1, frames=3) / "case-00.mkv"
    (folder / "videos").mkdir()
    names = [f"c{number:06d}" for number in range(count)]
    for name in names:
        if linked:
            os.link(clip, folder / "videos" / f"{name}.mkv")
        else:
            (folder / "videos" / f"{name}.mkv").write_bytes(clip.read_bytes())
    lines = [json.dumps({"id": name, "condition": {"prompt": name}}) for name in names]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n")
    videos = {name: f"videos/{name}.mkv" for name in names}
    (folder / "submission.json").write_text(json.dumps({"schema": 1, "model": {"name": "m"}, "videos": videos}))
    return folder


def test_what_cases_allow_is_looked_at_once_for_each_kind() -> None:
    seats = choose_seats()
    kinds = [Case(id="a"), Case(id="b", condition=Condition(prompt="a cat"))]
    of_two = possible_metrics(kinds, seats)
    began = time.process_time()
    assert possible_metrics(kinds * 10_000, seats) == of_two
    assert time.process_time() - began < 3


def test_a_file_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import av

    folder = many(tmp_path / "many", 5)
    opened: list[object] = []
    really = av.open

    def counted(*named: Any, **kinds: Any) -> Any:
        opened.append(named)
        return really(*named, **kinds)

    monkeypatch.setattr(av, "open", counted)
    clip = Video(folder / "videos" / "c000000.mkv")
    assert (clip.info.frames, clip.info.width, clip.info.fps) == (3, 64, 12.0)
    assert len(opened) == 1
    benchmark = Benchmark(BenchmarkFile(name="b"), tuple(Case(id=f"c{n:06d}") for n in range(6)))
    submission = Submission.read(folder)
    submission.videos["stray"] = clip
    steps: list[tuple[str, int, int]] = []
    found = validate_videos(benchmark, submission, progress=lambda *step: steps.append(step))
    assert (found.readable, found.missing, found.unknown) == (5, ["c000005"], ["stray"])
    assert len(opened) == 2
    assert steps[-1] == ("videos", 6, 6)
    # What is in another file, or no longer what it was, is looked at.
    (folder / "videos" / "c000001.mkv").unlink()
    (folder / "videos" / "c000001.mkv").write_text("no video")
    found = validate_videos(benchmark, submission)
    assert list(found.invalid) == ["c000001"]


def test_videos_in_memory_are_looked_at_too() -> None:
    frames = helpers.moving_texture(3)
    clips = {"a": Video.from_array(frames, layout="THWC"), "b": Video.from_array(frames[:1], layout="THWC")}
    benchmark = Benchmark(BenchmarkFile(name="b"), (Case(id="a"), Case(id="b")))
    found = validate_videos(benchmark, Submission(ModelCard(name="m"), clips), full=True)
    assert found.readable == 1
    assert "at least 2 are needed" in found.invalid["b"]


def test_progress_is_on_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from typer.testing import CliRunner

    folder = many(tmp_path / "many", 3)
    flags = [str(folder / "submission.json"), "-b", str(folder), "--json"]
    quick = CliRunner().invoke(validate.app, flags)
    assert (json.loads(quick.stdout)["readable"], quick.stderr) == (3, "")
    monkeypatch.setattr(validate, "_SILENT", 0.0)
    told = CliRunner().invoke(validate.app, flags)
    assert json.loads(told.stdout)["readable"] == 3
    assert told.stderr.splitlines() == ["videos: 1/3", "videos: 3/3"]


@pytest.mark.nightly
def test_a_hundred_thousand_cases_take_a_minute_of_processor_time(tmp_path: Path) -> None:
    folder = many(tmp_path / "many", 100_000, linked=False)
    command: list[Any] = [sys.executable, "-m", "worldgauge", "validate", folder / "submission.json", "-b", folder]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert "100000 of 100000 cases have a readable video" in done.stdout
    assert done.stderr.count("videos: ") > 1
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    assert after.ru_maxrss * 1024 < 2**30
