"""Every bad input: the right status or one clear line, the right exit code, and nothing already computed is lost."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import helpers
from worldgauge.media.encoder import write_video


def refused(*arguments: object, **keywords: object) -> str:
    """The one line of a command that could not do its work."""
    done = helpers.worldgauge(*arguments, check=False, **keywords)  # type: ignore[arg-type]
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def statuses(folder: str | Path, case: str) -> dict[str, tuple[str, str]]:
    shown = helpers.run_json("show", f"{folder}/{case}")
    return {r["metric"]: (r["status"], r.get("reason", "")) for r in shown}  # type: ignore[index]


def test_unknown_path() -> None:
    assert "nowhere does not exist; name a video, a folder of videos or a submission.json" in refused("run", "nowhere")


def test_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "empty holds no video; expected mp4" in refused("run", tmp_path / "empty")


def test_zero_matching_cases(videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "holiday.mkv").write_bytes((videos / "case-00.mkv").read_bytes())
    line = refused("run", tmp_path / "other", "-b", cases)
    assert (
        "none of the 3 cases has a video: expected names like 'case-00', 'case-01', 'case-02', found 'holiday'" in line
    )


def test_truncated_one_frame_and_text(videos: Path) -> None:
    write_video(videos / "case-00.mp4", helpers.moving_texture(20), fps=10)
    (videos / "case-00.mkv").unlink()
    data = (videos / "case-00.mp4").read_bytes()
    (videos / "case-00.mp4").write_bytes(data[: len(data) // 2])
    write_video(videos / "case-01.mkv", helpers.moving_texture(1), fps=10)
    (videos / "extra.mp4").write_text("not a video")
    done = helpers.worldgauge("run", videos, "-m", "flow_magnitude,psnr", "-o", "out", "-w", 1)
    assert "2/4" not in done.stderr
    assert statuses("out", "case-00")["flow_magnitude"] == (
        "invalid",
        "case-00.mp4 cannot be decoded (Invalid data found when processing input)",
    )
    assert statuses("out", "case-01")["psnr"] == ("invalid", "the clip has 1 frame, at least 2 are needed")
    assert statuses("out", "extra")["flow_magnitude"][0] == "invalid"
    assert statuses("out", "extra")["psnr"] == ("skipped", "needs a reference video, the case has none")
    assert statuses("out", "case-02")["psnr"][0] == "ok"


def test_odd_sizes_are_scored(tmp_path: Path) -> None:
    for name, size in {"a": (63, 47), "b": (33, 64), "c": (35, 31)}.items():
        (tmp_path / "v" / "reference").mkdir(parents=True, exist_ok=True)
        write_video(tmp_path / "v" / f"{name}.mp4", helpers.moving_texture(4, *size), fps=10)
        write_video(tmp_path / "v" / "reference" / f"{name}.mkv", helpers.moving_texture(4, *size), fps=10)
    found = helpers.run_json("run", tmp_path / "v", "-m", "psnr,ssim,flow_magnitude", "-w", 1)
    for metric in found["metrics"].values():
        assert metric["statuses"] == {"ok": 3}


def test_non_finite_poses(videos: Path) -> None:
    poses = np.tile(np.eye(4), (6, 1, 1))
    poses[2, 1, 1] = np.inf
    (videos / "cameras").mkdir()
    np.save(videos / "cameras" / "case-00.npy", poses)
    done = helpers.worldgauge("validate", videos, check=False)
    assert done.returncode == 1
    assert "case-00.npy: camera pose 2 is not finite" in done.stdout


def test_duplicate_case_ids(videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    file = cases / "cases.jsonl"
    file.write_text(file.read_text() * 2)
    assert "line 4: case id 'case-00' stands there twice; ids must be unique" in refused("run", videos, "-b", cases)


def test_unreadable_submission(tmp_path: Path) -> None:
    (tmp_path / "submission.json").write_text('{"model": ')
    assert "submission.json is not valid JSON (line 1" in refused("run", tmp_path / "submission.json")


@pytest.mark.parametrize("verb", ["run", "plan", "score"])
def test_unknown_metric(videos: Path, verb: str) -> None:
    assert "unknown metric 'pnsr'; did you mean psnr" in refused(verb, videos, "-m", "pnsr")


def test_unknown_names_elsewhere(videos: Path) -> None:
    assert "unknown case 'case-0'; did you mean case-0" in refused("run", videos, "--case", "case-0")
    assert "unknown instrument set 'pockett'; did you mean pocket" in refused("run", videos, "--instruments", "pockett")
    assert "unknown instrument 'diss'; did you mean dis" in refused("run", videos, "--use", "flow=diss")
    assert "'dis' is for the seat 'flow', not 'depth'" in refused("run", videos, "--use", "depth=dis")
    assert "benchmark 'videos' has no protocol 'papers'; use plain" in refused("run", videos, "--protocol", "papers")
    assert "unknown name 'ssimm'; did you mean ssim" in refused("show", "ssimm")
    assert "is not a run: it has no run.json" in refused("report", videos)


def test_unwritable_output(videos: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "cannot write to" in refused("run", videos, "-o", tmp_path / "file" / "out", "-w", 1)
    if os.geteuid() != 0:
        (tmp_path / "locked").mkdir(mode=0o500)
        assert "Permission denied" in refused("run", videos, "-o", tmp_path / "locked", "-w", 1)


def test_full_disk_keeps_what_is_written(videos: Path, tmp_path: Path) -> None:
    """A limit on file size stands in for a full disk: the write itself fails, as it does on one."""
    script = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3500, 3500))\n"
        "sys.argv = ['worldgauge', *sys.argv[1:]]\n"
        "runpy.run_module('worldgauge', run_name='__main__')\n"
    )
    flags = [videos, "-m", "psnr,ssim,flow_magnitude,warp_error,flow_consistency", "-o", "out", "-w", "1"]
    done = subprocess.run(
        [sys.executable, "-c", script, "run", *map(str, flags)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert os.strerror(errno.EFBIG) in done.stderr
    assert done.stderr.count("\n") == 1
    before = helpers.records(Path("out"))
    helpers.worldgauge("run", *flags)
    after = helpers.records(Path("out"))
    assert len(after) == 15
    assert all(record in after for record in before)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_reference_that_is_gone_is_the_data_sets_error(videos: Path, tmp_path: Path) -> None:
    cases = helpers.make_cases(tmp_path / "cases", videos)
    (videos / "reference" / "case-01.mkv").unlink()
    done = helpers.worldgauge("run", videos, "-b", cases, "-m", "psnr", "-o", "out", "-w", 1, check=False)
    assert done.returncode == 1
    status, reason = statuses("out", "case-01")["psnr"]
    assert status == "error"
    assert "does not exist; restore the data set" in reason
    assert statuses("out", "case-00")["psnr"][0] == "ok"


def test_nothing_scored_is_counted_and_not_success(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "a.mp4").write_text("no")
    flags = ["run", tmp_path / "v", "-m", "flow_magnitude", "-w", 1]
    done = helpers.worldgauge(*flags, check=False)
    assert "records: 0 scored, 1 invalid\nwhy: 'worldgauge show " in done.stdout
    assert " --status invalid'" in done.stdout and done.returncode == 1
    assert "flow_magnitude has no value in any case (1 invalid: a.mp4 " in done.stderr
    assert helpers.worldgauge(*flags, "--strict", check=False).returncode == 1


def test_damaged_config(videos: Path) -> None:
    Path("worldgauge.toml").write_text("[run\n")
    assert "worldgauge.toml cannot be read" in refused("run", videos)


def test_flags_beat_the_file_and_the_file_beats_the_default(videos: Path) -> None:
    Path("worldgauge.toml").write_text('[plan]\nmetrics = "ssim"\n')
    assert list(helpers.run_json("plan", videos)["metrics"]) == ["ssim"]
    assert list(helpers.run_json("plan", videos, "-m", "psnr")["metrics"]) == ["psnr"]
    done = helpers.worldgauge("plan", videos, "--json", env={"WORLDGAUGE_METRICS": "warp_error"})
    assert list(json.loads(done.stdout)["metrics"]) == ["warp_error"]
