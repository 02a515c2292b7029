"""What a verb that keeps answers would still ask, told without asking anybody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from worldgauge.core.asking import Expected
from worldgauge.core.clip import Clip
from worldgauge.core.video import Video
from worldgauge.judge.estimator import Estimator
from worldgauge.judge.forms import Form
from worldgauge.judge.instrument import Judge
from worldgauge.judge.kept_answers import kept_in, key_of, one_picture, seen_in, seen_of
from worldgauge.judge.material import Material, describe


class Asking(Protocol):
    """Who can be asked about clips, and about pictures or text: `KeptAnswers`, or one who only plans."""

    def of_clip(self, video: Video, prompt: str, values: Mapping[str, str], form: Form, about: str) -> Any: ...

    def of_picture(self, file: Path | None, prompt: str, values: Mapping[str, str], form: Form, about: str) -> Any: ...


class _Prices(Estimator):
    """Of material that is no clip of a run."""

    def of(self, prompt: str, values: Mapping[str, str], form: Form, material: Material) -> Expected:
        return self._expected(prompt, values, form, material, None)


class PlannedAnswers:
    """Answers what the folder keeps. Whatever else is asked is counted, and answered by an example of its kind, so that
    the questions which follow from it are counted too."""

    def __init__(self, judge: Judge, folder: Path, examples: Mapping[str, Any]) -> None:
        """`examples`: prompt to an answer to it."""
        self.judge, self._kept, self._examples = judge, kept_in(folder), examples
        self.expected = Expected()
        self.known = 0
        """Questions whose answer is kept."""

    def of_clip(self, video: Video, prompt: str, values: Mapping[str, str], form: Form, about: str) -> Any:
        return self._told(seen_of(video, None), describe(Clip(video), self.judge), prompt, values, form)

    def of_picture(self, file: Path | None, prompt: str, values: Mapping[str, str], form: Form, about: str) -> Any:
        material = one_picture(file, self.judge)
        return self._told(seen_in(material), material, prompt, values, form)

    def _told(
        self, seen: Mapping[str, Any], material: Material, prompt: str, values: Mapping[str, str], form: Form
    ) -> Any:
        key = key_of(self.judge, seen, prompt, values, form)
        if key in self._kept:
            self.known += 1
            return self._kept[key]
        self.expected += _Prices(self.judge).of(prompt, values, form, material)
        return self._examples[prompt]
