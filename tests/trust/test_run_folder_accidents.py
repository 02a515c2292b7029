"""What random sequences and a second reading found out about run folders, one by one."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import helpers
from worldgauge.api.building import build_job
from worldgauge.cli.merge import merge
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition
from worldgauge.core.code_digest import code_of
from worldgauge.core.contents import Contents
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import include
from worldgauge.core.metric import METRICS
from worldgauge.core.record_lines import RecordLines
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import copy_sources, read_sources, write_sources
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.engine import contents as establishing
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.engine.writing import OWNER_FILE, writing
from worldgauge.media.encoder import write_video


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Two tiny clips with references."""
    return helpers.make_videos(tmp_path / "clips", cases=2, frames=3)


def score(videos: Any, out: Path, **flags: Any) -> Run:
    job = build_job(videos, out=out, store=out.parent / "store", **{"metrics": "psnr,frame_similarity"} | flags)
    execute(job, make_plan(job))
    return Run(out)


def counted(run: Run) -> set[tuple[str, str]]:
    return {(record["metric"], record["case"]) for record in run.records()}


def test_a_part_run_again_over_damaged_contents_keeps_the_rest(tmp_path: Path, clips: Path) -> None:
    everything = counted(score(clips, tmp_path / "out"))
    for damage in (lambda file: file.write_bytes(b"{"), Path.unlink):
        damage(tmp_path / "out" / "contents.jsonl")
        assert counted(score(clips, tmp_path / "out", cases="case-00")) == everything


def test_a_run_planned_before_another_ended_keeps_its_columns(tmp_path: Path, clips: Path) -> None:
    out = tmp_path / "out"
    score(clips, out, metrics="frame_similarity", cases="case-00")
    job = build_job(clips, out=out, store=tmp_path / "store", metrics="frame_similarity", cases="case-00")
    plan = make_plan(job)
    score(clips, out, metrics="psnr")
    execute(job, plan)
    assert counted(Run(out)) == {
        ("frame_similarity", "case-00"), ("psnr", "case-00"), ("psnr", "case-01")
    }  # fmt: skip


def test_a_check_that_waited_for_a_run_sees_what_it_left(
    tmp_path: Path, clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    score(clips, out, cases="case-00")

    @contextmanager
    def after_another(folder: Path) -> Iterator[None]:
        score(clips, out)
        with writing(folder):
            yield

    monkeypatch.setattr(establishing, "writing", after_another)
    establishing.check_again(out)
    assert len(counted(Run(out))) == 4


@pytest.mark.parametrize(
    ("key", "value"),
    [("take", []), ("invocation", "x"), ("weight", "1"), ("raw", {}), ("video", 7), ("tags", []), ("curve", 3)],
)
def test_a_field_of_the_wrong_kind_is_damage(tmp_path: Path, clips: Path, key: str, value: object) -> None:
    run = score(clips, tmp_path / "out")
    everything = run.records()
    file = tmp_path / "out" / "records-0.jsonl"
    first, *rest = file.read_text().splitlines(keepends=True)
    file.write_text(json.dumps(json.loads(first) | {key: value}) + "\n" + "".join(rest))
    assert len(run.records()) == len(everything) - 1
    assert f"line 1: {key} cannot be" in run.left_out.damaged[0]
    run.columns(), run.to_pandas()
    assert len(score(clips, tmp_path / "out").records()) == len(everything)


@pytest.mark.parametrize("number", ["1e999", "9" * 400, "-" + "9" * 400, "true"])
def test_a_value_that_is_no_number_is_damage(tmp_path: Path, number: str) -> None:
    texts = ", ".join(f'"{key}": "x"' for key in ("case", "metric", "fingerprint", "inputs", "cluster"))
    (tmp_path / "records-0.jsonl").write_text(f'{{{texts}, "status": "ok", "value": {number}}}\n')
    lines = RecordLines(tmp_path)
    assert list(lines) == []
    assert len(lines.damaged) == 1


def test_a_camera_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    import numpy as np

    case = Case(id="a", condition=Condition(camera="camera.npz")).at(tmp_path)
    for reach in (1.0, 2.0):
        poses = np.tile(np.eye(4), (2, 1, 1))
        poses[1, 0, 3] = reach
        CameraPath(poses).save(tmp_path / "camera.npz")
        assert case.camera().translation.max() == reach
    (tmp_path / "camera.npz").unlink()
    with pytest.raises(WorldGaugeError, match="does not exist"):
        case.camera()


def test_a_helper_edited_within_a_second_is_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    helper, plugin = tmp_path / "quick_helper.py", tmp_path / "quick_plugin.py"
    plugin.write_text(
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom quick_helper import number\n"
        "sys.path.pop(0)\nfrom worldgauge import Measurement, metric\n"
        "@metric(unit='', higher_is_better=None, bounds=(0, 9))\n"
        "def quick_metric(case):\n    return Measurement(number)\n"
    )
    for number in (1, 2, 3):
        helper.write_text(f"number = {number}\n")
        os.utime(helper, (1e9, 1e9))
        include(plugin)
        assert METRICS.get("quick_metric").function(None).value == number


def test_a_plugin_that_reads_the_case_without_saying_so_is_computed_again(tmp_path: Path, clips: Path) -> None:
    plugin = tmp_path / "reader_plugin.py"
    plugin.write_text(
        "from worldgauge import Measurement, metric\n"
        "@metric(unit='', higher_is_better=None, bounds=(0, 99))\n"
        "def reader_metric(case):\n    return Measurement(len(case.condition.prompt))\n"
    )
    for prompt in ("short", "a longer one"):
        (clips / "prompts.json").write_text(json.dumps({"case-00": prompt}))
        run = score(clips, tmp_path / "out", metrics="reader_metric", includes=[plugin])
        assert [record["value"] for record in run.records()] == [len(prompt), 0]


def test_a_file_that_cannot_be_read_hides_no_other_change_of_the_case(tmp_path: Path) -> None:
    from worldgauge.engine.inputs import CaseInputs

    cases = [Case(id="a", condition=Condition(camera="gone.npz", prompt=prompt)).at(tmp_path) for prompt in "xy"]
    first, second = (CaseInputs(case, None).part_digests(["case"]) for case in cases)
    assert first != second


def test_of_two_included_files_with_one_name_each_has_its_own_code(tmp_path: Path) -> None:
    files = [tmp_path / place / "namesake.py" for place in ("one", "two")]
    for number, file in enumerate(files):
        file.parent.mkdir()
        file.write_text(
            "from worldgauge import Measurement, metric\n"
            f"@metric(unit='', higher_is_better=None, bounds=(0, 9))\ndef namesake_{number}(case):\n"
            f"    return Measurement({number})\n"
        )
    include(files[0])
    alone = code_of(METRICS.get("namesake_0").function)
    include(files[1])
    assert alone == code_of(METRICS.get("namesake_0").function) != code_of(METRICS.get("namesake_1").function)
    with pytest.raises(WorldGaugeError, match="one name"):
        build_job(tmp_path, includes=files)


def test_a_folder_without_its_contents_is_not_counted_blindly(tmp_path: Path, clips: Path) -> None:
    score(clips, tmp_path / "out")
    (tmp_path / "out" / "contents.jsonl").unlink()
    with pytest.raises(WorldGaugeError, match="lost its contents"):
        Run(tmp_path / "out").columns()
    assert len(score(clips, tmp_path / "out").records()) == 4


@pytest.mark.parametrize("parts", ['{"video": 7}', "[]", '"x"', "null", '{"video": null}'])
def test_contents_that_are_no_digests_are_damaged(tmp_path: Path, clips: Path, parts: str) -> None:
    score(clips, tmp_path / "out")
    with (tmp_path / "out" / "contents.jsonl").open("a") as stream:
        stream.write(f'{{"case": "case-00", "parts": {parts}}}\n')
    with pytest.raises(WorldGaugeError, match="is damaged"):
        Contents.read(tmp_path / "out")


@pytest.mark.parametrize("since", ["NaN", "Infinity", "9" * 400, "[]", "-1"])
def test_the_note_of_who_writes_may_hold_anything(tmp_path: Path, since: str) -> None:
    (tmp_path / OWNER_FILE).write_text(f'{{"host": "elsewhere", "since": {since}}}')
    with pytest.raises(WorldGaugeError, match="locked on another machine"), writing(tmp_path):
        pass
    with writing(tmp_path, break_lock=True):
        pass


def test_shards_of_unlike_videos_are_not_merged(tmp_path: Path, clips: Path) -> None:
    score(clips, tmp_path / "all")
    shutil.copytree(tmp_path / "all", tmp_path / "one")
    other = helpers.moving_texture(frames=3, seed=9)
    write_video(clips / "case-01.mkv", other, fps=12)
    # The first folder has seen the new video, its record of the old one does not count any more.
    score(clips, tmp_path / "one", cases="case-00")
    job = build_job(clips, out=tmp_path / "two", store=tmp_path / "store", metrics="psnr", shard=(2, 2))
    execute(job, make_plan(job))
    write_video(clips / "case-01.mkv", helpers.moving_texture(frames=3, seed=10), fps=12)
    establishing.check_again(tmp_path / "one")
    both = r"'case-01' changed between the runs: .* has video \w+, the ones before it video \w+"
    with pytest.raises(WorldGaugeError, match=both):
        merge([tmp_path / "one", tmp_path / "two"], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_takes_keep_their_numbers_where_one_is_not_there(tmp_path: Path, clips: Path) -> None:
    case = Case(id="a").at(tmp_path)
    gone, there = Video(tmp_path / "gone.mkv"), Video(clips / "case-00.mkv")
    for folder in (tmp_path / "first", tmp_path / "second"):
        folder.mkdir()
    write_sources(tmp_path / "first", [case], Submission(ModelCard(name="m"), {"a": gone}, {"a": [there]}))
    copy_sources(tmp_path / "first", tmp_path / "second")
    takes = read_sources(tmp_path / "second")["a"].takes
    assert takes[0] is None
    assert takes[1] is not None and takes[1].path.resolve() == (clips / "case-00.mkv").resolve()


def test_a_video_replaced_after_the_plan_is_not_recorded_as_the_old_one(tmp_path: Path, clips: Path) -> None:
    """Else the old one, once it is back, would have the other's score."""
    expected = {(r["metric"], r["case"]): r["value"] for r in score(clips, tmp_path / "expected").records()}
    old = (clips / "case-00.mkv").read_bytes()
    job = build_job(clips, out=tmp_path / "out", store=tmp_path / "other", metrics="psnr,frame_similarity")
    plan = make_plan(job)
    shutil.copyfile(clips / "case-01.mkv", clips / "case-00.mkv")
    execute(job, plan)
    (clips / "case-00.mkv").write_bytes(old)
    again = score(clips, tmp_path / "out")
    assert {(r["metric"], r["case"]): r["value"] for r in again.records()} == expected
