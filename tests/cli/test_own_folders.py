"""`run .` in a folder where the package has worked: its own folders are no videos of the user's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import helpers
import worldgauge as wg
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import Submission

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def worked_in(command: Command, tmp_path: Path) -> Path:
    """Two clips of the user's, and what runs with a store of their own and two pages have left next to them."""
    home = tmp_path / "home"
    helpers.make_videos(home / "clips", cases=2, frames=4)
    shutil.rmtree(home / "clips" / "reference")
    flags = ("-m", "flow_magnitude", "-w", 1, "--store", home / "kept" / "store")
    for name in ("one", "two"):
        assert command("run", home / "clips", *flags, "-o", home / "runs" / name)[0] == 0
    runs = (home / "runs" / "one", home / "runs" / "two")
    assert (
        command("report", runs[0], "--format", "html", "-o", home / "page", "--store", home / "kept" / "store")[0] == 0
    )
    assert command("compare", *runs, "--html", home / "deep" / "compared")[0] == 0
    # A page within a run folder, and a clip that somebody put there.
    shutil.copytree(home / "page", home / "runs" / "one" / "report")
    shutil.copy(home / "clips" / "case-00.mkv", home / "runs" / "two" / "stray.mkv")
    return home


def test_run_here_takes_only_the_user_s_own_videos(
    command: Command, worked_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list((worked_in / "page" / "media").glob("*.mp4")), "there is something to be mistaken for a video"
    hidden = worked_in / "clips" / ".thumbnails"
    hidden.mkdir()
    shutil.copy(worked_in / "clips" / "case-00.mkv", hidden / "small.mkv")
    monkeypatch.chdir(worked_in)
    code, out, _ = command("run", ".", "-m", "flow_magnitude", "-w", 1)
    assert code == 0 and "cases      2, 2 with a video" in out and "records: 2 scored" in out
    told = " ".join(out.split())
    assert "left out" in told and "2 reports (deep/compared, page)" in told
    assert "2 run folders (runs/one, runs/two)" in told and "1 store (kept/store)" in told
    assert "1 hidden folder (clips/.thumbnails)" in told
    # The run that this made is no input of the next one.
    plan = json.loads(command("plan", ".", "-m", "flow_magnitude", "--json")[1])
    assert (plan["cases"], plan["records_done"]) == (2, 2)
    assert plan["left_out"]["runs/one"] == "run folder" and "runs/videos/home" in plan["left_out"]
    code, out, _ = command("validate", ".")
    assert code == 0 and "2 of 2 cases have a readable video" in out and "left out 1 hidden folder" in out
    assert list(wg.evaluate(".", metrics="flow_magnitude").cases) == ["clips/case-00", "clips/case-01"]


def test_a_folder_that_is_named_is_searched_whatever_it_is(command: Command, worked_in: Path) -> None:
    assert list(Submission.from_folder(worked_in / "page" / "media").videos)
    assert list(Submission.from_folder(worked_in / "runs" / "two").videos) == ["stray"]
    # A run folder that is also where the videos are.
    flags = ("run", worked_in / "clips", "-m", "flow_magnitude", "-w", 1, "-o", worked_in / "clips")
    assert command(*flags)[0] == 0
    code, out, _ = command(*flags)
    assert code == 0 and "records: 2 scored" in out
    with pytest.raises(WorldGaugeError, match=r"holds no video outside of 2 run folders \(one, two\)"):
        Submission.from_folder(worked_in / "runs")


def test_folders_of_other_programs_are_searched(tmp_path: Path) -> None:
    """A run.json, an index.html or a data folder alone does not make a folder ours."""
    clips = helpers.make_videos(tmp_path / "clips", cases=1, frames=3)
    for name in ("training", "site", "numbers", "ab"):
        (tmp_path / "home" / name / "data").mkdir(parents=True)
        shutil.copy(clips / "case-00.mkv", tmp_path / "home" / name / "clip.mkv")
    home = tmp_path / "home"
    (home / "training" / "run.json").write_text('{"schema": 1, "learning_rate": 0.1}')
    (home / "numbers" / "run.json").write_text("[" * 100_000)
    (home / "site" / "index.html").write_text("<p>Mine.</p>")
    (home / "site" / "data" / "index.js").write_text("let mine = 1;")
    found = Submission.from_folder(home)
    assert list(found.videos) == ["ab/clip", "numbers/clip", "site/clip", "training/clip"] and found.left_out == {}


def test_cases_and_other_submissions_stand_for_themselves(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "home" / "mine", cases=1, frames=3)
    helpers.make_cases(tmp_path / "home" / "truth", videos)
    (tmp_path / "home" / "truth" / "first.png").write_bytes(b"a picture, no frame folder")
    (tmp_path / "home" / "rival").mkdir()
    shutil.copy(videos / "case-00.mkv", tmp_path / "home" / "rival" / "a.mkv")
    (tmp_path / "home" / "rival" / "submission.json").write_text("{}")
    found = Submission.from_folder(tmp_path / "home")
    assert list(found.videos) == ["mine/case-00", "mine/reference/case-00"]
    assert found.left_out == {"rival": "submission", "truth": "case folder"}
