"""Submissions and case files: what is read, and the one line for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import helpers
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case
from worldgauge.core.case_file import read_cases, write_cases
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video


def test_folder_names_are_case_ids(tmp_path: Path) -> None:
    clip = helpers.make_videos(tmp_path / "v", cases=1) / "case-00.mkv"
    (tmp_path / "s" / "street").mkdir(parents=True)
    for name in ("a.mkv", "street/b.mkv", ".hidden.mkv"):
        (tmp_path / "s" / name).write_bytes(clip.read_bytes())
    submission = Submission.from_folder(tmp_path / "s")
    assert sorted(submission.videos) == ["a", "street/b"]
    assert submission.model.name == "s"


def test_round_trip_with_rates(tmp_path: Path) -> None:
    (tmp_path / "clip").mkdir()
    Submission(ModelCard(name="m"), {"a": Video(tmp_path / "clip", fps=8)}).write(tmp_path / "submission.json")
    again = Submission.read(tmp_path)
    assert again.videos["a"].stated_fps == 8
    assert again.video("a") is not None


def test_named_but_absent_is_missing_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "submission.json").write_text('{"model": {"name": "m"}, "videos": {"a": "nowhere.mp4"}}')
    assert Submission.read(tmp_path).video("a") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"submission\.json is not valid JSON \(line 1"),
        ("[]", "Input should be a valid dictionary|valid dictionary"),
        ('{"videos": {}}', "model: Field required"),
        ('{"model": {"name": ""}, "videos": {}}', "model.name: String should have at least 1 character"),
        ('{"model": {"name": "m"}, "videos": {"a": {"path": "x", "fps": -1}}}', "fps"),
        ('{"model": {"name": "m"}, "videos": {"a": "x", "a": "y"}}', "names 'a' twice; keep one of the entries"),
        ('{"schema": 9, "model": {"name": "m"}, "videos": {}}', "schema: Input should be 1"),
    ],
)
def test_unreadable_submission(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "submission.json").write_text(content)
    with pytest.raises(WorldGaugeError, match=message):
        Submission.read(tmp_path)


def test_binary_submission(tmp_path: Path) -> None:
    (tmp_path / "submission.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WorldGaugeError, match="not UTF-8"):
        Submission.read(tmp_path)


def test_two_files_for_one_case(tmp_path: Path) -> None:
    for name in ("a.mp4", "a.webm"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(WorldGaugeError, match=r"two videos for case 'a': a\.mp4 and a\.webm"):
        Submission.from_folder(tmp_path)


def test_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(WorldGaugeError, match="holds no video; expected mp4, webm"):
        Submission.from_folder(tmp_path)


def test_cases_round_trip(tmp_path: Path) -> None:
    case = Case.model_validate(
        {"id": "a", "condition": {"prompt": "x"}, "reference": {"phases": {"gone": 2, "back": 4}}}
    )
    write_cases(tmp_path / "cases.jsonl", [case])
    (again,) = read_cases(tmp_path)
    assert again == case.at(tmp_path)
    assert again.path("b.mp4") == tmp_path / "b.mp4"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"id": "a"}', '{"id": "a"}'], "line 2: case id 'a' stands there twice"),
        (['{"id": "a"}', "{oops"], "line 2 is not valid JSON"),
        (['{"id": "a", "colour": 1}'], "line 1: colour: Extra inputs are not permitted"),
        (['{"id": "a", "reference": {"phases": {"gone": 5, "back": 2}}}'], "back \\(2\\) lies before gone \\(5\\)"),
        ([], "holds no case"),
    ],
)
def test_bad_case_files(tmp_path: Path, lines: list[str], message: str) -> None:
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    with pytest.raises(WorldGaugeError, match=message):
        read_cases(tmp_path)


def test_camera_round_trip(tmp_path: Path) -> None:
    path = CameraPath(np.tile(np.eye(4), (3, 1, 1)), np.eye(3), (64, 48))
    path.save(tmp_path / "c.npz")
    again = CameraPath.load(tmp_path / "c.npz")
    assert again.size == (64, 48)
    assert again.intrinsics is not None
    assert again.intrinsics.shape == (3, 3, 3)


def test_cameras_that_are_not_data(tmp_path: Path) -> None:
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[1, 0, 3] = np.nan
    np.save(tmp_path / "nan.npy", poses)
    np.save(tmp_path / "flat.npy", np.zeros(7))
    np.savez(tmp_path / "other.npz", extrinsics=poses)
    (tmp_path / "text.npy").write_text("no")
    for name, message in [
        ("nan.npy", "camera pose 1 is not finite"),
        ("flat.npy", r"shape \(N, 4, 4\), got \(7,\)"),
        ("other.npz", "no array named 'poses' \\(it has extrinsics\\)"),
        ("text.npy", "not a readable npz or npy"),
    ]:
        with pytest.raises(WorldGaugeError, match=message):
            CameraPath.load(tmp_path / name)


def test_json_of_a_case_holds_only_what_is_set() -> None:
    assert json.loads(json.dumps(Case(id="a").to_json())) == {"id": "a", "schema": 1}


def test_a_written_submission_is_readable_and_reads_back(tmp_path: Path) -> None:
    (tmp_path / "été.mp4").touch()
    Submission(
        ModelCard(name="modèle"), {"b": Video(tmp_path / "x.mp4"), "a": Video(tmp_path / "été.mp4", 12.0)}
    ).write(tmp_path / "submission.json")
    text = (tmp_path / "submission.json").read_text("utf-8")
    assert "modèle" in text
    assert text.endswith("}\n")
    again = Submission.read(tmp_path)
    assert (again.model.name, list(again.videos)) == ("modèle", ["a", "b"])
    assert again.videos["a"].stated_fps == 12.0
    assert again.video("a") is not None
    assert again.video("b") is again.video("c") is None


def test_a_card_without_videos_takes_those_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "street").mkdir()
    for name in ("a.mp4", "street/b.mkv"):
        (tmp_path / name).write_bytes(b"x")
    card = ModelCard.model_validate({"name": "mine", "type": "3D"})
    Submission.write_card(tmp_path, card)
    for place in (tmp_path, tmp_path / "submission.json"):
        found = Submission.read(place)
        assert sorted(found.videos) == ["a", "street/b"] and found.model == card and found.read_from == place
    searched = Submission.read(tmp_path, lambda folder: Submission(ModelCard(name="x"), {"c": Video(folder / "a.mp4")}))
    assert list(searched.videos) == ["c"] and searched.model == card
    (tmp_path / "submission.json").write_text('{"model": {"name": "m"}, "videos": {}}')
    assert Submission.read(tmp_path).videos == {}, "none is something else than not named"
    with pytest.raises(WorldGaugeError, match="is there already and differs"):
        Submission.write_card(tmp_path, card)
