"""Networks that see a few frames at once as the instrument of the camera's path: units, frames, one pass for all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.worldolympiad.released_tree import MODELS, counted_film, write_tree
from helpers import records
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import cut_spread, spread
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.media.encoder import write_video

HERE = Path(__file__).parent
RELEASED = 0.5148483255798958
"""Of the released functions (commit bb2e240, with the alignment of Depth Anything 3 at 2c21ea8 and its generator given
the seed 0), run in double precision on 32 poses of a reference that bends for 3 m and of a clip that bends for 1 m."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    found = write_tree(tmp_path, {"general/c1": 1})
    (found / "general" / "c1" / "prompt.txt").write_text("a ball falls")
    return found


def run(
    tree: Path,
    poses: str,
    metrics: str = "Camera",
    protocol: str = "released",
    out: str = "run",
    model: str = "longlive",
    scene: str = "stub_reconstruction",
) -> dict[str, dict[str, Any]]:
    file = tree.parent / f"{model}.json"
    submission_of(tree, model, read_dataset(tree)).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, protocol=protocol, metrics=metrics,
        judge=f"scripted:{HERE / 'scripted_judge.py'}:answer", store=tree.parent / "store", out=tree.parent / out,
        includes=[HERE / "stub_networks.py"],
        use=["phrase_follower=stub_boxes", f"poses={poses}", f"reconstruction={scene}"],
    )  # fmt: skip
    execute(job, make_plan(job))
    return {line["metric"]: line for line in records(tree.parent / out)}


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_LOG", str(tmp_path / "asked.jsonl"))


@pytest.mark.parametrize("protocol", ["released", "published", "paper"])
def test_camera_is_scored_in_metres_at_whatever_depth_the_scene_lies(tree: Path, protocol: str) -> None:
    found = [
        run(tree, f"stub_network:metres_away={depth}", "Camera,Geometry,house_camera", protocol, f"at-{depth}")
        for depth in (3, 8, 20)
    ]
    for lines in found:
        assert lines["Camera"]["raw"] == pytest.approx(RELEASED, abs=1e-6)
        assert lines["Geometry"]["raw"] == pytest.approx((0.6 + 0.4 + RELEASED) / 3, abs=1e-6)
        assert "reason" not in lines["Camera"] and " m off" in lines["house_camera"]["reason"]
    house = [lines["house_camera"]["raw"] for lines in found]
    assert house == pytest.approx([house[0]] * 3, abs=1e-6)


def test_camera_without_metres_says_that_it_is_not_comparable(tree: Path) -> None:
    found = run(tree, "stub_network_without_metres:metres_away=8", "Camera,Geometry,house_camera")
    assert found["Camera"]["raw"] == pytest.approx(0.542565, abs=1e-6), "in units of the scene, another score"
    for column in ("Camera", "Geometry", "house_camera"):
        assert "not comparable with scores of paths in metres" in found[column]["reason"]


LENGTH, REFERENCE_LENGTH = 100, 90
SCENE = "GS,Meta,Camera,Geometry"
SEGMENTED = cut_spread(LENGTH, 64)
OF_SEGMENTED = [SEGMENTED[k] for k in spread(len(SEGMENTED), 32)]
OF_CLIP, OF_REFERENCE = spread(LENGTH, 32), spread(REFERENCE_LENGTH, 32)


@pytest.fixture
def long_tree(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Clips of 100 frames and a reference of 90, in which a bright thing moves."""
    monkeypatch.setenv("PASS_LOG", str(tmp_path / "passes.jsonl"))
    folder = tree / "general" / "c1"
    write_video(folder / "ref_c1.mp4", counted_film(REFERENCE_LENGTH, 0), fps=8.0)
    for number, model in enumerate(MODELS):
        write_video(folder / f"{model}_gen_c1.mp4", counted_film(LENGTH, 150 + 20 * number), fps=8.0)
    return tree


def passes(tree: Path) -> list[dict[str, Any]]:
    """What networks were shown since this was last asked."""
    file = tree.parent / "passes.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def shown(lines: list[dict[str, Any]], who: str, reference: bool = False) -> list[tuple[list[int], bool]]:
    return [(one["numbers"], one["filled"]) for one in lines if one["who"] == who and one["reference"] == reference]


@pytest.mark.parametrize(
    ("protocol", "numbers", "filled"),
    [("released", OF_SEGMENTED, True), ("published", OF_SEGMENTED, True), ("paper", OF_CLIP, False)],
)
def test_one_pass_over_the_released_frames_serves_scene_and_camera(
    long_tree: Path, protocol: str, numbers: list[int], filled: bool
) -> None:
    found = run(long_tree, "stub_network", SCENE, protocol, scene="stub_one_pass")
    assert {line["status"] for line in found.values()} == {"ok"}
    lines = passes(long_tree)
    scenes = [line["masks"] for line in lines if line["who"] == "scene"]
    networks = [line for line in lines if line["who"] != "scene"]
    assert len(networks) == 2, "one of the clip, one of the reference"
    assert shown(networks, "stub_one_pass") == [(numbers, filled)]
    assert shown(networks, "stub_network", reference=True) == [(OF_REFERENCE, False)]
    assert scenes == [0 if filled else 32], "by the paper what moves is left out of the scene"
    run(long_tree, "stub_network", SCENE, protocol, "again", MODELS[1], "stub_one_pass")
    networks = [line for line in passes(long_tree) if line["who"] != "scene"]
    assert [(line["who"], line["reference"]) for line in networks] == [("stub_one_pass", False)]


@pytest.mark.parametrize(
    ("protocol", "numbers", "filled"), [("released", OF_SEGMENTED, True), ("paper", OF_CLIP, False)]
)
def test_a_network_apart_from_the_scene_is_shown_the_same_frames(
    long_tree: Path, protocol: str, numbers: list[int], filled: bool
) -> None:
    found = run(long_tree, "stub_network", SCENE, protocol)
    assert {line["status"] for line in found.values()} == {"ok"}
    lines = passes(long_tree)
    assert shown(lines, "stub_network") == [(numbers, filled)]
    assert shown(lines, "stub_network", reference=True) == [(OF_REFERENCE, False)]
    house = run(long_tree, "stub_network", "house_camera,house_GS,house_photometric", protocol, "house")
    assert house["house_camera"]["status"] == house["house_GS"]["status"] == "ok"
    more = [] if protocol == "paper" else [(OF_CLIP, False)]
    assert shown(passes(long_tree), "stub_network") == more, "our own columns: 32 frames of the clip, in every protocol"


def test_the_camera_alone_needs_no_names_by_the_paper(long_tree: Path) -> None:
    run(long_tree, "stub_network", "Camera", "paper", scene="stub_one_pass")
    assert not (long_tree.parent / "asked.jsonl").exists(), "no judge names what moves"
    assert shown(passes(long_tree), "stub_one_pass") == [(OF_CLIP, False)]


def test_a_film_is_read_whole(long_tree: Path) -> None:
    found = run(long_tree, "stub_film", SCENE)
    assert {line["status"] for line in found.values()} == {"ok"}
    lines = passes(long_tree)
    assert shown(lines, "stub_film") == [(list(range(LENGTH)), False)]
    assert shown(lines, "stub_film", reference=True) == [(list(range(REFERENCE_LENGTH)), False)]
