"""Pictures of Gaussians against a slow way to draw them, pixel by pixel, and in all light there is."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from worldgauge.functional import gaussian_pictures  # noqa: E402
from worldgauge.functional.gaussian_pictures import Cloud, draw  # noqa: E402

SIZE = (19, 13)
LENS = np.array([[14.0, 0, 9.5], [0, 16.0, 6.0], [0, 0, 1]])


def turned(angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    pose[:3, 3] = (0.1, -0.05, 0.3)
    return pose


def some(count: int, coefficients: int = 9, seed: int = 0) -> Cloud:
    random = np.random.default_rng(seed)
    parts = [
        random.normal(0, 1, (count, 3)) * (1.2, 0.8, 1.0) + (0, 0, 3),
        random.normal(0, 1, (count, 4)),
        random.uniform(0.02, 0.5, (count, 3)),
        random.uniform(0.0, 1.0, count),
        random.normal(0, 0.3, (count, coefficients, 3)),
    ]
    return Cloud(*(torch.tensor(part, dtype=torch.float64) for part in parts))


def slowly(cloud: Cloud, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each pixel by itself, each Gaussian one after the other; light is taken off as it is met."""
    means, quaternions, scales, opacities, harmonics = (getattr(cloud, f.name).numpy() for f in fields(Cloud))
    width, height = SIZE
    seen = means @ pose[:3, :3].T + pose[:3, 3]
    out, cover = np.zeros((height, width, 3)), np.zeros((height, width))
    flat = []
    for k in np.argsort(seen[:, 2], kind="stable"):
        x, y, z = seen[k]
        if z <= 0.01:
            continue
        w, i, j, l = quaternions[k] / np.linalg.norm(quaternions[k])  # noqa: E741
        turn = np.array(
            [
                [1 - 2 * (j * j + l * l), 2 * (i * j - w * l), 2 * (i * l + w * j)],
                [2 * (i * j + w * l), 1 - 2 * (i * i + l * l), 2 * (j * l - w * i)],
                [2 * (i * l - w * j), 2 * (j * l + w * i), 1 - 2 * (i * i + j * j)],
            ]
        )
        spread = pose[:3, :3] @ turn @ np.diag(scales[k] ** 2) @ turn.T @ pose[:3, :3].T
        limits = [
            (LENS[a, 2] / LENS[a, a], (side - LENS[a, 2]) / LENS[a, a], side / LENS[a, a])
            for a, side in enumerate(SIZE)
        ]
        tx, ty = (
            np.clip(v / z, -low - 0.15 * whole, high + 0.15 * whole)
            for v, (low, high, whole) in zip((x, y), limits, strict=True)
        )
        jacobian = np.array([[LENS[0, 0] / z, 0, -LENS[0, 0] * tx / z], [0, LENS[1, 1] / z, -LENS[1, 1] * ty / z]])
        flat_spread = jacobian @ spread @ jacobian.T + 0.3 * np.eye(2)
        toward = means[k] + pose[:3, :3].T @ pose[:3, 3]
        a, b, c = toward / np.linalg.norm(toward)
        basis = [0.28209479, -0.48860251 * b, 0.48860251 * c, -0.48860251 * a, 1.09254843 * a * b, -1.09254843 * b * c]
        basis += [0.31539157 * (2 * c * c - a * a - b * b), -1.09254843 * a * c, 0.54627422 * (a * a - b * b)]
        colour = np.maximum(np.array(basis[: harmonics.shape[1]]) @ harmonics[k] + 0.5, 0)
        centre = np.array([LENS[0, 0] * x / z + LENS[0, 2], LENS[1, 1] * y / z + LENS[1, 2]])
        flat.append((centre, np.linalg.inv(flat_spread), opacities[k], colour))
    for row in range(height):
        for column in range(width):
            left = 1.0
            for centre, conic, opacity, colour in flat:
                apart = centre - (column + 0.5, row + 0.5)
                alpha = min(0.999, opacity * np.exp(-0.5 * apart @ conic @ apart))
                if alpha < 1 / 255:
                    continue
                if left * (1 - alpha) <= 1e-4:
                    break
                out[row, column] += left * alpha * colour
                left *= 1 - alpha
            cover[row, column] = 1 - left
    return out, cover


@pytest.mark.parametrize("coefficients", [1, 9])
def test_the_same_as_pixel_by_pixel(coefficients: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud, pose = some(60, coefficients), turned(0.2)
    wanted, cover = slowly(cloud, pose)
    colours, covered = draw(cloud, torch.tensor(pose), torch.tensor(LENS), SIZE)
    # Beyond 3.33 deviations nothing is drawn, which is worth 0.004 of a Gaussian at most.
    assert np.abs(colours.numpy() - wanted).max() < 0.01 and np.abs(colours.numpy() - wanted).mean() < 1e-4
    assert covered.numpy() == pytest.approx(cover, abs=0.01)
    assert cover.max() > 0.99 and cover.min() < 0.7, "some pixels are full, some are not"
    monkeypatch.setattr(gaussian_pictures, "MOST_PAIRS", 40)
    in_bands, _ = draw(cloud, torch.tensor(pose), torch.tensor(LENS), SIZE)
    assert np.array_equal(in_bands.numpy(), colours.numpy()), "bands change nothing"


def test_what_is_before_hides_what_is_behind() -> None:
    two = Cloud(
        means=torch.tensor([[0.0, 0, 4], [0, 0, 2]]),
        quaternions=torch.tensor([[1.0, 0, 0, 0]] * 2),
        scales=torch.full((2, 3), 2.0),
        opacities=torch.tensor([1.0, 1.0]),
        harmonics=torch.tensor([[[1.0, -2, -2]], [[-2.0, 1, -2]]]) / 0.28209479,
    )
    colours, covered = draw(two, torch.eye(4), torch.tensor(LENS, dtype=torch.float32), SIZE)
    red, green, _ = colours[6, 9].tolist()
    assert red < 0.01 and green == pytest.approx(0.999 * 1.5, abs=0.01) and covered[6, 9] > 0.998
    behind, _ = draw(two, torch.diag(torch.tensor([-1.0, 1, -1, 1])), torch.tensor(LENS, dtype=torch.float32), SIZE)
    assert not behind.any(), "nothing behind the camera is drawn"
