"""The rules for flow on a GPU are those for arrays; torch's CPU stands for the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.benchmarks.worldscore.formulas import flow_cycle, motion_regions
from worldgauge.functional import flow

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def fields() -> tuple[np.ndarray, np.ndarray]:
    """Three smooth fields, the way back with noise; some vectors leave the view."""
    import cv2

    rng = np.random.default_rng(0)
    there = np.stack([cv2.resize(rng.normal(scale=6, size=(5, 6, 2)), (72, 60)) for _ in range(3)]).astype(np.float32)
    return there, (rng.normal(scale=0.4, size=there.shape) - there).astype(np.float32)


def test_errors_of_there_and_back(fields: tuple[np.ndarray, np.ndarray]) -> None:
    from worldgauge.benchmarks.worldscore.formulas import flow_on_device as device

    there, back = fields
    ways = torch.from_numpy(there), torch.from_numpy(back)
    pairs = list(zip(there, back, strict=True))
    released = [flow_cycle.cycle_error(*pair) for pair in pairs]
    printed = [flow_cycle.printed_cycle_error(*pair) for pair in pairs]
    assert device.cycle_errors(*ways).numpy() == pytest.approx(released, rel=1e-12)
    assert device.printed_cycle_errors(*ways).numpy() == pytest.approx(printed, rel=1e-5)
    assert device.median_magnitudes(ways[0]).tolist() == [flow_cycle.median_magnitude(field) for field in there]
    small = tuple(way[:, :30] for way in ways)
    assert device.cycle_errors(*small).isnan().all() and device.printed_cycle_errors(*small).isnan().all()


def test_motion_in_regions(fields: tuple[np.ndarray, np.ndarray]) -> None:
    from worldgauge.benchmarks.worldscore.formulas import flow_on_device as device

    there, _ = fields
    mask = np.zeros(there.shape[1:3], bool)
    mask[20:30, 20:40] = True
    for field in there:
        on, off = torch.from_numpy(field), torch.from_numpy(mask)
        grown = motion_regions.grow(mask)
        assert np.array_equal(device.grow(off).numpy(), grown)
        assert float(device.contrast_or_nan(on, device.grow(off))) == motion_regions.contrast_or_nan(field, grown)
        assert float(device.printed_contrast(on, off)) == motion_regions.printed_contrast(field, mask)
    for empty in (np.zeros_like(mask), np.ones_like(mask)):
        assert device.contrast_or_nan(torch.from_numpy(there[0]), torch.from_numpy(empty)).isnan()


def test_warping_and_occlusion(fields: tuple[np.ndarray, np.ndarray]) -> None:
    from worldgauge.functional import on_device as device

    there, back = fields
    images = np.random.default_rng(1).integers(0, 256, (3, *there.shape[1:3], 3), np.uint8)
    warped, inside = device.warp(torch.from_numpy(images), torch.from_numpy(there))
    for k in range(3):
        wanted, seen = flow.warp(images[k], there[k])
        assert np.array_equal(inside[k].numpy(), seen)
        assert np.abs(warped[k].numpy() - wanted).max() < 0.05
    error, _, hidden = device.round_trip(torch.from_numpy(there), torch.from_numpy(back))
    for k in range(3):
        wanted_error, _, wanted_hidden = flow.round_trip(there[k], back[k])
        assert np.abs(error[k].numpy() - wanted_error).max() < 1e-3
        assert (hidden[k].numpy() != wanted_hidden).mean() < 1e-3
