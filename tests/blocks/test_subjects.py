"""Subjects as submissions on disk: complete, deterministic, resumable, and clear about bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from worldgauge.blocks import Block
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.subjects import Subject, clip_path, make_subjects, quantities, reference_frames
from worldgauge.blocks.write import make_cases
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import Submission
from worldgauge.core.video import Video

BLOCK = Block(1, "room", "away_left", "rolling", (96, 54), 17, 8.0)


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_cases(tmp_path_factory.mktemp("cases"), [BLOCK])[0]


def _frames(path: Path) -> np.ndarray:
    return np.stack(list(Video(path).frames()))


def test_a_subject_is_a_submission_like_any_other(case: Case, tmp_path: Path) -> None:
    folders = make_subjects([case], [Subject(), Subject("vanish", 1.0)], tmp_path)
    assert list(folders) == ["oracle", "vanish-1"]
    submission = Submission.read(folders["vanish-1"])
    video = submission.video(case.id)
    assert video is not None
    assert (video.info.frames, video.info.width, video.info.height, video.info.fps) == (17, 96, 54, 8.0)
    card = submission.model.model_dump()
    assert (card["fault"], card["severity"]) == ("vanish", 1.0)
    assert "baseline" not in card
    assert Submission.read(folders["oracle"]).model.model_dump()["baseline"] == "oracle"
    assert quantities(folders["vanish-1"]) == {case.id: 1.0}
    assert quantities(folders["oracle"]) == {}


def test_the_oracle_and_severity_zero_show_the_reference(case: Case, tmp_path: Path) -> None:
    folders = make_subjects([case], [Subject(), Subject("teleport", 0.0), Subject("blur", 0.0)], tmp_path)
    truth = reference_frames(case)
    assert clip_path(folders["oracle"], case).read_bytes() == case.path(case.reference.video or "").read_bytes()
    for name in ("teleport-0", "blur-0"):
        np.testing.assert_array_equal(_frames(clip_path(folders[name], case)), truth)


def test_the_same_subject_has_the_same_bytes(case: Case, tmp_path: Path) -> None:
    files = [
        clip_path(make_subjects([case], [Subject("flicker", 0.5)], tmp_path / name, workers)["flicker-0.5"], case)
        for name, workers in (("a", 1), ("b", 2))
    ]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_interrupted_work_goes_on_where_it_stopped(case: Case, tmp_path: Path) -> None:
    subjects = [Subject("blur", 1.0), Subject("noise", 1.0)]
    folders = make_subjects([case], subjects, tmp_path)
    kept, lost = (clip_path(folders[s.name], case) for s in subjects)
    before, stamp = lost.read_bytes(), kept.stat().st_mtime_ns
    lost.unlink()
    (folders["noise-1"] / "submission.json").unlink()
    seen: list[str] = []
    make_subjects([case], subjects, tmp_path, on_clip=seen.append)
    assert kept.stat().st_mtime_ns == stamp
    assert lost.read_bytes() == before
    assert len(seen) == 2


def test_clips_of_another_truth_or_an_older_fault_are_made_again(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = clip_path(make_subjects([case], [Subject("blur", 1.0)], tmp_path)["blur-1"], case)
    stamp = path.stat().st_mtime_ns
    make_subjects([case], [Subject("blur", 1.0)], tmp_path)
    assert path.stat().st_mtime_ns == stamp
    monkeypatch.setattr(FAULTS["blur"], "version", 2)
    make_subjects([case], [Subject("blur", 1.0)], tmp_path)
    assert path.stat().st_mtime_ns != stamp
    stamp = path.stat().st_mtime_ns
    note = path.with_suffix(".json")
    note.write_text(note.read_text().replace('"truth": "', '"truth": "0'))
    make_subjects([case], [Subject("blur", 1.0)], tmp_path)
    assert path.stat().st_mtime_ns != stamp


def test_a_wrong_fault_is_answered_with_the_nearest() -> None:
    with pytest.raises(WorldGaugeError, match="did you mean vanish"):
        Subject("vanishh", 1.0)


@pytest.mark.parametrize("severity", [-0.1, 1.5, float("nan")])
def test_a_severity_lies_between_0_and_1(severity: float) -> None:
    with pytest.raises(WorldGaugeError, match="not between 0 and 1"):
        Subject("vanish", severity)


def test_a_case_that_is_no_gauge_block_is_refused(case: Case, tmp_path: Path) -> None:
    foreign = case.model_copy(update={"tags": {}})
    with pytest.raises(WorldGaugeError, match="not a gauge block"):
        make_subjects([foreign], [Subject("vanish", 1.0)], tmp_path)


def test_an_unwritable_folder_is_one_line(case: Case, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorldGaugeError, match="cannot write"):
        make_subjects([case], [Subject()], tmp_path / "file")


def test_command_line(case: Case, tmp_path: Path) -> None:
    common = ("blocks", "subjects", str(case.path("")), "--out", str(tmp_path))
    done = _worldgauge(*common, "--fault", "oracle", "--fault", "vanish")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "vanish-1" / "submission.json").read_text())["model"]["severity"] == 1.0
    wrong = _worldgauge(*common, "--fault", "tleport")
    assert wrong.returncode == 2
    assert "did you mean teleport" in wrong.stderr


def test_no_renderer_is_one_line_that_says_what_to_install(case: Case, tmp_path: Path) -> None:
    # A GL vendor that does not exist: the library loads, no display can be opened.
    hidden = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent", "MUJOCO_GL": "egl"}
    arguments = ("blocks", "subjects", str(case.path("")), "--out", str(tmp_path), "--fault", "vanish")
    done = _worldgauge(*arguments, environment=hidden)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "libegl1" in done.stderr


def _worldgauge(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "worldgauge", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | (environment or {}), check=False)
