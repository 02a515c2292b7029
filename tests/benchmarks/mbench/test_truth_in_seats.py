"""The truth in the seats, through the engine: a made clip whose frames have made truths, and no rendering."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import helpers
from worldgauge.benchmarks.mbench.on_blocks.measure import Workshop
from worldgauge.blocks.exact_views import View, remember_view
from worldgauge.core.benchmark import ONLY_PROTOCOL, Benchmark, BenchmarkFile, MetricUse
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video

SIZE, COUNT, FPS = (96, 64), 20, 10.0
LENS = np.array([[80.0, 0, 48], [0, 80.0, 32], [0, 0, 1]])
METRICS = {
    "geometry": "geometry", "named_geometry": "named_geometry", "texture": "texture", "identity": "identity",
    "appearance": "appearance", "lighting": "lighting_by_view", "style": "style", "state": "state",
    "correctness": "correctness", "forward": "state_forward", "text": "text", "action": "action",
    "trigger": "trigger", "left": "geometric_trigger",
}  # fmt: skip


def yaw(degrees: float) -> np.ndarray:
    angle, pose = np.radians(degrees), np.eye(4)
    pose[0, 0] = pose[2, 2] = np.cos(angle)
    pose[0, 2], pose[2, 0] = np.sin(angle), -np.sin(angle)
    return pose


@pytest.fixture(scope="module")
def scores(tmp_path_factory) -> dict[str, tuple[float, str]]:
    """A camera that turns away from a thing and back, at half the speed of the world's clock: every score of it."""
    folder = tmp_path_factory.mktemp("truth")
    shop, rng = Workshop(folder, lambda *_: None), np.random.default_rng(0)
    turns = 80 * np.clip(1.6 * (1 - np.abs(np.linspace(-1, 1, COUNT))), 0, 1)
    wall, frames = helpers.moving_texture(1, *SIZE)[0], []
    for k, turn in enumerate(turns):
        visible = np.zeros(SIZE[::-1], bool)
        left = 40 - int(80 * np.tan(np.radians(min(turn, 60))))
        visible[20:44, max(left, 0) : max(left + 16, 0)] = True
        frame = wall.copy()
        frame[visible] = 200
        # No two frames are equal, or one could not be told from the other.
        frame[0, 0] = rng.integers(0, 256, 3)
        view = View(yaw(turn), LENS, 2.0, k / FPS / 2, "red ball", visible, np.ones(4, np.float32))
        remember_view(
            shop.views, frame, lambda v=view, f=frame: (v, np.ones(f.shape[:2], np.float32)), with_depth=False
        )
        frames.append(frame)
    write_video(folder / "clip.mkv", np.stack(frames), FPS)
    captions = ["the red ball lies there", "the red ball goes out of view", "the red ball is out of view"]
    captions += ["the red ball comes into view again", "the red ball lies there still"]
    case = Case(
        id="a",
        condition=Condition(prompt="a red ball"),
        reference=Reference(target=Target(name="red ball", box=(40.0, 20.0, 56.0, 44.0))),
        tags={"setting": "A", "subset": "object"},
        extras={"legs": [["right", 0.3], ["wait", 0.4], ["left", 0.3]], "captions": captions},
    )
    videos = {"a": Video(folder / "clip.mkv")}
    uses = tuple(MetricUse(id=name, use=f"mbench/{metric}") for name, metric in METRICS.items())
    setup = replace(shop.setup("run", videos), metrics=uses)
    run = shop.run(setup, Benchmark(BenchmarkFile(name="b"), (case,)), videos, "m", ONLY_PROTOCOL)
    return {record["metric"]: (record.get("value"), str(record.get("reason", ""))) for record in run.records()}


def test_every_score_has_a_value(scores):
    assert {name for name, (value, _) in scores.items() if value is not None} == set(METRICS), scores


def test_they_are_what_the_truth_says(scores):
    assert scores["action"][0] > 0.95 and scores["left"][0] == 1.0
    assert scores["identity"][0] == pytest.approx(1.0) and scores["text"][0] > 0.28
    assert scores["trigger"][0] == 1.0
    # The clock shows half of the time that has passed.
    assert scores["state"][0] == 0.5 and scores["correctness"][0] < 0.2 and scores["forward"][0] == 0.5
    assert scores["geometry"][0] > 0.95 and "moved" not in scores["geometry"][1]
