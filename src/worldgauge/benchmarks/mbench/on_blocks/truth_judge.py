"""A judge that is told the truth: it answers from what `blocks.exact_views` kept of each frame, and asks nobody.

It stands for the best a judge could do, so that scores which rest on answers can be held against faults. It sees what a
viewer sees, and no more: a clock that nobody could read because the target was hidden does not count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.mbench.formulas.geometric_trigger import excursion_of
from worldgauge.blocks.exact_views import View, recall_view
from worldgauge.core.clip import Clip
from worldgauge.core.errors import Unscored
from worldgauge.judge.forms import Form
from worldgauge.judge.instrument import Judge, Shown
from worldgauge.judge.material import Looked
from worldgauge.judge.session import Answer

NAME = "block truth"
USUAL_FPS = 16.0
"""Of a clip that does not say."""
LEAST_TURN = 30.0
"""Degrees; about half of a view."""
HOME_TURN = 10.0
UNNOTICED = 0.1
"""Share of the time: where two moments look alike nobody can tell them apart, so that much is forgiven."""
_BACKWARD = 1 / 3
"""Of the steps that show a change: from here on the process is called one that runs backwards."""


@dataclass(frozen=True)
class TruthJudge(Judge):
    """Reads the truth of the frames of a clip in a folder."""

    client: str = "truth"
    model: str = NAME
    folder: str = field(default="", compare=False)
    """Where the truth of shown frames was kept; it belongs to the pixels, so the place changes no answer."""

    def unavailable(self) -> str | None:
        return None if self.folder and Path(self.folder).is_dir() else "needs a folder of what is true of shown frames"

    def ask(
        self,
        clip: Clip,
        prompt: str,
        values: Mapping[str, str],
        form: Form,
        about: str = "",
        rate: float | None = None,
        looked: Looked | None = None,
        released: Mapping[str, Any] | None = None,
    ) -> Shown:
        """The true answer to one of this benchmark's prompts."""
        frames = clip.frames()
        seen = Seen.of([recall_view(Path(self.folder), frame) for frame in frames], clip.fps or USUAL_FPS)
        told = answers(prompt.rpartition(":")[2], seen)
        value = {name: {"answer": answer, "reason": "by the truth of the block"} for name, answer in told.items()}
        return Answer(value, (json.dumps(value),), NAME), tuple(range(len(frames)))


@dataclass(frozen=True, eq=False)
class Seen:
    """What can be seen of a clip: N frames."""

    visible: NDArray[np.bool_]
    """(N,) whether the target is."""
    clock: NDArray[np.float64]
    """(N,) seconds passed in the world."""
    due: NDArray[np.float64]
    """(N,) seconds that should have."""
    poses: NDArray[np.float64]
    """(N, 4, 4)"""

    @classmethod
    def of(cls, views: list[View], fps: float) -> Seen:
        return cls(
            np.array([bool(view.visible.any()) for view in views]),
            np.array([view.clock for view in views]),
            np.arange(len(views)) / fps,
            np.stack([view.pose for view in views]),
        )

    def hidden_and_back(self) -> bool:
        """Whether the target is shown, then not, then again."""
        at = np.flatnonzero(self.visible)
        return bool(len(at) and at[0] == 0 and not self.visible[: at[-1]].all())

    def comes_back(self) -> bool:
        """Whether the camera leaves the first view and returns to it."""
        went = excursion_of(self.poses)
        return went.turn >= LEAST_TURN and went.turn_left <= HOME_TURN

    def passed(self) -> NDArray[np.float64]:
        """Seconds the world goes on from each frame that shows the target to the next that does."""
        return np.diff(self.clock[self.visible])

    def expected(self) -> NDArray[np.float64]:
        return np.diff(self.due[self.visible])


def answers(question: str, seen: Seen) -> dict[str, Any]:
    """The answers to the questions of one of the prompts, by its name."""
    if question.startswith("trigger_"):
        return {"trigger": "yes" if _challenges(question, seen) else "no", "confidence": 100}
    if not seen.visible.any():
        raise Unscored("the target is never seen, so nothing can be told of its state")
    if question == "direction":
        return {"direction": direction(seen.passed())}
    return {"state": state_grade(seen), "plausibility": plausibility_grade(seen)}


def _challenges(question: str, seen: Seen) -> bool:
    if question == "trigger_environment":
        return seen.comes_back()
    if question == "trigger_causal":
        # A process that goes on in plain sight is a challenge, too: that is what the question says.
        return seen.hidden_and_back() or bool(np.abs(seen.passed()).sum() > 0)
    return seen.hidden_and_back()


def state_grade(seen: Seen) -> int:
    """1 to 5: how much of the time that should have passed at the last sight of the target has."""
    last = np.flatnonzero(seen.visible)[-1]
    share = (seen.clock[last] - seen.clock[0]) / max(float(seen.due[last]), 1e-9)
    return 1 + round(4 * float(np.clip(share, 0, 1)))


def plausibility_grade(seen: Seen) -> int:
    """5 where time passes between sights of the target as it should, 1 where half of it or more is wrong."""
    wrong = np.abs(seen.passed() - seen.expected()).sum() / max(float(seen.expected().sum()), 1e-9)
    return 1 + round(4 * float(np.clip(1 - 2 * (wrong - UNNOTICED), 0, 1)))


def direction(passed: NDArray[np.float64]) -> str:
    """
    >>> direction(np.array([0.1, 0.1, -0.1])), direction(np.array([-0.1])), direction(np.zeros(3))
    ('backward', 'backward', 'none')
    """
    moving = passed[np.abs(passed) > 1e-9]
    if not len(moving):
        return "none"
    return "backward" if (moving < 0).mean() >= _BACKWARD else "forward"
