"""Pictures kept and dropped by thresholds that are named; next scenes by a writer that a test brings."""

import csv
import json
import re

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from functional.wire_boxes import drawn_boxes
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.benchmarks.worldscore.curation.best_of_class import Described, keep_best
from worldgauge.benchmarks.worldscore.curation.current_scenes import (
    Measures,
    Thresholds,
    Verdict,
    curate,
    summary,
)
from worldgauge.benchmarks.worldscore.curation.next_scenes import next_scenes, parse_scene
from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.perspective import Perspective


def texture(seed, blur=1):
    noise = np.random.default_rng(seed).integers(60, 200, (96 // blur, 128 // blur, 3), np.uint8)
    return np.asarray(Image.fromarray(noise).resize((128, 96), Image.Resampling.BICUBIC))


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "photos"
    (folder / "inner").mkdir(parents=True)
    first = texture(0, 8)
    for name, image in {
        "a.png": first,
        "b.png": np.clip(first.astype(int) + 1, 0, 255).astype(np.uint8),
        "c.png": (first // 8).astype(np.uint8),
        "inner/d.png": (texture(1, 8) * [1.0, 0.2, 0.1]).astype(np.uint8),
    }.items():
        Image.fromarray(image).save(folder / name)
    (folder / "e.jpg").write_text("not a picture")
    return folder


def run(pictures, out, *options):
    done = CliRunner().invoke(app, ["curate", str(pictures), "-o", str(out), *options], catch_exceptions=False)
    with (out / "curation.csv").open(newline="") as stream:
        return done.stdout, {row["picture"]: row for row in csv.DictReader(stream)}


def test_the_log_says_what_was_dropped_and_why(pictures, tmp_path):
    told, rows = run(pictures, tmp_path / "out", "--min-brightness", "0.1", "--max-similarity", "0.99")
    verdicts = {name: row["verdict"] for name, row in rows.items()}
    assert verdicts == {
        "a.png": "kept", "b.png": "dropped", "c.png": "dropped", "e.jpg": "dropped", "inner/d.png": "kept",
    }  # fmt: skip
    assert re.match(r"similarity 0\.99\d* to a\.png is above 0\.99|similarity 1 to a\.png", rows["b.png"]["reason"])
    assert re.match(r"brightness 0\.0\d+ is below 0\.1", rows["c.png"]["reason"])
    assert "cannot be read" in rows["e.jpg"]["reason"]
    assert "2 of 5 pictures kept" in told
    made = json.loads((tmp_path / "out" / "curation.json").read_text())
    assert made["thresholds"] == {"min_brightness": 0.1, "max_similarity": 0.99}
    assert made["instruments"]["embedding"]["name"] == "patch_statistics"


def test_blur_is_seen_by_the_pocket_measure(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    Image.fromarray(texture(0, 4)).save(folder / "sharp.png")
    Image.fromarray(texture(0, 16)).save(folder / "soft.png")
    _, rows = run(folder, tmp_path / "out", "--min-picture-quality", "0")
    sharp, soft = (float(rows[name]["picture_quality"]) for name in ("sharp.png", "soft.png"))
    assert sharp > soft
    _, rows = run(folder, tmp_path / "out", "--min-picture-quality", str((sharp + soft) / 2))
    assert [row["verdict"] for row in rows.values()] == ["kept", "dropped"]


def test_a_network_that_is_not_there_is_one_line(pictures, tmp_path):
    done = CliRunner().invoke(app, ["curate", str(pictures), "-o", str(tmp_path / "o"), "--min-aesthetic", "5"])
    assert "--min-aesthetic: no aesthetic instrument in the 'pocket' set" in str(done.exception)
    assert not (tmp_path / "o").exists()


def test_a_network_is_asked_where_there_is_one(pictures):
    files = [pictures / "a.png", pictures / "c.png"]
    measures = Measures(aesthetic=lambda image: 6.0 if image.mean() > 50 else 4.0)
    verdicts = curate(files, pictures, Thresholds(min_aesthetic=5.0), measures)
    assert [(v.kept, v.reason) for v in verdicts] == [(True, ""), (False, "aesthetic 4 is below 5")]


def test_a_bad_perspective_is_dropped_and_an_unknown_one_only_if_asked(pictures):
    views = {"a": Perspective(2.0, -30.0, 60.0), "b": Perspective(-20.0, 0.0, 60.0), "c": Perspective(0.0, 1.0, None)}
    names = iter("abc" * 2)
    measures = Measures(perspective=lambda image: views[next(names)])
    files = [pictures / f"{name}.png" for name in views]
    limits = Thresholds(max_roll=10, max_pitch=20, min_fov=40)
    first = curate(files, pictures, limits, measures)
    assert [v.reason for v in first] == ["pitch -30 is beyond 20", "roll -20 is beyond 10", ""]
    assert summary(first, limits, {})["perspective not told"] == 1
    strict = curate(files, pictures, limits, measures, drop_untold=True)
    assert strict[2].reason == "its fov cannot be told"


def test_a_narrow_view_by_the_pocket_instrument(tmp_path):
    """The same boxes through a wide and a long lens; a picture of noise tells nothing and stays."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for name, fov in {"narrow": 25, "wide": 65}.items():
        Image.fromarray(drawn_boxes(3, -8, 35, fov)).save(folder / f"{name}.png")
    Image.fromarray(texture(0)).save(folder / "noise.png")
    _, rows = run(folder, tmp_path / "out", "--min-fov", "40")
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "narrow.png": "dropped", "noise.png": "kept", "wide.png": "kept",
    }  # fmt: skip
    assert rows["noise.png"]["fov"] == ""


def test_the_best_of_each_class(pictures, tmp_path):
    verdicts = [Verdict(f"{k}.png", k != 4, "" if k != 4 else "dark", {"aesthetic": float(k)}) for k in range(6)]
    kinds = {f"{k}.png": Described("city" if k < 3 else "park") for k in range(5)}
    left = keep_best(verdicts, 2, kinds)
    assert [v.reason for v in left] == [
        "number 3 in quality of its class, 2 are kept", "", "", "", "dark", "it has no class",
    ]  # fmt: skip
    assert [v.kept for v in keep_best(verdicts, 2, {})] == [False, False, False, True, False, True]
    with pytest.raises(WorldGaugeError, match="no quality is measured"):
        keep_best([Verdict("a.png", True, "", {})], 2, {})


def test_two_qualities_count_alike():
    figures = [{"aesthetic": 5.0, "picture_quality": 0.9}, {"aesthetic": 5.2, "picture_quality": 0.1}]
    verdicts = [Verdict(f"{k}.png", True, "", of_picture) for k, of_picture in enumerate([*figures, figures[0]])]
    assert [v.kept for v in keep_best(verdicts, 1, {})] == [True, False, False]


def test_classes_and_captions_come_from_a_table(pictures, tmp_path):
    table = tmp_path / "classes.csv"
    table.write_text("picture,class,caption\na.png,city,A street.\nb.png,city,\n")
    options = ["--min-picture-quality", "0", "--best", "1", "--classes", str(table)]
    _, rows = run(pictures, tmp_path / "out", *options)
    kept = [row for row in rows.values() if row["verdict"] == "kept"]
    assert [row["class"] for row in kept] == ["city"]
    assert rows["a.png"]["caption"] == "A street."
    assert rows["inner/d.png"]["reason"] == "it has no class"
    table.write_text("picture,class,keep\na.png,city,No\nb.png,city,yes\n")
    _, rows = run(pictures, tmp_path / "out", *options)
    assert (rows["a.png"]["reason"], rows["b.png"]["verdict"]) == ("dropped by a person", "kept")
    table.write_text("picture,class\na.png,city\na.png,park\n")
    done = CliRunner().invoke(app, ["curate", str(pictures), "-o", str(tmp_path / "o"), *options])
    assert "row 2: picture 'a.png' stands there twice" in str(done.exception)


def test_what_is_refused(tmp_path, pictures):
    for arguments, message in (
        ([str(pictures)], "no threshold is named"),
        ([str(tmp_path / "none"), "--min-brightness", "0.1"], "is not a folder"),
        ([str(tmp_path / "empty"), "--min-brightness", "0.1"], "holds no picture"),
    ):
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = CliRunner().invoke(app, ["curate", *arguments, "-o", str(tmp_path / "o")])
        assert message in str(done.exception)


def test_next_scenes_are_told_of_all_before():
    asked = []

    def write(past):
        asked.append(past)
        return json.dumps({"Entities": ["lamp"], "Prompt": f"Scene {len(past)}."})

    scenes = next_scenes("A hall.", write, count=3)
    assert asked == [("A hall.",), ("A hall.", "Scene 1."), ("A hall.", "Scene 1.", "Scene 2.")]
    assert [scene.content for scene in scenes] == ["Scene, lamp"] * 3
    with pytest.raises(WorldGaugeError, match="repeats a scene"):
        next_scenes("A hall.", lambda past: '{"Entities": ["lamp"], "Prompt": "A hall."}')


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a lamp", "not valid JSON"),
        ("[]", "has no Prompt"),
        ('{"Prompt": "A hall."}', "no list of Entities"),
        ('{"Prompt": "A hall.", "Entities": []}', "names 0 entities"),
        ('{"Prompt": "A hall.", "Entities": ["a", "b", "c", "d"]}', "names 4 entities"),
        ('{"Prompt": "A hall.", "Entities": ["desk, oak"]}', "holds a comma"),
    ],
)
def test_answers_that_are_refused(answer, message):
    with pytest.raises(WorldGaugeError, match=message):
        parse_scene(answer)
