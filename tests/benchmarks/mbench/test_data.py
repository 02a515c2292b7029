"""The released layout of both settings, read in place."""

from __future__ import annotations

import json
import time

import pytest

from benchmarks.mbench.released_tree import CAPTIONS, action_tree, add_sample, model_rows, text_tree, write_rows
from worldgauge.benchmarks.mbench.data.anchors import bring_anchors
from worldgauge.benchmarks.mbench.data.cases import read_dataset
from worldgauge.benchmarks.mbench.data.composition import composition
from worldgauge.benchmarks.mbench.data.importer import find_videos
from worldgauge.benchmarks.mbench.data.lacks import faults_of, lacks_of
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.core.errors import WorldGaugeError

SMALL = {"environment": 2, "human": 1, "object": 2, "causal": 1}


def test_action_cases(tmp_path):
    cases = read_dataset(action_tree(tmp_path / "MBench-A", SMALL, picture=True))
    assert len(cases) == 6
    first, second = cases[:2]
    assert first.id == "environment/environment_0000/right_then_left"
    assert first.extras["item_id"] == "environment:environment_0000:right_then_left"
    assert first.extras["legs"] == [["right", 0.5], ["left", 0.5]]
    assert (first.tags["direction"], second.tags["direction"]) == ("right", "left")
    assert (first.condition.frames, first.condition.fps) == (401, 16.0)
    assert first.path(first.condition.image).is_file()


def test_text_cases(tmp_path):
    cases = read_dataset(text_tree(tmp_path, {"object": 1}, {"camera": 2, "occlusion": 1}))
    by_id = {case.id: case for case in cases}
    causal = by_id["causal/causal_0000_occlusion/text"]
    assert causal.tags == {"setting": "T", "subset": "causal", "condition": "text", "hiding": "occlusion"}
    assert (
        causal.cluster
        == by_id["causal/causal_0000_camera/text"].cluster
        != by_id["causal/causal_0001_camera/text"].cluster
    )
    assert causal.extras["captions"] == CAPTIONS
    assert by_id["object/object_0000/text"].reference.target.name == "a red pot"


@pytest.mark.nightly
def test_the_whole_release_in_five_seconds(tmp_path):
    """Both settings with their real counts, with first frames, and an anchor for every object."""
    action_tree(tmp_path / "MBench-A", picture=True)
    text_tree(tmp_path / "MBench-T")
    anchor = {"center_x": 60, "center_y": 30, "width": 128, "height": 72, "source": "me"}
    anchors = [{"sample": f"object/object_{k:04d}", **anchor} for k in range(100)]
    write_rows(tmp_path / "MBench-A" / "anchors.jsonl", anchors)
    started = time.perf_counter()
    cases = read_dataset(tmp_path)
    seconds = time.perf_counter() - started
    assert sum(case.tags["setting"] == "A" for case in cases) == 547
    assert sum(case.tags["setting"] == "T" for case in cases) == 684
    assert len({case.cluster for case in cases if case.tags["setting"] == "T"}) == 493
    assert all(cell.holds for cell in composition(cases))
    assert sum(case.reference.target is not None and case.tags["setting"] == "A" for case in cases) == 100
    assert seconds <= 5.0


def test_anchors_are_boxes_or_points(tmp_path):
    folder = action_tree(tmp_path, {"object": 1}, picture=True)
    for sample, width, height in (("boxed", 20, 10), ("point", 128, 72)):
        anchor = {"center_x": 64, "center_y": 36, "width": width, "height": height, "source": "test"}
        add_sample(folder, "object", sample, picture=True, metadata={"object_anchor": anchor})
    rows = [{"item_id": f"object:{name}:left_360_10s"} for name in ("object_0000", "boxed", "point")]
    write_rows(folder / "mapping.jsonl", rows)
    none, boxed, point = read_dataset(folder)
    assert none.reference.target is None
    assert boxed.reference.target.box == (54, 31, 74, 41)
    assert point.reference.target.box == (61.75, 33.75, 66.25, 38.25)
    assert boxed.condition.frames == 161


def test_anchors_from_a_file(tmp_path):
    folder = action_tree(tmp_path / "a", {"object": 2}, picture=True)
    line = {"sample": "object/object_0001", "center_x": 30, "center_y": 30, "width": 10, "height": 20, "source": "me"}
    write_rows(tmp_path / "mine.jsonl", [line])
    made = bring_anchors(folder, tmp_path / "mine.jsonl")
    assert (made.anchors, made.objects, made.without) == (1, 2, ("object/object_0000",))
    boxes = [case.reference.target and case.reference.target.box for case in read_dataset(folder)]
    assert boxes == [None, (25, 20, 35, 40)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"sample": "object/nobody", "center_x": 1, "center_y": 1, "source": "me"}, "no sample 'object/nobody'"),
        ({"sample": "object/object_0000", "center_x": 1, "center_y": 1}, "has no source"),
        ({"center_x": 1}, "names no sample"),
        ({"sample": "object/object_0000", "center_x": "left", "center_y": 1}, "center_x"),
    ],
)
def test_bad_anchors_are_one_line(tmp_path, line, message):
    folder = action_tree(tmp_path / "a", {"object": 1})
    write_rows(tmp_path / "mine.jsonl", [line])
    with pytest.raises(WorldGaugeError, match=message):
        bring_anchors(folder, tmp_path / "mine.jsonl")


def test_videos_by_rows_or_by_the_tree(tmp_path):
    folder = action_tree(tmp_path, {"human": 2, "causal": 1})
    cases = read_dataset(folder)
    root = model_rows(folder, "some-model", [cases[0].extras["item_id"]])
    for case in cases[:2]:
        place = root / "outputs" / case.id
        place.mkdir(parents=True)
        (place / "video.mp4").write_bytes(b"x")
    found = find_videos(root, cases)
    assert found.model.name == "some-model"
    assert sorted(found.videos) == sorted(case.id for case in cases[:2])


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("dataset.yaml", "dataset_id: other\n", "dataset_id 'other'"),
        ("mapping.jsonl", '{"item_id": "human:nobody:static"}\n', "'human:nobody:static' has no sample.json"),
        ("mapping.jsonl", '{"item_id": "human:human_0000:sideways"}\n', "condition 'sideways' is not known"),
        ("mapping.jsonl", '{"subset": "human"}\n', "is not a name"),
        ("samples/human/human_0000/sample.json", "{}", "sample_id: Field required"),
        ("samples/human/human_0000/sample.json", "[", "is not valid JSON"),
    ],
)
def test_bad_files_are_one_line(tmp_path, file, text, message):
    folder = action_tree(tmp_path, {"human": 1})
    (folder / file).write_text(text)
    with pytest.raises(WorldGaugeError) as caught:
        read_dataset(folder)
    assert message in str(caught.value)


def test_no_action_without_a_mapping(tmp_path):
    folder = action_tree(tmp_path, {"human": 1})
    (folder / "mapping.jsonl").unlink()
    with pytest.raises(WorldGaugeError, match="does not say which action"):
        read_dataset(folder)
    model_rows(folder, "m", ["human:human_0000:static_10s"])
    (case,) = read_dataset(folder)
    assert case.condition.frames == 161


def test_what_each_score_lacks(tmp_path):
    cases = read_dataset(action_tree(tmp_path, SMALL))
    lacks = {(lack.column, lack.part): lack for lack in lacks_of(read_benchmark_file("mbench"), cases, "paper")}
    texture = lacks["a_texture", "a target box or mask"]
    assert (len(texture.cases), texture.of) == (2, 2)
    # The released action samples have one caption each, which is that of the whole clip.
    assert ("a_text", "'captions'") not in lacks
    assert not [column for column, _ in lacks if column in ("a_style", "a_action", "a_identity")]
    assert list(faults_of(cases)) == []


def test_an_action_sample_has_the_camera_words_of_its_script(tmp_path):
    """Before: captions of the text setting, with the motion that hid the target there, were scored against the clip."""
    folder = action_tree(tmp_path, {"environment": 2})
    curated = {
        "captions": [
            "The camera zooms in on what is at the left. A square at noon.",
            "A fountain runs. The camera stays close on what is at the left.",
            "The camera zooms out again, the way it came. The square as before.",
        ]
    }
    file = folder / "samples/environment/environment_0000/sample.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"caption": "", "metadata": curated}))
    first, second = read_dataset(folder)
    assert first.extras["captions"] == [
        "The camera turns to the right. A square at noon.",
        "The camera turns to the right. The camera turns to the left. A fountain runs.",
        "The camera turns to the left. The square as before.",
    ]
    # One text is one segment; before, `a_text` had no captions at all on such data.
    assert len(second.extras["captions"]) == 1
    assert second.extras["captions"][0].startswith("The camera turns to the left. The camera turns to the right. ")


def test_a_detector_is_asked_for_attributes_and_name(tmp_path):
    folder = text_tree(tmp_path, {"object": 2}, {})
    for number, attributes in enumerate((["brown", "small", "pot"], [])):
        file = folder / f"samples/object/object_{number:04d}/sample.json"
        content = json.loads(file.read_text())
        content["metadata"] |= {"object_name": "red pot", "attributes": attributes}
        file.write_text(json.dumps(content))
    names = [case.reference.target.name for case in read_dataset(folder)]
    assert names == ["brown, small red pot", "red pot"]


def test_wrong_captions_are_told(tmp_path):
    folder = text_tree(tmp_path, {"human": 1}, {})
    file = folder / "samples/human/human_0000/sample.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"metadata": {"captions": ["a", "a", "b"]}}))
    assert [fault.partition(": ")[2] for fault in faults_of(read_dataset(folder))] == [
        "3 captions, not 5",
        "a caption stands there twice: a",
    ]


def test_a_copy_beside_the_data_set_is_named(tmp_path):
    for name in ("MBench-A", "MBench-A-anchored"):
        action_tree(tmp_path / name, {"object": 1})
    with pytest.raises(WorldGaugeError, match="MBench-A and MBench-A-anchored both hold the clip object/object_0000"):
        read_dataset(tmp_path)
