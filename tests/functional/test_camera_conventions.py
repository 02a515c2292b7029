"""Every convention, to and from, and a test point that must land on the same pixel."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.camera_conventions import CONVENTIONS, convert, from_opencv, to_opencv


@pytest.fixture
def poses():
    random = np.random.default_rng(0)
    matrices = np.tile(np.eye(4), (20, 1, 1))
    matrices[:, :3, :3] = Rotation.random(20, random_state=1).as_matrix()
    matrices[:, :3, 3] = random.normal(size=(20, 3)) * 10
    return matrices


@pytest.mark.parametrize("name", CONVENTIONS)
def test_round_trip(poses, name):
    assert np.abs(to_opencv(from_opencv(poses, name), name) - poses).max() < 1e-9


@pytest.mark.parametrize("source", CONVENTIONS)
@pytest.mark.parametrize("target", CONVENTIONS)
def test_round_trip_between_any_two(poses, source, target):
    there = from_opencv(poses, source)
    assert np.abs(convert(convert(there, source, target), target, source) - there).max() < 1e-9


@pytest.fixture
def view():
    """A camera, a point it sees and the pixel it sees it at (f = 500, c = 256)."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("yxz", [20, -10, 5], degrees=True).as_matrix()
    pose[:3, 3] = 0.4, -0.2, 0.3
    point = np.array([0.9, 0.1, 4.0])
    x, y, z = pose[:3, :3].T @ (point - pose[:3, 3])
    return pose, point, (500 * x / z + 256, 500 * y / z + 256)


def test_pytorch3d_projects_to_the_same_pixel(view):
    pose, point, pixel = view
    matrix = from_opencv([pose], "pytorch3d")[0]
    x, y, z = point @ matrix[:3, :3] + matrix[3, :3]
    # PyTorch3D's screen: +x left and +y up in the view, pixels right and down.
    assert (256 - 500 * x / z, 256 - 500 * y / z) == pytest.approx(pixel, abs=1e-9)


def test_colmap_projects_to_the_same_pixel(view):
    pose, point, pixel = view
    matrix = from_opencv([pose], "colmap")[0]
    x, y, z = matrix[:3, :3] @ point + matrix[:3, 3]
    assert (500 * x / z + 256, 500 * y / z + 256) == pytest.approx(pixel, abs=1e-9)


@pytest.mark.parametrize("name", ["opengl", "blender"])
def test_opengl_projects_to_the_same_pixel(view, name):
    pose, point, pixel = view
    matrix = np.linalg.inv(from_opencv([pose], name)[0])
    x, y, z = matrix[:3, :3] @ point + matrix[:3, 3]
    assert (256 + 500 * x / -z, 256 - 500 * y / -z) == pytest.approx(pixel, abs=1e-9)


def test_unreal_projects_to_the_same_pixel(view):
    pose, point, pixel = view
    matrix = from_opencv([pose], "ue")[0]
    centimetres = 100 * np.array([point[2], point[0], -point[1]])
    forward, right, up = matrix[:3, :3].T @ (centimetres - matrix[:3, 3])
    assert (256 + 500 * right / forward, 256 - 500 * up / forward) == pytest.approx(pixel, abs=1e-9)


def test_only_unreal_is_left_handed(poses):
    for name in CONVENTIONS:
        determinant = np.linalg.det(from_opencv(poses, name)[:, :3, :3])
        assert determinant == pytest.approx(np.ones(20)), name
    # Unreal mirrors world and camera alike, so each matrix is still a rotation; its world is not.
    assert np.linalg.det(np.array(CONVENTIONS["ue"].world)) == -1


def test_wrong_name():
    with pytest.raises(WorldGaugeError, match="did you mean blender"):
        to_opencv(np.eye(4)[None], "blendr")


def test_wrong_shape():
    with pytest.raises(WorldGaugeError, match=r"\(N, 4, 4\)"):
        to_opencv(np.eye(4), "opencv")
