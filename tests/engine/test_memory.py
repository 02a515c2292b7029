"""Freed memory is reused instead of being given back and mapped anew."""

import platform
import subprocess
import sys

import pytest

from worldgauge.engine.memory import keep_freed_memory

FAULTS = """
import resource
import sys
import numpy as np
from worldgauge.engine.memory import keep_freed_memory

def clip():
    return [np.ones(5 * 2**20, np.uint8) for _ in range(20)]

understood = sys.argv[1] == "kept" and keep_freed_memory()
for _ in range(3):
    clip()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    clip()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, understood)
"""


def page_faults(how: str) -> tuple[int, bool]:
    """While five clips of twenty frames are made and dropped, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True, check=True)
    count, understood = done.stdout.split()
    return int(count), understood == "True"


def test_frames_of_the_next_clip_touch_no_new_pages() -> None:
    kept, understood = page_faults("kept")
    if not understood:
        pytest.skip("this C library has no mallopt")
    assert kept < 0.05 * page_faults("given back")[0]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left alone")
def test_the_allocator_understands() -> None:
    assert keep_freed_memory() is True
