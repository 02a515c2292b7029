"""Recorded network outputs put where a run has its instruments, so that vectors go through the registered metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition
from worldgauge.core.clip import Clip
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.signal import SIGNALS, Arrays
from worldgauge.core.video import Video
from worldgauge.functional.camera_conventions import to_opencv
from worldgauge.signals.flow import flow_fields

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]
CASE = Case(id="vector")


def measured(metric: str, *signals: Arrays, case: Case = CASE, **parameters: Any) -> Measurement:
    """What a registered metric answers under its defaults, which are those of `released`."""
    return METRICS.get(f"worldscore/{metric}").function(case, *signals, **parameters)


def perceived(signal: str, *inputs: Any) -> Arrays:
    """What a registered signal reads."""
    found: Arrays = SIGNALS.get(f"worldscore/{signal}").function(*inputs)
    return found


def clip_of(frames: Image) -> Clip:
    return Clip(Video.from_array(frames, layout="THWC"))


def blank_clip(count: int, flow: Floats | None) -> Clip:
    """Black frames, where only the recorded flow between them matters."""
    height, width = flow.shape[:2] if flow is not None else (64, 64)
    return clip_of(np.zeros((count, height, width, 3), np.uint8))


def case_with_camera(folder: Path, saved: NDArray[Any], speed: float) -> Case:
    """A case that asks for the cameras of a `camera_data.json`, brought to unit speed."""
    poses = to_opencv(np.asarray(saved, np.float64), CAMERA_DATA)
    poses[:, :3, 3] /= speed
    CameraPath(poses).save(folder / "camera.npz")
    return Case(id="vector", condition=Condition(camera="camera.npz")).at(folder)


class Answers:
    """An instrument that gives recorded answers in their order, whatever it is asked."""

    def __init__(self, answers: Iterable[Any]) -> None:
        self._answers = iter(answers)

    def micro_batch(self, width: int, height: int) -> int:
        return 1

    def flow_stacks(self, frames: Sequence[Image], pairs: Sequence[tuple[int, int]]) -> Iterator[Floats]:
        for _ in pairs:
            yield np.asarray(next(self._answers), np.float32)[None]

    def between(self, befores: Image, afters: Image) -> Image:
        return np.asarray(next(self._answers), np.uint8)[None]

    def distances(self, frames: Image, references: Image) -> NDArray[np.float64]:
        return np.array([float(next(self._answers))])


def motion_magnitude(flows: Sequence[Floats]) -> Measurement:
    clip = blank_clip(len(flows) + 1, flows[0] if len(flows) else None)
    # The way back is not looked at.
    both = Answers([way for flow in flows for way in (flow, flow)])
    return measured("motion_magnitude", perceived("motion_medians", flow_fields.function(clip, both)))


def flow_cycle_error(flows: Sequence[Floats]) -> Measurement:
    """`flows`: forward and backward of one pair after the other."""
    clip = blank_clip(len(flows) // 2 + 1, flows[0] if len(flows) else None)
    return measured("flow_cycle_error", perceived("flow_cycles", flow_fields.function(clip, Answers(flows))))
