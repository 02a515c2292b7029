"""The warp error on a GPU is that for arrays; torch's CPU stands for the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from worldgauge.benchmarks.memobench.formulas.smoothness import forward_sampled_error

torch = pytest.importorskip("torch")


def test_errors_are_those_of_arrays() -> None:
    from worldgauge.benchmarks.memobench.formulas.smoothness_on_device import forward_sampled_errors

    rng = np.random.default_rng(0)
    images, following = rng.integers(0, 256, (2, 3, 20, 30, 3), np.uint8)
    fields = rng.normal(scale=5, size=(3, 20, 30, 2)).astype(np.float32)
    wanted = [forward_sampled_error(*parts) for parts in zip(images, following, fields, strict=True)]
    found = forward_sampled_errors(*map(torch.from_numpy, (images, following, fields)))
    assert found.numpy() == pytest.approx(wanted, rel=1e-6)
