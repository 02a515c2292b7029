"""Depth, projection and flow against closed forms, known points and an independent composition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from worldgauge.blocks import Truth, shapes
from worldgauge.blocks.paths import camera_path, find_path
from worldgauge.blocks.processes.base import Act, Words
from worldgauge.blocks.render import painter, render_frames
from worldgauge.blocks.scene import Look, SceneBuilder, Stage
from worldgauge.blocks.timeline import simulate

Render = Callable[..., Truth]
AWAY = (
    ("street", "u_turn", "crossing"),
    ("room", "away_left", "rolling"),
    ("hall", "head_turn", "windmill"),
    ("pool", "tilt", "bouncing"),
    ("yard", "away_right", "burning"),
    ("shelf", "exit_wait_reenter", "inflating"),
)


def _rays(truth: Truth) -> np.ndarray:
    width, height = truth.block.size
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    return np.stack([u, v, np.ones_like(u)], -1) @ np.linalg.inv(truth.camera.intrinsics[0]).T


def _project(points: np.ndarray, camera, frame: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels (n, 2) and depths (n,) of world points."""
    pose = camera.poses[frame]
    local = (points - pose[:3, 3]) @ pose[:3, :3]
    image = local @ camera.intrinsics[frame].T
    return image[:, :2] / image[:, 2:], local[:, 2]


@pytest.mark.parametrize(("family", "path", "process"), AWAY)
def test_depth_of_the_ground_plane_is_analytic(rendered: Render, family: str, path: str, process: str) -> None:
    truth = rendered(seed=7, family=family, path=path, process=process, frames=21, fps=4.0)
    ground = next(i for i in truth.world.scene.instances if i.kind == "ground")
    checked = 0
    for frame in range(0, 21, 4):
        mine = truth.ids[frame] == ground.id
        pose = truth.camera.poses[frame]
        fall = (_rays(truth) @ pose[:3, :3].T)[..., 2]
        expected = -pose[2, 3] / fall[mine]  # the ground is z = 0; rays have z = 1 in the camera, so t is the depth
        np.testing.assert_allclose(truth.depth[frame][mine], expected, rtol=1e-3)
        checked += int(mine.sum())
    assert checked > 20_000


def test_known_points_land_where_they_are_rendered() -> None:
    size, rng = (320, 180), np.random.default_rng(5)
    b = SceneBuilder(rng, size)
    target = b.instance("marker", "target")
    b.add(target, shapes.sphere(0.05, 24), Look("plain", (1, 0, 0)), (0, 0, 0.8))
    points = rng.uniform((-1.5, -1.0, 0.2), (1.5, 1.5, 1.6), (25, 3))
    markers = [b.instance("marker", "prop") for _ in points]
    for marker, point in zip(markers, points, strict=True):
        b.add(marker, shapes.sphere(0.03, 24), Look("plain", (0, 1, 0)), tuple(point))
    stage = Stage("nothing", 1.0)
    scene = b.compile(target, stage)
    camera = camera_path(find_path("orbit_left"), stage, np.array([0, 0, 0.8]), 5, size)
    words = Words("", "", "", "", "", "")
    timeline, _ = simulate(scene, Act(target, (0, 0, 0.8), words, ()), camera, 4.0)
    seen = 0
    with painter(scene, size) as draw:
        for frame in range(5):
            _, geoms, _ = draw.shapes(timeline, frame)
            where, _ = _project(points, camera, frame)
            for marker, place in zip(markers, where, strict=True):
                rows, columns = np.nonzero(np.isin(geoms, marker.geoms))
                inside = 4 < place[0] < size[0] - 4 and 4 < place[1] < size[1] - 4
                if len(rows) < 9 or not inside or _touches_another(geoms, rows, columns):
                    continue
                rendered_at = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
                assert np.abs(rendered_at - place).max() < 0.5
                seen += 1
    assert seen > 40


def _touches_another(geoms: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> bool:
    """Whether another marker overlaps: then the centroid is not the marker's."""
    around = geoms[max(rows.min() - 1, 0) : rows.max() + 2, max(columns.min() - 1, 0) : columns.max() + 2]
    return len(np.unique(around[around >= 0])) > 1


@pytest.mark.parametrize(("family", "path", "process"), AWAY)
def test_flow_of_static_surfaces_is_depth_and_pose(rendered: Render, family: str, path: str, process: str) -> None:
    truth = rendered(seed=7, family=family, path=path, process=process, frames=21, fps=4.0)
    rays, moving = _rays(truth), [i.id for i in truth.world.scene.instances if i.name in truth.states.names]
    checked = 0
    for frame in range(0, 20, 2):
        still = ~np.isin(truth.ids[frame], [0, *moving]) & ~truth.occluded[frame]
        world = rays[still] * truth.depth[frame][still][:, None]
        world = world @ truth.camera.rotation[frame].T + truth.camera.translation[frame]
        place, _ = _project(world, truth.camera, frame + 1)
        start, _ = _project(world, truth.camera, frame)
        assert np.abs((place - start) - truth.flow[frame][still]).max(initial=0) < 0.05
        checked += int(still.sum())
    assert checked > 50_000


@pytest.mark.parametrize(("family", "path", "process"), AWAY)
def test_exact_flow_explains_the_next_frame_three_times_better_than_dis(
    rendered: Render, family: str, path: str, process: str
) -> None:
    """At 4 frames per second, so that frames lie far apart in time. Slow motion leaves both at the rounding floor."""
    truth = rendered(seed=7, family=family, path=path, process=process, frames=21, fps=4.0)
    exact, best = [], []
    for k in range(20):
        valid = ~truth.occluded[k]
        if valid.sum() < 500:
            continue
        a, b = truth.frames[k], truth.frames[k + 1]
        grey = [cv2.cvtColor(np.ascontiguousarray(f), cv2.COLOR_RGB2GRAY) for f in (a, b)]
        estimates = [cv2.DISOpticalFlow_create(preset).calc(*grey, None) for preset in (0, 1, 2)]
        exact.append(_warp_error(a, b, truth.flow[k], valid))
        best.append(min(_warp_error(a, b, flow, valid) for flow in estimates))
    assert np.mean(exact) <= np.mean(best) / 3


def _warp_error(first: np.ndarray, second: np.ndarray, flow: np.ndarray, valid: np.ndarray) -> float:
    x, y = np.meshgrid(np.arange(first.shape[1]), np.arange(first.shape[0]))
    at = (x + flow[..., 0]).astype(np.float32), (y + flow[..., 1]).astype(np.float32)
    back = cv2.remap(second.astype(np.float32), *at, cv2.INTER_LINEAR)
    return float(np.abs(back - first)[valid].mean())


@pytest.mark.parametrize("process", ["melting", "windmill", "rolling", "inflating", "crossing"])
def test_flow_of_moving_and_deforming_things_follows_their_vertices(rendered: Render, process: str) -> None:
    truth = rendered(seed=4, family="yard", path="fixed", process=process, frames=9, fps=4.0)
    scene, timeline = truth.world.scene, truth.world.timeline
    errors, travelled = [], []
    with painter(scene, truth.block.size) as draw:
        for k in range(8):
            _, geoms, _ = draw.shapes(timeline, k)
            for geom in scene.target.geoms:
                mesh = scene.model.geom_dataid[geom]
                start = scene.model.mesh_vertadr[mesh]
                own = scene.model.mesh_vert[start : start + scene.model.mesh_vertnum[mesh]].astype(float)
                now, after = (own @ timeline.linear[f, geom].T + timeline.position[f, geom] for f in (k, k + 1))
                place, depth = _project(now, truth.camera, k)
                later, _ = _project(after, truth.camera, k + 1)
                ok = _seen(place, depth, geoms == geom, truth.depth[k])
                flow = _interpolate(truth.flow[k], place[ok])
                errors.append(np.abs((later - place)[ok] - flow).max(-1))
                travelled.append(np.abs((later - place)[ok]).max(-1))
    error, motion = np.concatenate(errors), np.concatenate(travelled)
    assert len(error) > 60 and np.percentile(motion, 90) > 0.5
    # Between pixel centres the flow of a turning thing is not linear; the rest is rounding.
    assert np.median(error) < 0.02 and np.percentile(error, 80) < 0.25


def _interpolate(field: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Bilinear look-up between pixel centres."""
    left, top = np.floor(place - 0.5).astype(int).T
    x, y = (place - 0.5 - np.stack([left, top], -1)).T[..., None]
    upper = field[top, left] * (1 - x) + field[top, left + 1] * x
    lower = field[top + 1, left] * (1 - x) + field[top + 1, left + 1] * x
    return upper * (1 - y) + lower * y


def _seen(place: np.ndarray, depth: np.ndarray, mine: np.ndarray, seen_depth: np.ndarray) -> np.ndarray:
    """Vertices in front whose four surrounding pixels all show the geom."""
    height, width = mine.shape
    left, top = np.floor(place - 0.5).astype(int).T
    ok = (left >= 0) & (left < width - 1) & (top >= 0) & (top < height - 1)
    left, top = left.clip(0, width - 2), top.clip(0, height - 2)
    for row, column in ((top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)):
        ok &= mine[row, column] & (np.abs(seen_depth[row, column] / depth - 1) < 0.02)
    return ok


def test_occlusion_marks_what_leaves_the_picture(rendered: Render) -> None:
    truth = rendered(seed=7, family="room", path="away_left", process="rolling", frames=21, fps=4.0)
    x, y = np.meshgrid(np.arange(320) + 0.5, np.arange(180) + 0.5)
    for k in range(20):
        to = np.stack([x, y], -1) + truth.flow[k]
        outside = (to[..., 0] < 0) | (to[..., 0] > 320) | (to[..., 1] < 0) | (to[..., 1] > 180)
        assert truth.occluded[k][outside].all()


def test_hidden_points_are_marked_and_kept_points_show_the_same_geom(rendered: Render) -> None:
    truth = rendered(seed=7, family="street", path="u_turn", process="crossing", frames=21, fps=4.0)
    x, y = np.meshgrid(np.arange(320) + 0.5, np.arange(180) + 0.5)
    for k in range(0, 20, 2):
        kept = ~truth.occluded[k]
        to = (np.stack([x, y], -1) + truth.flow[k])[kept]
        column, row = np.clip(np.floor(to).astype(int), 0, (319, 179)).T
        assert (truth.ids[k + 1][row, column] == truth.ids[k][kept]).all()


def test_the_visible_target_is_part_of_the_amodal_one(rendered: Render) -> None:
    truth = rendered(seed=7, family="street", path="u_turn", process="crossing", frames=21, fps=4.0)
    assert (truth.amodal | ~truth.visible).all()
    target = truth.world.scene.target.id
    np.testing.assert_array_equal(truth.visible, truth.ids == target)


def test_zero_transform_hides_a_thing(rendered: Render) -> None:
    truth = rendered(seed=4, family="yard", path="fixed", process="melting", frames=9, fps=4.0)
    linear = truth.world.timeline.linear.copy()
    linear[:, truth.world.scene.target.geoms] = 0
    hidden = replace(truth.world.timeline, linear=linear)
    with painter(truth.world.scene, truth.block.size) as draw:
        _, geoms, amodal = draw.shapes(hidden, 3)
    assert not np.isin(geoms, truth.world.scene.target.geoms).any() and not amodal.any()


def test_painting_the_recorded_timeline_gives_the_same_pictures(rendered: Render) -> None:
    truth = rendered(seed=4, family="yard", path="fixed", process="melting", frames=9, fps=4.0)
    np.testing.assert_array_equal(render_frames(truth.world.scene, truth.world.timeline), truth.frames)
