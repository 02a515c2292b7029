"""The tracker with the true flow of gauge blocks in place of its network, and its rules one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from instruments.neural.droid_known import TrueFlow
from worldgauge.blocks.block import Block, Truth
from worldgauge.functional import pose
from worldgauge.instruments.neural.networks.droid import motions
from worldgauge.instruments.neural.networks.droid.adjustment import Edges, Solver, adjust
from worldgauge.instruments.neural.networks.droid.edge_rules import neighbours
from worldgauge.instruments.neural.networks.droid.graph import Graph
from worldgauge.instruments.neural.networks.droid.keyframes import Encoded, Keyframes
from worldgauge.instruments.neural.networks.droid.second_start import mean_miss, plane_across
from worldgauge.instruments.neural.networks.droid.tracker import GLOBAL_SOLVER, Rules, Tracked, Tracker

ROTATION, PATH = 0.05, 0.005
"""Degrees, and share of the path's length."""


def lens_of_pixels(truth: Truth) -> torch.Tensor:
    """fx, fy, cx, cy where the middle of the first pixel is 0."""
    matrix = truth.camera.intrinsics[0]
    return torch.tensor([matrix[0, 0], matrix[1, 1], matrix[0, 2] - 0.5, matrix[1, 2] - 0.5], dtype=torch.float64)


def nothing(count: int, shape: tuple[int, ...]) -> Encoded:
    """Features of frames for who does not look at them."""
    none = torch.zeros(count, 1, *shape)
    return Encoded(none, none, none)


def tracked(truth: Truth, rules: Rules) -> tuple[Tracked, TrueFlow]:
    """The block's own pixels stand for those of the feature map."""
    lens = lens_of_pixels(truth)
    depths = torch.from_numpy(1 / truth.depth.astype(np.float64))
    matcher = TrueFlow(torch.from_numpy(pose.invert(truth.camera.poses)), depths, lens)
    count, *shape = truth.depth.shape
    tracker = Tracker(nothing(count, tuple(shape)), lens.float(), matcher, rules)
    for frame in range(count):
        tracker.track(frame)
    found = tracker.finish(count)
    assert found is not None
    return found, matcher


def errors(found: Tracked, truth: Truth) -> tuple[float, float]:
    """Worst rotation in degrees, and the root mean square miss as a share of the path's length, after alignment."""
    true = pose.align_first_frame(truth.camera.poses)
    path = pose.align_first_frame(pose.invert(found.filled.poses.numpy()))
    turned = float(np.max(pose.rotation_errors(path, true)))
    missed = pose.translation_errors(pose.align_scale(path, true), true)
    return turned, pose.root_mean_square(missed) / pose.path_length(true[:, :3, 3])


def check(truth: Truth, *, second_start: bool = False) -> Tracked:
    found, _ = tracked(truth, Rules(filter_threshold=0.01, second_start=second_start))
    turned, missed = errors(found, truth)
    assert turned < ROTATION
    assert missed < PATH
    # What left the view tells no depth, and its pixels count all the same, as in the authors' code.
    assert float(found.errors.sum() / found.points.sum()) < 0.5
    return found


def test_true_flow_of_a_block_gives_its_cameras() -> None:
    truth = Block(seed=3, family="yard", path="move_left", process="rolling", size=(32, 32), frames=11).render()
    found = check(truth)
    assert 8 <= len(found.keyframes) < 11, "frames that tell too little are dropped as keyframes"
    assert found.keyframes == sorted(set(found.keyframes))
    assert found.filled.poses.shape == (11, 4, 4), "and are placed in the end all the same"
    assert {tuple(pair) for pair in found.pairs.tolist()} >= {
        (j, i) for i, j in zip(found.keyframes, found.keyframes[1:], strict=False)
    }


@pytest.mark.parametrize("path", ["push_in", pytest.param("orbit_right", marks=pytest.mark.nightly)])
def test_the_adjustment_finds_the_cameras_of_a_block_from_a_rough_start(path: str) -> None:
    truth = Block(seed=5, family="street", path=path, process="rolling", size=(32, 32), frames=9).render()
    lens, random = lens_of_pixels(truth), torch.Generator().manual_seed(0)
    true = torch.from_numpy(pose.invert(pose.align_first_frame(truth.camera.poses)))
    flow = TrueFlow(true, torch.from_numpy(1 / truth.depth.astype(np.float64)), lens)
    sources, targets = np.array(neighbours(0, 9)).T.copy()
    places, valid = flow.places(sources, targets)
    edges = Edges(sources, targets, places, valid[:, None].double().expand_as(places))
    shaken = torch.randn(9, 6, dtype=torch.float64, generator=random) * torch.tensor([0.05] * 3 + [0.03] * 3)
    poses = motions.exp(shaken) @ true
    poses[0] = true[0]
    depths = torch.full_like(flow.scene[1], float(flow.scene[1].mean()))
    wanted = pose.invert(true.numpy())
    assert np.max(pose.rotation_errors(pose.invert(poses.numpy()), wanted)) > 2
    damping = torch.full_like(depths, 1e-7)
    adjust(poses, depths, damping, lens, edges, range(1, 9), Solver(relative=1e-6, absolute=1e-6, iterations=40))
    found = pose.invert(poses.numpy())
    assert np.max(pose.rotation_errors(found, wanted)) < ROTATION
    missed = pose.translation_errors(pose.align_scale(found, wanted), wanted)
    assert pose.root_mean_square(missed) < PATH * pose.path_length(wanted[:, :3, 3])


@pytest.mark.nightly
@pytest.mark.parametrize(("family", "path"), [("hall", "orbit_left"), ("yard", "move_right")])
def test_true_flow_of_whole_blocks(family: str, path: str) -> None:
    check(Block(seed=5, family=family, path=path, process="rolling", size=(48, 36), frames=81).render())


def test_a_camera_that_advances_over_ground_is_taken_for_one_that_sinks_unless_the_flow_is_read_again() -> None:
    truth = Block(seed=5, family="street", path="push_in", process="rolling", size=(32, 32), frames=5).render()
    found, _ = tracked(truth, Rules(filter_threshold=0.01))
    turned, _ = errors(found, truth)
    path = pose.align_first_frame(pose.invert(found.filled.poses.numpy()))
    assert turned > 20 and path[-1, 1, 3] > 0.5, "as in the authors' tracker, it sinks by half the typical depth"
    check(truth, second_start=True)


TWELVE = [
    *(("push_in", family, seed, 21) for family, seed in (("street", 5), ("street", 11), ("hall", 5), ("yard", 3))),
    *(("pull_out", family, seed, 21) for family, seed in (("street", 5), ("hall", 5), ("yard", 3), ("yard", 12))),
    *(("orbit_left", "hall", 5, 21), ("orbit_right", "street", 6, 21)),
    *(("pan_left", "street", 5, 21), ("head_turn", "hall", 5, 81)),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "family", "seed", "frames"), TWELVE)
def test_true_flow_read_twice_gives_the_cameras_of_a_world(path: str, family: str, seed: int, frames: int) -> None:
    truth = Block(seed=seed, family=family, path=path, process="rolling", size=(32, 32), frames=frames).render()
    if np.ptp(truth.camera.poses[:, :3, 3], axis=0).max() > 0:
        check(truth, second_start=True)
        return
    found, _ = tracked(truth, Rules(filter_threshold=0.01, second_start=True))
    poses = pose.align_first_frame(pose.invert(found.filled.poses.numpy()))
    assert np.max(pose.rotation_errors(poses, pose.align_first_frame(truth.camera.poses))) < ROTATION
    # Its unit is the typical depth of the scene.
    assert np.abs(poses[:, :3, 3]).max() < PATH


class Slide(TrueFlow):
    """A wall at distance 1 before a camera that moves to the left: half a pixel of a map per frame, or less."""

    def __init__(self, count: int, step: float = 0.5, shape: tuple[int, int] = (16, 16)) -> None:
        self.lens = torch.tensor([16.0, 16.0, 8.0, 8.0])
        poses = torch.eye(4, dtype=torch.float64).repeat(count, 1, 1)
        poses[:, 0, 3] = step / 16 * torch.arange(count)
        super().__init__(poses, torch.ones(count, *shape), self.lens)
        self.encoded = nothing(count, shape)

    def tracker(self, rules: Rules) -> Tracker:
        return Tracker(self.encoded, self.lens, self, rules)


def test_a_clip_shorter_than_the_warm_up_is_adjusted_at_once() -> None:
    slide = Slide(5, step=1.0)
    tracker = slide.tracker(Rules(filter_threshold=0.01))
    for frame in range(5):
        tracker.track(frame)
    assert tracker.placed == 0
    found = tracker.finish(5)
    assert found is not None
    path = pose.align_first_frame(pose.invert(found.filled.poses.numpy()))
    steps = -np.diff(path[:, 0, 3])
    assert steps == pytest.approx(np.full(4, steps.mean()), rel=0.02) and steps.mean() > 0


def test_a_camera_that_stands_has_no_two_keyframes() -> None:
    tracker = Slide(12, step=0.0).tracker(Rules(filter_threshold=0.01))
    for frame in range(12):
        tracker.track(frame)
    assert tracker.keyframes.frames == [0]
    assert tracker.finish(12) is None


def test_frames_that_hardly_differ_are_not_taken() -> None:
    tracker = Slide(9, step=0.5).tracker(Rules(filter_threshold=1.2))
    for frame in range(9):
        tracker.track(frame)
    assert tracker.keyframes.frames == [0, 3, 6]


def test_a_dropped_keyframe_leaves_its_time_behind() -> None:
    slide = Slide(6, step=1.0)
    known = Keyframes(slide.encoded, slide.lens)
    for frame in (0, 2, 3, 5):
        known.append(frame)
    graph = Graph(known, slide)
    graph.add([(0, 1), (1, 2), (2, 3), (3, 2), (0, 3)])
    known.poses[3, 0, 3], known.depths[3] = 7.0, 2.0
    graph.drop_keyframe(2)
    assert (known.frames, known.times) == ([0, 2, 5], [0.0, 2.0, 3.0]), "as in the authors' code of 2022"
    assert float(known.poses[2, 0, 3]) == 7.0 and float(known.depths[2, 0, 0]) == 2.0
    assert graph.existing() == [(0, 1), (0, 2)]


def test_old_edges_are_retired_for_new_ones_and_still_count() -> None:
    slide = Slide(6, step=1.0)
    known = Keyframes(slide.encoded, slide.lens)
    for frame in range(6):
        known.append(frame)
    graph = Graph(known, slide, most=4)
    graph.add([(0, 1), (1, 0), (1, 2), (2, 1)])
    graph.add([(1, 2), (2, 3), (3, 2)], retire=True)
    assert list(zip(graph.sources, graph.targets, strict=True)) == [(0, 1), (1, 0), (2, 3), (3, 2)]
    assert graph.retired.sources.tolist() == [1, 2]
    graph.add([(1, 2), (2, 1)])
    assert len(graph) == 4, "an edge that was retired does not come back"
    assert len(graph._with_retired(1).sources) == 6
    assert len(graph._with_retired(2).sources) == 4


def test_edges_of_a_frame_stay_in_one_stack() -> None:
    slide = Slide(6)
    known = Keyframes(slide.encoded, slide.lens)
    for frame in range(6):
        known.append(frame)
    graph = Graph(known, slide)
    graph.add([(0, 1), (2, 1), (1, 0), (0, 2), (1, 2), (2, 3), (0, 3), (5, 4)])
    stacks = [graph.sources[rows].tolist() for rows in graph._stacks(4)]
    assert stacks == [[0, 0, 0], [1, 1, 2, 2], [5]]
    assert [len(rows) for rows in graph._stacks(1)] == [3, 2, 2, 1]


def test_stacks_of_edges_change_nothing() -> None:
    slide, found = Slide(10, step=1.0), []
    for at_once in (0, 3):
        known = Keyframes(slide.encoded, slide.lens)
        for frame in range(10):
            known.append(frame)
        graph = Graph(known, slide)
        graph.add([(i, j) for i in range(10) for j in range(10) if 0 < abs(i - j) < 3])
        graph.update(Solver(), free=range(1, 10), at_once=at_once)
        found.append(known.poses.clone())
    assert torch.equal(*found)


def sinking(slide: Slide, down: float, ahead: float) -> Keyframes:
    """Cameras that move so much per frame; their world-to-camera matrices go the other way."""
    known = Keyframes(slide.encoded, slide.lens)
    for frame in range(4):
        known.append(frame)
        known.poses[frame, 1, 3], known.poses[frame, 2, 3] = -down * frame, -ahead * frame
    return known


def test_the_plane_that_cameras_move_at() -> None:
    slide = Slide(4)
    found = plane_across(sinking(slide, down=2.0, ahead=1.5))
    assert found is not None
    rows = (torch.arange(16.0) - 8) / 16
    wanted = (2.0 * rows + 1.5)[:, None].expand(16, 16)
    assert torch.allclose(found, wanted / wanted.mean(), atol=1e-6)
    backwards = plane_across(sinking(slide, down=-2.0, ahead=-1.5))
    assert backwards is not None and torch.allclose(backwards, found), "a plane behind cameras that recede is the same"
    level = plane_across(sinking(slide, down=2.0, ahead=0.1))
    assert level is not None and float(level.min()) == pytest.approx(0.05 * float(level.max())), "up to its horizon"
    assert plane_across(sinking(slide, down=0.0, ahead=0.0)) is None


def test_a_flow_that_is_well_read_and_one_that_reads_no_better_stay() -> None:
    slide = Slide(4, step=1.0)
    known = Keyframes(slide.encoded, slide.lens)
    for frame in range(4):
        known.append(frame)
    graph = Graph(known, slide)
    graph.add(neighbours(0, 4))
    for _ in range(4):
        graph.update(GLOBAL_SOLVER, free=range(1, 4))
    kept = known.poses.clone(), known.depths.clone()
    assert not graph.start_again(GLOBAL_SOLVER), "nothing is left to explain"
    random = torch.Generator().manual_seed(0)
    graph.flow = graph.flow + torch.randn(graph.flow.shape, generator=random)
    assert mean_miss(known, graph.edges) > 0.5
    assert not graph.start_again(GLOBAL_SOLVER), "no reading explains noise"
    assert torch.equal(known.poses, kept[0]) and torch.equal(known.depths, kept[1])
