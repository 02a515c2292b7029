"""Upright boxes of wire before a known camera, as edges and as a picture."""

import cv2
import numpy as np

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
EDGES = [(a, b) for a in range(8) for b in range(a) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1]


def camera(roll, pitch, yaw):
    """World (x right, y down, z ahead) to camera: turned by yaw, looking up by pitch, upright things leaning right."""
    r, p, y = np.radians([roll, pitch, yaw])
    turned = np.array([[np.cos(y), 0, -np.sin(y)], [0, 1, 0], [np.sin(y), 0, np.cos(y)]])
    tilted = np.array([[1, 0, 0], [0, np.cos(p), np.sin(p)], [0, -np.sin(p), np.cos(p)]])
    rolled = np.array([[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1]])
    return rolled @ tilted @ turned


def boxes(roll, pitch, yaw, fov, count=14, seed=1):
    """(N, 4) edges of boxes that stand square to each other."""
    rng = np.random.default_rng(seed)
    focal, view = 1 / np.tan(np.radians(fov) / 2), camera(roll, pitch, yaw)
    edges = []
    for _ in range(count):
        place = camera(0, 0, yaw).T @ rng.uniform([-5, -2, 5], [5, 2, 12])
        points = ((CORNERS - 0.5) * rng.uniform(0.5, 2, 3) + place) @ view.T
        seen = focal * points[:, :2] / points[:, 2:]
        edges += [np.concatenate([seen[a], seen[b]]) for a, b in EDGES if min(points[a, 2], points[b, 2]) > 0.5]
    return np.array(edges) + rng.normal(0, 0.003, (len(edges), 4))


def drawn_boxes(roll, pitch, yaw, fov):
    """A picture of 960x540 with the edges in it."""
    picture = np.full((540, 960, 3), 230, np.uint8)
    edges = boxes(roll, pitch, yaw, fov, count=9, seed=3) * 270 + np.tile([480, 270], 2)
    for x, y, u, v in np.rint(edges).astype(int).tolist():
        cv2.line(picture, (x, y), (u, v), (30, 30, 30), 2, cv2.LINE_AA)
    return picture
