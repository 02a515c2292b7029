"""Meshes and textures: outward faces, sizes, seams."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.blocks import shapes, textures

SOLIDS = {
    "box": (shapes.box(2, 3, 4), 24.0),
    "cylinder": (shapes.cylinder(1, 2, 200), 2 * np.pi),
    "cone": (shapes.cone(1, 3, 200), np.pi),
    "sphere": (shapes.sphere(1, 200), 4 / 3 * np.pi),
    "roof": (shapes.roof(2, 4, 3), 12.0),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_volume_is_positive_and_right(name: str) -> None:
    """The divergence theorem: closed and outward means the signed volume is the solid's."""
    mesh, volume = SOLIDS[name]
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    assert np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6 == pytest.approx(volume, rel=2e-3)


def test_texture_coordinates_are_metres() -> None:
    mesh = shapes.box(2, 3, 4)
    for face in mesh.faces:
        edge = mesh.vertices[face[0]] - mesh.vertices[face[1]]
        assert np.linalg.norm(edge) == pytest.approx(np.linalg.norm(mesh.uv[face[0]] - mesh.uv[face[1]]))


@pytest.mark.parametrize("name", textures.TEXTURES)
def test_textures_are_deterministic_and_differ_by_seed(name: str) -> None:
    first, again, other = (textures.paint(name, np.random.default_rng(s), (0.5, 0.4, 0.3)) for s in (1, 1, 2))
    assert first.shape == (textures.SIDE, textures.SIDE, 3) and first.dtype == np.uint8
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_noise_tiles_without_a_seam() -> None:
    field = textures.smooth_noise(np.random.default_rng(0), 1.5)
    inside = np.abs(np.diff(field, axis=1)).mean()
    assert np.abs(field[:, 0] - field[:, -1]).mean() < 2 * inside


def test_bland_and_rich_surfaces_both_exist() -> None:
    spread = {n: textures.paint(n, np.random.default_rng(3), (0.6, 0.5, 0.4)).mean(-1).std() for n in textures.TEXTURES}
    assert spread["plain"] < 3 < 12 < spread["brick"]
