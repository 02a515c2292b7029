"""Parity of what each metric gets: a clip of numbered frames, and instruments that note what a run hands to them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import layout_path
from worldgauge.benchmarks.worldscore.parity.registered import clip_of, perceived
from worldgauge.benchmarks.worldscore.signals.weightless import layouts_of
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.core.clip import Clip
from worldgauge.core.names import readable
from worldgauge.parity import expect_equal
from worldgauge.signals.flow import flow_fields
from worldgauge.signals.poses import poses

Stored = dict[str, Any]
Frames = Sequence[NDArray[np.uint8]] | NDArray[np.uint8]
STEP = 20
"""Levels from the grey of one frame to that of the next."""
REFERENCE = 250
"""Grey of the input image."""


class _Noted(Exception):
    """What an instrument was handed is known; no answer is needed."""


class _Notes:
    """An instrument of every seat that notes what it is handed."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.calls: list[list[Any]] = []

    def micro_batch(self, width: int, height: int) -> int:
        return 64

    def names_of(self, frames: Frames) -> list[str]:
        return [self.names[round(float(np.mean(frame)) / STEP)] for frame in frames]

    def trajectory(self, frames: Frames, lens: Any = None) -> Any:
        self.calls.append([self.names_of(frames)])
        raise _Noted

    def phrases(self, frames: Frames, captions: Sequence[str]) -> Any:
        for name, text in zip(self.names_of(frames), captions, strict=True):
            self.calls.append([[name], text.removesuffix(".")])
        raise _Noted

    def similarities(self, frames: Frames, texts: Sequence[str]) -> Any:
        self.calls += [[[name], text] for name, text in zip(self.names_of(frames), texts, strict=True)]
        raise _Noted

    def scores(self, frames: Frames) -> Any:
        self.calls.append([self.names_of(frames)])
        raise _Noted

    def flow_stacks(self, frames: Frames, pairs: Sequence[tuple[int, int]]) -> Any:
        numbers = list(dict.fromkeys(number for pair in pairs for number in pair))
        self.calls.append([self.names_of([frames[number] for number in numbers])])
        raise _Noted

    def followed(self, frames: Frames, masks: Sequence[Any]) -> Any:
        self.calls.append([self.names_of(frames)])
        raise _Noted

    def grams(self, frames: Frames) -> list[list[NDArray[np.float64]]]:
        return [[np.full((1, 1), float(np.mean(frame)))] for frame in frames]

    def between(self, befores: Frames, afters: Frames) -> NDArray[np.uint8]:
        self.calls.append([*self.names_of(befores), *self.names_of(afters)])
        return np.zeros_like(np.asarray(befores))


def dispatch(given: Stored, recorded: Stored, tolerance: Stored) -> str | None:
    """The frames, texts and masks that a run's signals hand on, in the form in which the original's metric has them."""
    notes = _Notes(given["frames"])
    frames = np.stack([np.full((48, 64, 3), STEP * k, np.uint8) for k in range(len(notes.names))])
    # A constant picture has no SSIM.
    frames[:, 0, 0] = 255
    with TemporaryDirectory() as name:
        case, clip = _case(given, Path(name)), clip_of(frames)
        with suppress(_Noted):
            _perceive(given["metric"], clip, case, notes)
        calls = notes.calls
        match given["metric"]:
            case "camera_error":
                requested = layout_path(layouts_of(case), 1 + clip.count // given["num_scenes"])
                calls = [[*calls[0], list(requested.poses.shape), 1]]
            case "motion_accuracy":
                masks = [readable(Path(file).stem) for file in case.reference.truth.values()]
                assert case.reference.target is not None
                calls = [[*calls[0], masks, case.reference.target.name.split(", ")]]
    expect_equal("arguments", calls, recorded["calls"])
    return None


def _case(given: Stored, folder: Path) -> Case:
    Pillow.new("RGB", (64, 48), (REFERENCE,) * 3).save(folder / f"{given['reference']}.png")
    for mask in given["masks"]:
        Pillow.new("L", (64, 48), 255).save(folder / f"{mask}.png")
    extras = {
        "camera_path": ["pull_out"] * given["num_scenes"],
        # An entry is the scene's name and then its objects.
        "content_list": [f"Scene, {content}" for content in given["content_list"]],
        "prompt_list": given["text_prompt_list"],
    }
    return Case(
        id="vector",
        condition=Condition(image=f"{given['reference']}.png"),
        reference=Reference(
            target=Target(name=", ".join(given["objects"])),
            truth={f"mask_{k:02d}": f"{mask}.png" for k, mask in enumerate(given["masks"])},
        ),
        extras=extras,
    ).at(folder)


def _perceive(metric: str, clip: Clip, case: Case, notes: _Notes) -> None:
    """Perceive what the metric rests on in a run."""
    match metric:
        case "camera_error" | "reprojection_error":
            poses.function(clip, notes)
        case "object_detection":
            perceived("anchor_detections", clip, case, notes)
        case "clip_score":
            perceived("anchor_text_similarities", clip, case, notes)
        case "clip_iqa+":
            perceived("anchor_qualities", clip, case, notes)
        case "clip_aesthetic":
            perceived("anchor_aesthetics", clip, case, notes)
        case "optical_flow_aepe" | "optical_flow":
            list(flow_fields.function(clip, notes))
        case "motion_accuracy":
            perceived("object_regions", clip, case, notes)
        case "gram_matrix":
            squares = perceived("anchor_styles", clip, case, notes)["released"]
            compared = [round((REFERENCE - float(np.sqrt(square))) / STEP) for square in squares]
            notes.calls.append(["input_image", [notes.names[number] for number in compared]])
        case "motion_smoothness":
            predicted = perceived("predicted_frames", clip, notes)
            real = np.sqrt(perceived("prediction_errors", clip, predicted)["mse"]) / STEP
            (used,) = notes.calls
            notes.calls = [[sorted({*used, *(notes.names[round(float(number))] for number in real)})]]
