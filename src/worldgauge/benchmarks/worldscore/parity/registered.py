"""Recorded network outputs put where a run has its instruments, so that vectors go through the registered metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from worldgauge.benchmarks.worldscore.formulas.convention import CAMERA_DATA
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.clip import Clip
from worldgauge.core.metric import METRICS, Measurement
from worldgauge.core.signal import SIGNALS, Arrays
from worldgauge.core.video import Video
from worldgauge.functional.camera_conventions import to_opencv
from worldgauge.parity import official_instrument
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


def official(signal: str) -> Any:
    """The official instrument of a signal under `released`, without its weights."""
    return official_instrument("worldscore", signal)


def predictions(outputs: Sequence[Floats], height: int, width: int) -> list[Image]:
    """RGB frames (height, width, 3) that the official interpolation makes of its network's answers (3, H', W'), which
    are of frames whose sides were filled up, blue first."""
    import torch

    from worldgauge.instruments.neural.networks.between_pairs import BetweenPairs

    class Recorded(torch.nn.Module):  # type: ignore[misc]
        """A network that gives the recorded answers in their order."""

        answers = iter(outputs)

        def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
            return torch.from_numpy(np.asarray(next(self.answers), np.float32)).reshape(first.shape)

    # The answers are means over the frames and their half turns already.
    network = BetweenPairs(Recorded(), turned=False)
    blank = np.zeros((len(outputs), height, width, 3), np.uint8)
    return list(network.between(blank, blank))


def motion_regions(logits: Floats) -> Arrays:
    """What `object_regions` is of a clip whose objects the official mask follower's network answers with `logits`
    (frames, objects, H, W)."""
    import torch

    follower = official("object_regions")
    # As `load` puts the network there.
    follower.__dict__["_network"] = SimpleNamespace(logits=lambda frames, prompts: map(torch.from_numpy, logits))
    height, width = logits.shape[2:]
    with TemporaryDirectory() as name:
        folder = Path(name)
        Pillow.fromarray(np.full((height, width), 255, np.uint8)).save(folder / "mask.png")
        case = Case(id="vector", reference=Reference(truth={"mask_00": "mask.png"})).at(folder)
        clip = clip_of(np.zeros((len(logits), height, width, 3), np.uint8))
        return perceived("object_regions", clip, case, follower)


def flow_stacks(flows: Sequence[Floats]) -> Iterator[Arrays]:
    """The stacks of `flow_fields` with these fields; the way back is not looked at."""
    clip = blank_clip(len(flows) + 1, flows[0] if len(flows) else None)
    found: Iterator[Arrays] = flow_fields.function(clip, Answers([way for flow in flows for way in (flow, flow)]))
    return found


def motion_magnitude(flows: Sequence[Floats]) -> Measurement:
    return measured("motion_magnitude", perceived("motion_medians", flow_stacks(flows)))


def flow_cycle_error(flows: Sequence[Floats]) -> Measurement:
    """`flows`: forward and backward of one pair after the other."""
    clip = blank_clip(len(flows) // 2 + 1, flows[0] if len(flows) else None)
    return measured("flow_cycle_error", perceived("flow_cycles", flow_fields.function(clip, Answers(flows))))
