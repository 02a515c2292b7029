"""Freed memory is reused instead of being mapped anew."""

import resource
import sys

import numpy as np
import pytest

from worldgauge.engine.memory import keep_freed_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_frame_sized_arrays_touch_no_new_pages() -> None:
    if not keep_freed_memory():
        pytest.skip("this C library has no mallopt")
    frame = 5 * 2**20
    for _ in range(3):
        np.ones(frame, np.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(frame, np.uint8)
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    # Mapped anew, fifty arrays of 1280 pages each are 64,000 faults (125 with huge pages).
    assert faults < 60
