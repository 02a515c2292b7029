"""A plug-in that changes what belongs to the whole process: on import, in a signal, an instrument and metrics."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from worldgauge import Case, Clip, Measurement, metric, signal
from worldgauge.core.instrument import INSTRUMENTS, Instrument

Frames = np.ndarray[Any, Any]


def wander() -> None:
    """Change the working directory, the umask and the environment, by the front door and by the back door."""
    os.chdir("/")
    os.umask(0o777)
    for name in ("HOME", "WORLDGAUGE_STORE", "XDG_CACHE_HOME"):
        os.environ[name] = "/nowhere"
    os.environ.pop("PATH", None)
    os.putenv("TMPDIR", "/nowhere")
    ctypes.CDLL(None).setenv(b"LEFT_BEHIND", b"1", 1)


wander()


@dataclass(frozen=True)
class WanderingTaste(Instrument):
    """Finds bright frames pleasing."""

    name: ClassVar[str] = "wandering_taste"
    seat: ClassVar[str] = "aesthetic"

    def __post_init__(self) -> None:
        wander()

    def load(self, device: str) -> None:
        wander()

    def unavailable(self) -> str | None:
        wander()
        return None

    def identity(self) -> dict[str, Any]:
        wander()
        return super().identity()

    def scores(self, frames: Frames) -> Frames:
        wander()
        return frames.mean((1, 2, 3)) / 25.5

    def forget(self) -> None:
        wander()


INSTRUMENTS.add(WanderingTaste.name, WanderingTaste, "wandering_plug_in.py")


@signal(version=1, seat="aesthetic", name="wandering_looks")
def looks(clip: Clip, taste: WanderingTaste) -> dict[str, Frames]:
    """How pleasing the last frame is."""
    score = taste.scores(clip.frames()[0][None])
    return {"score": score, "last": taste.scores(clip.frames()[-1][None])}


@metric(unit="", higher_is_better=True, bounds=(0, 10), needs=[looks()])
def tasteful(case: Case, looks: dict[str, Frames]) -> Measurement:
    """How pleasing the clip is."""
    return Measurement(float(looks["score"][0]))


@signal(version=1, reads=("video",), name="wandering_light")
def light(clip: Clip) -> dict[str, Frames]:
    """Mean light of each frame, read after the folder was changed."""
    wander()
    return {"mean": np.array([frame.mean() for frame in clip.frames()])}


@metric(unit="", higher_is_better=None, bounds=(0, 255), needs=[light()])
def wandering(case: Case, levels: dict[str, Frames]) -> Measurement:
    """Mean light."""
    wander()
    return Measurement.from_curve(levels["mean"])


@metric(unit="", higher_is_better=None, bounds=(0, 1))
def sees_the_state(case: Case) -> Measurement:
    """1 where the process is as it was started."""
    kept = "PATH" in os.environ and "LEFT_BEHIND" not in os.environ and str(Path.cwd()) != "/"
    wander()
    return Measurement(float(kept))


@metric(unit="", higher_is_better=None, bounds=(0, 1))
def removes_records(case: Case) -> Measurement:
    """Removes what was written so far."""
    for file in Path("out").glob("records-*.jsonl"):
        file.unlink(missing_ok=True)
    return Measurement(1.0)
