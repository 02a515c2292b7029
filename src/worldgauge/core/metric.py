"""`Metric`: a pure function of signals, with its unit, direction and bounds.

    @metric(version=1, unit="dB", higher_is_better=True, bounds=(0, 99), needs=[pixel_errors()])
    def psnr(case: Case, errors: Arrays) -> Measurement:
        '''Mean peak signal-to-noise ratio against the reference video.'''
        return Measurement.from_curve(errors["psnr"])

The function gets the case, then the signals it needs in order; keyword-only arguments are its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worldgauge.core.registry import Registry, unknown_name
from worldgauge.core.signal import READABLE, SIGNALS, SignalUse, first_sentence, keyword_defaults


@dataclass(frozen=True)
class Measurement:
    """What a metric answers: a value, and the curve it comes from where there is one."""

    value: float
    curve: tuple[float | None, ...] | None = None
    """One number per frame or pair, None where a frame has none."""
    reason: str = ""
    """A remark that belongs to the number, for example how many frames it rests on."""

    @classmethod
    def from_curve(
        cls, curve: Sequence[float] | np.ndarray, reduce: Callable[[np.ndarray], Any] = np.mean, reason: str = ""
    ) -> Measurement:
        """The reduction of the finite part of a curve, and the curve itself.

        >>> Measurement.from_curve([1.0, 3.0]).value
        2.0
        """
        numbers = np.asarray(curve, dtype=np.float64)
        finite = numbers[np.isfinite(numbers)]
        # An empty or all-NaN curve has no mean; NaN is refused downstream with the metric's name.
        value = float(reduce(finite)) if finite.size else math.nan
        return cls(value, tuple(float(x) if math.isfinite(x) else None for x in numbers), reason)


@dataclass(frozen=True)
class Metric:
    """A definition; `function` computes."""

    name: str
    version: int
    function: Callable[..., Measurement]
    unit: str
    higher_is_better: bool | None
    """None where neither direction is better by itself, as for the amount of motion."""
    bounds: tuple[float, float]
    """A value outside is an error, not data."""
    needs: tuple[SignalUse, ...]
    requires: tuple[str, ...]
    """Parts of the case the function reads itself, such as `camera`."""
    defaults: Mapping[str, Any]

    @property
    def summary(self) -> str:
        return first_sentence(self.function)

    def inputs(self) -> tuple[str, ...]:
        """Everything a case must have for this metric: videos, references, camera paths, prompts."""
        found = dict.fromkeys(self.requires)
        pending = list(self.needs)
        while pending:
            use = pending.pop()
            signal = SIGNALS.get(use.signal)
            found |= dict.fromkeys(use.of if role == "video" else role for role in signal.reads)
            pending += signal.needs
        return tuple(role for role in READABLE if role in found)


def metric(
    *,
    version: int = 1,
    unit: str,
    higher_is_better: bool | None,
    bounds: tuple[float, float],
    needs: Sequence[SignalUse] = (),
    requires: Sequence[str] = (),
    name: str | None = None,
) -> Callable[[Callable[..., Measurement]], Metric]:
    """Declare and register a metric."""
    for role in requires:
        if role not in READABLE:
            raise unknown_name("input", role, list(READABLE))

    def declare(function: Callable[..., Measurement]) -> Metric:
        declared = Metric(
            name=name or function.__name__,
            version=version,
            function=function,
            unit=unit,
            higher_is_better=higher_is_better,
            bounds=bounds,
            needs=tuple(needs),
            requires=tuple(requires),
            defaults=keyword_defaults(function),
        )
        METRICS.add(declared.name, declared, f"{function.__module__}:{function.__name__}")
        return declared

    return declare


METRICS: Registry[Metric] = Registry(
    "metric",
    {
        "psnr": "worldgauge.metrics.fidelity:psnr",
        "ssim": "worldgauge.metrics.fidelity:ssim",
        "flow_consistency": "worldgauge.metrics.flow:flow_consistency",
        "flow_magnitude": "worldgauge.metrics.flow:flow_magnitude",
        "warp_error": "worldgauge.metrics.flow:warp_error",
        "rotation_error": "worldgauge.metrics.camera:rotation_error",
        "camera_control": "worldgauge.metrics.camera:camera_control",
        "object_presence": "worldgauge.metrics.track:object_presence",
        "object_identity": "worldgauge.metrics.embedding:object_identity",
        "frame_similarity": "worldgauge.metrics.embedding:frame_similarity",
        "picture_quality": "worldgauge.metrics.quality:picture_quality",
        "style_consistency": "worldgauge.metrics.style:style_consistency",
        "memobench_frames": "worldgauge.metrics.memobench:memobench_frames",
        "memobench_psnr": "worldgauge.metrics.memobench:memobench_psnr",
        "memobench_ssim": "worldgauge.metrics.memobench:memobench_ssim",
        "memobench_smoothness": "worldgauge.metrics.memobench:memobench_smoothness",
        "memobench_identity": "worldgauge.metrics.memobench:memobench_identity",
        "memobench_geometry": "worldgauge.metrics.memobench:memobench_geometry",
        "memobench_reappearance": "worldgauge.metrics.memobench_memory:memobench_reappearance",
        "house_reappearance": "worldgauge.metrics.memobench_memory:house_reappearance",
        "house_identity": "worldgauge.metrics.memobench_house:house_identity",
        "house_smoothness": "worldgauge.metrics.memobench_house:house_smoothness",
        "memobench_camera_control": "worldgauge.metrics.memobench_camera:memobench_camera_control",
        "memobench_camera_error": "worldgauge.metrics.memobench_camera:memobench_camera_error",
        "memobench_camera_step_error": "worldgauge.metrics.memobench_camera:memobench_camera_step_error",
        "memobench_failure": "worldgauge.metrics.memobench_failures:memobench_failure",
        "memobench_requested_rotation": "worldgauge.metrics.memobench_camera:memobench_requested_rotation",
        "house_camera_control": "worldgauge.metrics.memobench_camera:house_camera_control",
        "memobench_aesthetic": "worldgauge.metrics.memobench_networks:memobench_aesthetic",
        "memobench_image_quality": "worldgauge.metrics.memobench_networks:memobench_image_quality",
        "memobench_lpips": "worldgauge.metrics.memobench_networks:memobench_lpips",
        "memobench_image_reward": "worldgauge.metrics.memobench_networks:memobench_image_reward",
        "memobench_revisit_similarity": "worldgauge.metrics.memobench_networks:memobench_revisit_similarity",
        "worldscore_camera_rotation": "worldgauge.metrics.worldscore:worldscore_camera_rotation",
        "worldscore_camera_translation": "worldgauge.metrics.worldscore:worldscore_camera_translation",
        "worldscore_camera_control": "worldgauge.metrics.worldscore:worldscore_camera_control",
        "worldscore_camera_error": "worldgauge.metrics.worldscore:worldscore_camera_error",
        "worldscore_reprojection_error": "worldgauge.metrics.worldscore:worldscore_reprojection_error",
        "worldscore_flow_cycle_error": "worldgauge.metrics.worldscore:worldscore_flow_cycle_error",
        "worldscore_style_difference": "worldgauge.metrics.worldscore:worldscore_style_difference",
        "worldscore_motion_accuracy": "worldgauge.metrics.worldscore:worldscore_motion_accuracy",
        "worldscore_motion_magnitude": "worldgauge.metrics.worldscore:worldscore_motion_magnitude",
        "worldscore_smoothness_mse": "worldgauge.metrics.worldscore:worldscore_smoothness_mse",
        "worldscore_smoothness_ssim": "worldgauge.metrics.worldscore:worldscore_smoothness_ssim",
        "worldscore_object_control": "worldgauge.metrics.worldscore_networks:worldscore_object_control",
        "worldscore_clip_score": "worldgauge.metrics.worldscore_networks:worldscore_clip_score",
        "worldscore_image_quality": "worldgauge.metrics.worldscore_networks:worldscore_image_quality",
        "worldscore_aesthetics": "worldgauge.metrics.worldscore_networks:worldscore_aesthetics",
        "worldscore_smoothness_lpips": "worldgauge.metrics.worldscore_networks:worldscore_smoothness_lpips",
    },
)
