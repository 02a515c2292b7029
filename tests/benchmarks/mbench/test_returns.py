"""What left the picture and came back, or did not: the columns of returns, on made clips and on made tracks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.mbench.made_run import lines
from benchmarks.mbench.released_tree import add_sample, write_rows
from benchmarks.mbench.test_formulas import LENS, yaw
from benchmarks.mbench.test_metrics import CASE, E, looks
from worldgauge.api.building import build_job
from worldgauge.benchmarks.mbench.formulas.returns import presence
from worldgauge.benchmarks.mbench.metrics.objects import named_target_left, named_texture_returned, texture_returned
from worldgauge.benchmarks.mbench.metrics.people import identity_returned, identity_returned_anywhere, person_left
from worldgauge.core.errors import NotApplicable
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video
from worldgauge.report.summary import summarise

FRAMES, WIDTH, HEIGHT, FOCAL = 31, 128, 72, 107.0
OUT = np.concatenate([np.linspace(0, 160, 16), np.linspace(160, 0, 16)[1:]])
"""By how many pixels the view has moved to the right: the target leaves at a quarter and is back at three quarters."""
LATE = np.concatenate([np.zeros(17), np.linspace(0, 160, 8), np.linspace(160, 0, 7)[1:]])
"""The same by a camera that sets out after the middle of the clip."""
CLIPS = {
    "honest": (OUT, lambda k: True),
    "vanished": (np.zeros(FRAMES), lambda k: k < 0.6 * FRAMES),
    "false": (OUT, lambda k: k < 0.6 * FRAMES or k == 28),
    "late": (LATE, lambda k: k < 23),
    "frozen": (np.zeros(FRAMES), lambda k: True),
}
"""Way of the camera, and in which frames the target is in its place."""


def panorama(seed):
    rng = np.random.default_rng(seed)
    smooth = cv2.GaussianBlur(rng.normal(size=(HEIGHT, WIDTH + 170, 3)), (0, 0), 3.0)
    return ((smooth - smooth.min()) / np.ptp(smooth) * 120 + 90).astype(np.uint8)


def filmed(seed, way, there):
    """A camera that turns before a wide picture with a target in it."""
    plain = panorama(seed)
    with_target = plain.copy()
    with_target[22:50, 40:68] = (200, 20, 20)
    with_target[29:43, 47:61] = (20, 20, 200)
    shown = [with_target if there(k) else plain for k in range(FRAMES)]
    return np.stack([shown[k][:, round(way[k]) : round(way[k]) + WIDTH] for k in range(FRAMES)])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Every clip as an object sample with its anchor, its poses stored, its target followed by the pocket tracker."""
    folder = tmp_path_factory.mktemp("returns")
    data, rows = folder / "MBench-A", []
    data.mkdir()
    (data / "dataset.yaml").write_text("dataset_id: mbencha\n")
    anchor = {"center_x": 54, "center_y": 36, "width": 28, "height": 28, "source": "made"}
    for seed, (name, (way, there)) in enumerate(CLIPS.items()):
        condition = "right_then_left_10s"
        add_sample(data, "object", name, metadata={"object_anchor": anchor})
        rows.append({"item_id": f"object:{name}:{condition}"})
        place = folder / "model" / "outputs" / "object" / name / condition
        place.mkdir(parents=True)
        write_video(place / "video.mp4", filmed(seed, way, there), fps=3)
        file = folder / "artifacts" / "object" / name / condition / "da3" / "results.npz"
        file.parent.mkdir(parents=True)
        lens = np.array([[FOCAL, 0, WIDTH / 2], [0, FOCAL, HEIGHT / 2], [0, 0, 1]])
        poses = yaw(np.degrees(np.arctan2(way, FOCAL)))
        np.savez(file, extrinsics=poses[:, :3], intrinsics=np.tile(lens, (FRAMES, 1, 1)))
    write_rows(data / "mapping.jsonl", rows)
    job = build_job(
        folder / "model", benchmark="mbench", data=data, store=folder / "store", out=folder / "run",
        metrics="a_texture,a_texture_return,a_trigger_return_object", instruments="pocket",
        use=[f"poses=mbench_stored_poses:folder={folder / 'artifacts'},convention=camera_to_world"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return Run(folder / "run")


def test_only_what_comes_back_has_returned(run):
    found = {(metric, case.split("/")[1]): line for (metric, case), line in lines(run).items()}
    values = {name: found["a_texture_return", name].get("value") for name in CLIPS}
    assert values == {
        "honest": found["a_texture", "honest"]["value"], "vanished": 0.0, "false": 0.0, "late": 0.0, "frozen": None
    }  # fmt: skip
    assert values["honest"] > 90
    assert found["a_texture_return", "frozen"]["status"] == "skipped"
    assert "never leaves the picture" in found["a_texture_return", "frozen"]["reason"]
    assert found["a_trigger_return_object", "frozen"]["value"] == 0
    scores = summarise(run).scores
    assert scores["a_trigger_return_object"].value == pytest.approx(80)
    assert scores["a_texture_return"].value == pytest.approx(values["honest"] / 4)


def shown(text):
    return np.array([letter == "1" for letter in text])


@pytest.mark.parametrize(
    ("text", "became"),
    [
        ("1" * 24 + "0" * 16, "lost"),
        ("1" * 10 + "0" * 20 + "1" + "0" * 9, "lost"),
        ("1" * 10 + "0" * 20 + "1" * 10, "returned"),
        ("1" * 10 + "00" + "1" * 28, "stayed"),
        ("1" * 38 + "00", "stayed"),
        ("1" + "0" * 39, "lost"),
        ("0" * 40, "unseen"),
        ("0" * 10 + "1" * 30, "stayed"),
    ],
)
def test_spells_of_sightings(text, became):
    assert presence(shown(text), 3) == became


def test_a_text_clip_asks_no_pose():
    visible = shown("1" * 10 + "0" * 20 + "1" * 10)
    named = {"visible": visible}
    assert named_texture_returned.function(CASE, looks(visible), named).value == pytest.approx(1.0)
    assert named_target_left.function(CASE, named).value == 1.0
    with pytest.raises(NotApplicable, match="never leaves"):
        named_texture_returned.function(CASE, looks(np.ones(40)), {"visible": np.ones(40, bool)})


def test_a_sighting_counts_where_its_place_is_in_view():
    """A camera that turns away and stays there: what is then taken for the target is something else."""
    visible = shown("1" * 10 + "0" * 20 + "1" * 10)
    box = np.where(visible[:, None], [300.0, 160, 340, 200], np.nan)
    track = {"visible": visible, "usable": np.ones(40, bool), "box": box}
    home = np.concatenate([np.linspace(0, 80, 20), np.linspace(80, 0, 20)])
    size = np.array([640, 360])
    for degrees, value in ((home, 1.0), (np.linspace(0, 80, 40), 0.0)):
        path = {"poses": yaw(degrees), "intrinsics": LENS, "size": size}
        assert texture_returned.function(CASE, looks(visible), track, path).value == pytest.approx(value)
    gone_at_the_end = shown("1" * 10 + "0" * 16 + "1" * 6 + "0" * 8)
    away = np.concatenate([np.linspace(0, 80, 13), np.linspace(80, 0, 13), np.zeros(14)])
    path = {"poses": yaw(away), "intrinsics": LENS, "size": size}
    track = {**track, "visible": gone_at_the_end, "box": np.where(gone_at_the_end[:, None], box[0], np.nan)}
    assert texture_returned.function(CASE, looks(gone_at_the_end), track, path).value == 0.0


def seen_faces(*people):
    """Faces of people of one's own vector each, by the samples that show them."""
    found = sorted((k, number) for number, text in enumerate(people) for k in np.flatnonzero(shown(text)).tolist())
    rows = np.array([E[number] for _, number in found], np.float32)
    boxes = np.tile([300.0, 100, 340, 150], (len(found), 1))
    return {"sampled": np.arange(32), "frame": np.array([k for k, _ in found]), "vectors": rows, "box": boxes}


STAYS, LOST, BACK = "1" * 32, "1" * 10 + "0" * 22, "1" * 8 + "0" * 16 + "1" * 8
AWAY = {
    "poses": yaw(np.concatenate([np.linspace(0, 80, 16), np.linspace(80, 0, 16)])), "intrinsics": LENS,
    "size": np.array([640, 360]),
}  # fmt: skip


def both(faces):
    return (
        identity_returned_anywhere.function(CASE, faces).value,
        identity_returned.function(CASE, faces, AWAY).value,
    )


def test_a_bystander_does_not_stand_for_a_lost_person():
    assert both(seen_faces(STAYS, LOST)) == (0.0, 0.0)
    assert both(seen_faces(BACK, LOST)) == pytest.approx((0.5, 0.5))
    assert both(seen_faces(STAYS, BACK)) == pytest.approx((1.0, 1.0))
    assert both(seen_faces(LOST)) == (0.0, 0.0)
    assert both(seen_faces("1" * 10 + "0" * 12 + "1" + "0" * 9)) == (0.0, 0.0), "one detection is no sighting"


def test_people_who_never_leave_have_no_return():
    for metric, more in ((identity_returned_anywhere, ()), (identity_returned, (AWAY,))):
        with pytest.raises(NotApplicable, match="never leaves"):
            metric.function(CASE, seen_faces(STAYS), *more)
    assert person_left.function(CASE, seen_faces(STAYS), AWAY).value == 0.0
    assert person_left.function(CASE, seen_faces(STAYS, LOST), AWAY).value == 1.0
