"""Networks that see a few frames at once as the instrument of the camera's path: units, frames, one pass for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.worldolympiad.released_tree import write_tree
from helpers import records
from worldgauge.api.building import build_job
from worldgauge.benchmarks.worldolympiad.data.cases import read_dataset
from worldgauge.benchmarks.worldolympiad.data.importer import submission_of
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute

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
) -> dict[str, dict[str, Any]]:
    file = tree.parent / f"{model}.json"
    submission_of(tree, model, read_dataset(tree)).write(file)
    job = build_job(
        file, benchmark="worldolympiad", data=tree, protocol=protocol, metrics=metrics,
        judge=f"scripted:{HERE / 'scripted_judge.py'}:answer", store=tree.parent / "store", out=tree.parent / out,
        includes=[HERE / "stub_networks.py"],
        use=["phrase_follower=stub_boxes", f"poses={poses}", "reconstruction=stub_reconstruction"],
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
