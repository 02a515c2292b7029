"""The geometry track end to end on stored cameras and Gaussians, with a scripted judge behind the real requests."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.worldolympiad.released_tree import write_tree
from helpers import records
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.analyses.reaggregate import read_official
from worldgauge.benchmarks.worldolympiad.analyses.sensitivity import Parts
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.benchmarks.worldolympiad.formulas.splat_views import splat_views
from worldgauge.benchmarks.worldolympiad.official.write import write_official
from worldgauge.benchmarks.worldolympiad.signals.views import drawn, unpacked_views
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.functional.scenes import Picture, SceneCameras
from worldgauge.report.summary import summarise

pytest.importorskip("torch")
HERE = Path(__file__).parent
OFFICIAL = "GS,Meta,Camera,Geometry"
HOUSE = "house_GS,house_Meta,house_geometry,house_photometric"
FRAMES = 32


def walk(count: int) -> np.ndarray:
    """(count, 4, 4) camera-to-world of a camera that walks forward and turns a little."""
    poses, turns = np.tile(np.eye(4), (count, 1, 1)), np.radians(1.5 * np.arange(count))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(turns)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(turns), -np.sin(turns)
    poses[:, 2, 3] = 0.05 * np.arange(count)
    return poses


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("released")
    found = write_tree(root, {"general/c1": 1, "gaming/c2_part1": 1})
    (root / "scenes").mkdir()
    for folder in found.glob("*/*"):
        (folder / "prompt.txt").write_text(f"a ball falls in {folder.name}")
        for video in folder.glob("*_gen_*.mp4"):
            write_scene(root / "scenes" / f"{video.stem}.npz")
    return root


def write_scene(file: Path) -> None:
    """A band of red Gaussians across what all cameras see, each seen in one frame; no two bands are alike."""
    across = np.arange(-1.0, 7.0, 0.15)
    means = np.stack([across, 0 * across, np.full(across.size, 5.0)], axis=1)
    count, blue = len(means), -0.5 + 0.01 * (sum(file.name.encode()) % 20)
    np.savez(
        file,
        extrinsics=np.linalg.inv(walk(FRAMES)),
        intrinsics=np.tile([[400.0, 0, 252], [0, 400.0, 189], [0, 0, 1]], (FRAMES, 1, 1)),
        size=np.array([504, 378]),
        means=means,
        quaternions=np.tile([1.0, 0, 0, 0], (count, 1)),
        scales=np.full((count, 3), 0.08),
        opacities=np.full(count, 0.95),
        harmonics=np.tile(np.array([0.5, -0.5, blue]) / 0.28209479, (count, 1, 1)),
        frame=np.arange(count) % FRAMES,
    )


@pytest.fixture
def tree(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))
    shutil.copytree(made / "scenes", tmp_path / "scenes")
    return Path(shutil.copytree(made / "outputs_batch", tmp_path / "outputs_batch"))


def stored(tree: Path) -> str:
    return f"stored_scenes:folder={tree.parent / 'scenes'}"


def run(
    tree: Path,
    metrics: str = OFFICIAL,
    script: str = "answer",
    protocol: str = "published",
    model: str = "longlive",
    out: str = "run",
    scenes: str = "",
    path: str = "stub_path",
) -> dict[tuple[str, str], dict[str, Any]]:
    file = tree.parent / f"{model}.json"
    submission_of(tree, model, read_dataset(tree)).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, protocol=protocol, metrics=metrics,
        judge=f"scripted:{HERE / 'scripted_judge.py'}:{script}", store=tree.parent / "store", out=tree.parent / out,
        includes=[HERE / "stub_networks.py"],
        use=["phrase_follower=stub_boxes", f"poses={path}", f"reconstruction={scenes or stored(tree)}"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return {(line["case"], line["metric"]): line for line in records(tree.parent / out)}


def asked(tree: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tree.parent / "asked.jsonl").read_text().splitlines()]


def counted(tree: Path, out: str) -> Counter[str]:
    found = Run(tree.parent / out).file.invocations[-1].counters
    return Counter({name.rpartition(":")[2]: int(n) for name, n in found.items() if name.startswith("computed:")})


def test_evidence_and_scores_and_what_the_second_model_shares(tree: Path) -> None:
    found = run(tree)
    kinds = Counter(line["kind"] for line in asked(tree))
    assert kinds == {"objects": 2, "rewrite": 2, "views": 2, "meta": 2}
    views = next(line for line in asked(tree) if line["kind"] == "views")
    assert [tuple(size) for size in views["sizes"]] == [(512, 512)] * 8
    assert "pictures 1 to 8: views of the rebuilt place" in views["text"] and "a bare room" in views["text"]
    assert "camera is static" in views["text"] and "a ball falls" not in views["text"]
    assert all(red > 150 and green < 80 for red, green, _ in views["middles"]), "the band is red"
    meta = next(line for line in asked(tree) if line["kind"] == "meta")
    assert [tuple(size) for size in meta["sizes"]] == [(512, 512)]
    assert found["c1", "GS"]["raw"] == 0.6 and found["c1", "Meta"]["raw"] == 0.4
    assert found["c1", "Geometry"]["raw"] == pytest.approx((0.6 + 0.4 + found["c1", "Camera"]["raw"]) / 3)
    assert counted(tree, "run")["poses"] == 3, "of two clips, and of two references that are the same film"
    run(tree, model="wow", out="second")
    more = Counter(line["kind"] for line in asked(tree)) - kinds
    assert more == {"objects": 2, "views": 2, "meta": 2}, "the text is rewritten once for all models"
    assert counted(tree, "second")["poses"] == 2, "of its own clips alone"


@pytest.mark.nightly
def test_a_run_of_geometry_changes_nothing_of_physics(tree: Path) -> None:
    rules = "Physical,gravity,impact,hardness"
    run(tree, metrics=rules, out="first")
    before = [line for line in asked(tree) if line["kind"] in ("relevance", "compliance")]
    shutil.rmtree(tree.parent / "store")
    (tree.parent / "asked.jsonl").unlink()
    run(tree, out="geometry")
    run(tree, metrics=rules, out="second")
    after = [line for line in asked(tree) if line["kind"] in ("relevance", "compliance")]
    assert sorted(map(str, after)) == sorted(map(str, before)), "the same frames with the same boxes"


def test_only_the_judged_views_are_drawn() -> None:
    class Recorder:
        cameras = SceneCameras(
            np.linalg.inv(walk(FRAMES)),
            np.tile(np.array([[403.0, 0, 252], [0, 403.0, 140], [0, 0, 1]]), (FRAMES, 1, 1)),
            (504, 280),
        )
        asked: list[Any] = []  # noqa: RUF012

        def render(self, pose: Any, lens: Any, size: tuple[int, int]) -> tuple[Picture, Any]:
            self.asked.append((pose, lens))
            level = len(self.asked) / 20
            return np.full((*size, 3), level, np.float32), np.ones(size, np.float32)

    scene = Recorder()
    found = drawn(scene, list(range(0, 64, 2)))
    path = splat_views(scene.cameras.world_to_camera, scene.cameras.intrinsics, False, None)
    assert len(scene.asked) == 9 and int(found["views"]) == 328
    assert found["shown"].tolist() == [0, 47, 93, 140, 187, 234, 280, 327]
    for (pose, lens), number in zip(scene.asked[:8], path.judged, strict=True):
        assert np.array_equal(pose, path.world_to_camera[number])
        assert lens[0, 0] == path.focal[number, 0] and tuple(lens[:2, 2]) == (256, 256)
    assert np.array_equal(scene.asked[8][0], scene.cameras.world_to_camera[31]) and int(found["meta_frame"]) == 62
    pictures = unpacked_views(found)
    assert pictures.shape == (9, 512, 512, 3)
    assert [int(one[0, 0, 0]) for one in pictures] == [int(255 * np.float32(k / 20)) for k in range(1, 10)]


def test_a_scene_that_is_not_there_is_unscored_with_bounds_in_every_protocol(tree: Path) -> None:
    (tree.parent / "scenes" / "longlive_gen_c2_part1.npz").unlink()
    for protocol in ("released", "published", "paper"):
        found = run(tree, protocol=protocol, out=protocol)
        assert {found["c2_part1", metric]["status"] for metric in ("GS", "Meta", "Geometry")} == {"unscored"}
        assert found["c2_part1", "GS"]["code"] == "no-stored-scene" and found["c2_part1", "Camera"]["status"] == "ok"
        scores = summarise(Run(tree.parent / protocol)).metrics
        assert scores["GS"].value == pytest.approx(0.6) and scores["GS"].bounds == pytest.approx((0.3, 0.8))
        assert scores["Geometry"].value == found["c1", "Geometry"]["raw"]
        assert Parts.of_run(Run(tree.parent / protocol), tree.parent / "store").geometry == (scores["Geometry"].value,)
    out = tree.parent / "official"
    write_official(Run(tree.parent / "published"), out, "longlive", tree.parent / "store", allow_unofficial=True)
    # Scenes that are not the authors' own failed, which is no failure of theirs.
    assert not (out / "outputs_batch" / "gaming" / "c2_part1").exists()
    good = json.loads((out / "outputs_batch" / "general" / "c1" / "longlive_unofficial_judge_c1.json").read_text())
    assert good["three_d"]["gs_score"] == 0.6 and good["three_d"]["final_score_raw_scale"] == "0-3"
    assert good["combined_score"] == pytest.approx(found["c1", "Geometry"]["raw"], abs=1e-4)
    rows = {one.domain: one.row() for one in read_official(out)}
    assert "gaming" not in rows
    assert rows["general"]["GS"] == 0.6 and rows["general"]["geometry_failed"] == 0


@pytest.mark.nightly
def test_answers_that_cannot_be_read(tree: Path) -> None:
    found = run(tree, script="no_meta")
    assert found["c1", "GS"]["status"] == "ok" and found["c1", "Meta"]["code"] == "no-answer"
    assert summarise(Run(tree.parent / "run")).metrics["Geometry"].value == 0
    run(tree, script="no_rewrite", out="rule")
    views = [line["text"] for line in asked(tree) if line["kind"] == "views"][-1]
    assert "a ball falls" in views, "a rule hands on what the judge could not rewrite"


@pytest.mark.nightly
def test_house_columns_name_nobody(tree: Path) -> None:
    found = run(tree, metrics=HOUSE, protocol="released")
    assert Counter(line["kind"] for line in asked(tree)) == {"rewrite": 2, "views": 2, "meta": 2}
    assert {found["c1", metric]["status"] for metric in ("house_GS", "house_Meta", "house_geometry")} == {"ok"}
    assert found["c1", "house_GS"]["raw"] == 0.6
    thin = found["c1", "house_photometric"]
    assert thin["status"] == "unscored" and thin["reason"] == "the scene covers too little of 16 of 16 frames"


def test_a_reference_that_cannot_be_followed_is_no_fault_of_the_model(tree: Path) -> None:
    from worldgauge.media.encoder import write_video

    reference = tree / "general" / "c1" / "ref_c1.mp4"
    write_video(reference, np.zeros((48, 48, 64, 3), np.uint8), fps=8.0)
    found = run(tree, metrics="Camera,house_camera")
    assert (found["c1", "Camera"]["status"], found["c1", "Camera"]["code"]) == ("unscored", "of-the-case")
    assert summarise(Run(tree.parent / "run")).metrics["Camera"].value == found["c2_part1", "Camera"]["raw"]


def test_the_plan_counts_the_questions_of_every_clip(tree: Path) -> None:
    file = tree.parent / "longlive.json"
    submission_of(tree, "longlive", read_dataset(tree)).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, metrics="GS,Meta", includes=[HERE / "stub_networks.py"],
        judge=f"scripted:{HERE / 'scripted_judge.py'}:answer", store=tree.parent / "store", out=tree.parent / "planned",
        use=["phrase_follower=stub_boxes", "poses=stub_path",
             f"reconstruction={stored(tree)}"],
    )  # fmt: skip
    asking = make_plan(job).asking
    assert (asking.calls, asking.images) == (2 * (1 + 1 + 1 + 1), 2 * (8 + 8 + 1))


def test_the_perceptual_distance_of_redrawn_frames(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from instruments.neural.weight_folder import write_lpips
    from worldgauge.benchmarks.worldolympiad.signals.photometric import photometric_distances
    from worldgauge.instruments.neural.lpips import LpipsAlex

    columns = "house_photometric,house_photometric_lpips"
    found = run(tree, metrics=columns, scenes="stub_reconstruction")
    assert found["c1", "house_photometric"]["status"] == "ok"
    without = found["c1", "house_photometric_lpips"]
    assert without["status"] == "unscored" and "lpips_alex" in without["reason"], "without weights there is a reason"
    (tree.parent / "weights").mkdir()
    places = write_lpips(tree.parent / "weights")
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", " ".join(f"{name}={file}" for name, file in places.items()))
    again = run(tree, metrics=columns, scenes="stub_reconstruction", out="again")["c1", "house_photometric_lpips"]
    assert again["status"] == "ok" and again["raw"] > 0 and len(again["curve"]) == FRAMES // 2
    grey = np.stack([np.full((48, 64, 3), level, np.uint8) for level in (60, 120)])
    half = np.zeros((2, 48, 64), bool)
    half[0], half[1, :24] = True, True
    shown = np.where(half[..., None], np.random.default_rng(0).integers(0, 256, grey.shape, np.uint8), grey)
    drawn = {
        "frames": np.arange(3), "covered": np.array([1.0, 0.1, 0.5]), "counted": np.array([True, False, True]),
        "seen": grey, "shown": shown, "compared": half, "doubt": np.array(""),
    }  # fmt: skip
    network = LpipsAlex()
    first, left_out, second = photometric_distances.function(drawn, network)["distance"]
    whole = network.distances(shown, grey)
    assert np.isnan(left_out) and first == pytest.approx(whole[0]) and second == pytest.approx(2 * whole[1])
    assert photometric_distances.function({**drawn, "shown": grey}, network)["distance"][0] == 0


def test_a_doubted_path_is_good_enough_for_what_vouches_for_itself(tree: Path) -> None:
    columns = "house_camera,house_GS,house_photometric"
    found = run(tree, metrics=columns, scenes="stub_reconstruction", path="stub_doubted_path")
    assert {found["c1", name]["code"] for name in ("house_camera", "house_GS")} == {"pose-not-trusted"}
    assert found["c1", "house_photometric"]["status"] == "ok"
    assert found["c1", "house_photometric"]["reason"].endswith("; it sways")
    trusted = run(tree, metrics=columns, scenes="stub_reconstruction", out="trusted")
    assert trusted["c1", "house_photometric"]["raw"] == found["c1", "house_photometric"]["raw"], "by the same path"
    assert counted(tree, "trusted")["worldolympiad/fitted_path"] == 2
