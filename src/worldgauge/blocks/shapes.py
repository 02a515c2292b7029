"""Triangle meshes with texture coordinates in metres, so that a brick keeps its size on every wall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mesh:
    vertices: Floats
    """(V, 3) metres."""
    uv: Floats
    """(V, 2) metres along the surface."""
    faces: NDArray[np.int32]
    """(F, 3), counter-clockwise seen from outside."""

    def moved(self, offset: tuple[float, float, float]) -> Mesh:
        return Mesh(self.vertices + np.asarray(offset), self.uv, self.faces)


def box(width: float, depth: float, height: float) -> Mesh:
    """Centred at the origin; side faces have v upwards."""
    half = np.array([width, depth, height]) / 2
    vertices: list[Floats] = []
    uv: list[tuple[float, float]] = []
    faces: list[tuple[int, int, int]] = []
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)):
        # (a, b) span the face with a x b along the outward normal; b is vertical on side faces.
        a, b = {0: (1, 2), 1: (0, 2), 2: (0, 1)}[axis]
        flip = -1 if (axis == 1) == (sign > 0) else 1
        start = len(vertices)
        for sa, sb in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            corner = np.zeros(3)
            corner[axis], corner[a], corner[b] = sign * half[axis], flip * sa * half[a], sb * half[b]
            vertices.append(corner)
            uv.append((sa * half[a], sb * half[b]))
        faces += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Mesh(np.array(vertices), np.array(uv), np.array(faces, np.int32))


def lathe(profile: list[tuple[float, float]], sides: int = 20) -> Mesh:
    """A solid of revolution about z from (radius, height) points, bottom to top."""
    points = np.asarray(profile, dtype=float)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    girth = float(points[:, 0].max())
    ring = np.stack([np.cos(angle), np.sin(angle)], -1)
    vertices = np.concatenate([points[:, :1, None] * ring, np.repeat(points[:, 1:, None], sides + 1, 1)], -1)
    uv = np.stack(np.broadcast_arrays(angle * girth, along[:, None]), -1)
    row, column = np.meshgrid(np.arange(len(points) - 1), np.arange(sides), indexing="ij")
    a = (row * (sides + 1) + column).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + sides + 2], -1), np.stack([a, a + sides + 2, a + sides + 1], -1)])
    mesh = Mesh(vertices.reshape(-1, 3), uv.reshape(-1, 2), faces.astype(np.int32))
    corners = mesh.vertices[mesh.faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return Mesh(mesh.vertices, mesh.uv, mesh.faces[area > 1e-12])


def cylinder(radius: float, height: float, sides: int = 20) -> Mesh:
    low, high = -height / 2, height / 2
    return lathe([(0, low), (radius, low), (radius, high), (0, high)], sides)


def cone(radius: float, height: float, sides: int = 20) -> Mesh:
    return lathe([(0, -height / 2), (radius, -height / 2), (0, height / 2)], sides)


def sphere(radius: float, sides: int = 28, squash: float = 1.0) -> Mesh:
    """`squash` scales the height."""
    polar = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 1)
    return lathe([(radius * float(np.cos(p)), squash * radius * float(np.sin(p))) for p in polar], sides)


def roof(width: float, depth: float, height: float) -> Mesh:
    """A gable roof, base at z = 0, ridge along x."""
    w, d = width / 2, depth / 2
    slope = float(np.hypot(d, height))
    panels: list[tuple[list[tuple[float, float, float]], float]] = [
        ([(-w, -d, 0), (w, -d, 0), (w, 0, height), (-w, 0, height)], slope),
        ([(w, d, 0), (-w, d, 0), (-w, 0, height), (w, 0, height)], slope),
        ([(-w, d, 0), (w, d, 0), (w, -d, 0), (-w, -d, 0)], depth),
    ]
    vertices = [v for corners, _ in panels for v in corners]
    uv = [t for _, high in panels for t in ((0.0, 0.0), (width, 0.0), (width, high), (0.0, high))]
    faces = [f for q in range(3) for f in ((4 * q, 4 * q + 1, 4 * q + 2), (4 * q, 4 * q + 2, 4 * q + 3))]
    for sign in (1, -1):
        start = len(vertices)
        vertices += [(sign * w, -sign * d, 0), (sign * w, sign * d, 0), (sign * w, 0, height)]
        uv += [(0, 0), (depth, 0), (d, height)]
        faces.append((start, start + 1, start + 2))
    return Mesh(np.array(vertices, float), np.array(uv, float), np.array(faces, np.int32))
