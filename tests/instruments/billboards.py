"""A world of flat textured cards, drawn exactly by homographies: frames, poses and depth are all known."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from worldgauge.functional.lens import Lens

WIDTH, HEIGHT = 240, 160
LENS = Lens(200.0, (WIDTH / 2, HEIGHT / 2), (WIDTH, HEIGHT))
CARD = 256
"""Texture pixels along a card's side."""


@dataclass(frozen=True)
class Card:
    """A square facing the first camera: its centre and side, metres."""

    x: float
    y: float
    z: float
    side: float
    seed: int


WALL = tuple(Card(4.0 * k, 4.0 * row, 6.0, 4.1, 30 + 3 * k + row) for k in range(-3, 4) for row in (-1, 0, 1))
"""Overlapping a little, so that no gap shows."""
CARDS = (
    Card(-0.9, 0.3, 2.5, 0.9, 1),
    Card(0.5, -0.5, 3.2, 0.8, 2),
    Card(1.2, 0.6, 2.2, 0.7, 3),
    Card(-0.2, 0.9, 3.8, 0.9, 4),
)


@lru_cache
def paint(seed: int) -> np.ndarray:
    """A soft patchwork of random colours, (CARD, CARD, 3)."""
    patches = np.random.default_rng(seed).uniform(30, 225, (24, 24, 3)).astype(np.float32)
    coarse = cv2.resize(patches, (CARD, CARD), interpolation=cv2.INTER_NEAREST)
    return np.clip(cv2.GaussianBlur(coarse, (0, 0), 1.5), 0, 255).astype(np.uint8)


def draw(pose: np.ndarray, cards: tuple[Card, ...]) -> tuple[np.ndarray, np.ndarray]:
    """RGB frame and depth map (0 where nothing is) of a camera-to-world pose; far cards first."""
    world_to_camera = np.linalg.inv(pose)
    frame, depth = np.zeros((HEIGHT, WIDTH, 3), np.uint8), np.zeros((HEIGHT, WIDTH), np.float32)
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    for card in sorted(cards, key=lambda c: -c.z):
        # Texture pixel (u, v) lies at corner + side / CARD * (u + 0.5, v + 0.5, 0).
        scale = card.side / CARD
        corner = np.array([card.x - card.side / 2, card.y - card.side / 2, card.z])
        plane = np.array([[scale, 0, corner[0] + scale / 2], [0, scale, corner[1] + scale / 2], [0, 0, corner[2]]])
        to_camera = world_to_camera[:3, :3] @ plane + np.outer(world_to_camera[:3, 3], [0, 0, 1])
        corners = to_camera @ np.array([[0, CARD, 0, CARD], [0, 0, CARD, CARD], [1, 1, 1, 1.0]])
        if (corners[2] < 0.2).any():
            continue
        # OpenCV counts pixel centres from 0.
        home = (LENS.matrix() - np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])) @ to_camera
        drawn = cv2.warpPerspective(paint(card.seed), home, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
        inside = cv2.warpPerspective(np.full((CARD, CARD), 255, np.uint8), home, (WIDTH, HEIGHT)) > 250
        frame[inside] = drawn[inside]
        normal = world_to_camera[:3, :3] @ np.array([0.0, 0, 1])
        offset = normal @ corners[:, 0]
        rays = np.stack(
            [(x - LENS.centre[0]) / LENS.focal, (y - LENS.centre[1]) / LENS.focal, np.ones_like(x)], axis=-1
        )
        depth[inside] = (offset / (rays @ normal))[inside]
    return frame, depth


def film(poses: np.ndarray, cards: tuple[Card, ...] = (*WALL, *CARDS)) -> tuple[np.ndarray, np.ndarray]:
    """Frames (N, H, W, 3) and depths (N, H, W)."""
    frames, depths = zip(*(draw(pose, cards) for pose in poses), strict=True)
    return np.stack(frames), np.stack(depths)


def pan(degrees: np.ndarray) -> np.ndarray:
    """Poses of a camera that turns about its vertical axis, right positive."""
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    poses[:, :3, :3] = Rotation.from_rotvec(np.radians(degrees)[:, None] * [[0.0, 1, 0]]).as_matrix()
    return poses


def slide(count: int, right: float, forward: float = 0.0, turn: float = 0.0) -> np.ndarray:
    """Poses of a camera that moves by so many metres and turns by so many degrees in all."""
    poses = pan(np.linspace(0, turn, count))
    poses[:, 0, 3], poses[:, 2, 3] = np.linspace(0, right, count), np.linspace(0, forward, count)
    return poses
