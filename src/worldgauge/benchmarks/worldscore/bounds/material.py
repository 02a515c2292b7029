"""What bounds are derived from: pictures for pairs, clips, and what models make. Opened only when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.benchmarks.worldscore.formulas.image_fit import crop_and_resize
from worldgauge.benchmarks.worldscore.signals.weightless import input_image
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import Submission, single_video
from worldgauge.core.video import Video

Image = NDArray[np.uint8]
Frames = NDArray[np.uint8]
Size = tuple[int, int]
Performance = tuple[str, Case, Frames]
"""A model's name, the case, and its clip of it."""


@dataclass(frozen=True)
class Material:
    """Everything by name."""

    pictures: Mapping[str, Callable[[], Image]]
    """All of one size."""
    clips: Mapping[str, Callable[[], Frames]]
    performances: Mapping[str, Callable[[], Iterator[Performance]]] = field(default_factory=dict)
    """What stand-ins of models make of a world; nothing where models are given as runs."""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """Where it comes from, for people."""


def from_videos(videos: Path, data: Path | None, size: Size | None) -> Material:
    """Clips of a folder; pictures of the data set, else the clips' first frames, cut to one size."""
    found = (single_video(videos) or Submission.from_folder(videos)).videos
    fit = size or _size(next(iter(found.values())))
    clips = {name: _clip(video) for name, video in found.items()}
    recipe: dict[str, Any] = {"clips": f"{len(clips)} videos", "size": list(fit)}
    if data is None:
        pictures = {name: _first_frame(video, fit) for name, video in found.items()}
        recipe["pictures"] = "their first frames"
    else:
        cases = [case for case in read_dataset(data) if case.tags.get("movement") == "static"]
        if not cases:
            raise WorldGaugeError(f"{data} holds no static world", "name the folder of the unpacked data set")
        pictures = {case.id: _picture(case, fit) for case in cases}
        recipe["pictures"] = f"{len(pictures)} of the data set"
    return Material(pictures, clips, recipe=recipe)


def _size(video: Video) -> Size:
    return video.info.width, video.info.height


def _clip(video: Video) -> Callable[[], Frames]:
    return lambda: np.stack(list(video.frames()))


def _picture(case: Case, size: Size) -> Callable[[], Image]:
    return lambda: input_image(case, size)


def _first_frame(video: Video, size: Size) -> Callable[[], Image]:
    from PIL import Image as Pictures

    return lambda: np.asarray(crop_and_resize(Pictures.fromarray(next(iter(video.frames()))), size))
