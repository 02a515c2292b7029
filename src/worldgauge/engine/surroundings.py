"""The process we work in may be somebody's notebook or training loop: what we change in it is put back."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

_BLAS = "OPENBLAS_NUM_THREADS"


@contextmanager
def as_found() -> Iterator[None]:
    """Work with one OpenCV thread; afterwards threads, random states and cuDNN's flags are those of before."""
    import cv2

    threads = cv2.getNumThreads()
    restore = [_python_random(), _numpy_random(), *_torch()]
    one_opencv_thread()
    try:
        yield
    finally:
        cv2.setNumThreads(threads)
        for put_back in restore:
            put_back()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Processes started meanwhile use one BLAS thread each. This one has imported NumPy long ago and keeps its own."""
    before = os.environ.get(_BLAS)
    os.environ.setdefault(_BLAS, "1")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_BLAS, None)


def one_opencv_thread() -> None:
    """OpenCV splits some algorithms by its thread count, which changes results; workers are our parallelism."""
    import cv2

    cv2.setNumThreads(1)


def one_torch_thread() -> None:
    """Beside a GPU torch's own threads have little to do, and those of several workers keep each other from the cores
    while they wait: loading networks then takes many times as long. One for all, so that it changes no digit."""
    import torch

    torch.set_num_threads(1)


def _python_random() -> Callable[[], None]:
    state = random.getstate()
    return lambda: random.setstate(state)


def _numpy_random() -> Callable[[], None]:
    state = np.random.get_state()
    return lambda: np.random.set_state(state)


def _torch() -> list[Callable[[], None]]:
    """Nothing where torch is not imported: then nobody has a state to lose."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    state, threads = torch.random.get_rng_state(), torch.get_num_threads()
    on_gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    cudnn = torch.backends.cudnn
    flags = (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32)

    def put_back() -> None:
        torch.random.set_rng_state(state)
        if on_gpus is not None:
            torch.cuda.set_rng_state_all(on_gpus)
        torch.set_num_threads(threads)
        cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32 = flags

    return [put_back]
