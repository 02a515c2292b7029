"""How long a clip has to be: what its benchmark requires, what a clip falls short of, and what that costs.

`[length]` of `benchmark.toml` is the rule, with its source. A clip that does not keep it has a remark in every record.
Columns that the literature defines keep its value. Our own columns, which say `short = "worst"`, and what is made of
them, count it as their worst score, so it never leaves a mean. Under a protocol of `refused_under` it is invalid, as in
the released evaluator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.case import Case
from worldgauge.core.manifest import benchmarks
from worldgauge.core.video import Video, VideoInfo

Short = Literal["keep", "worst"]
_ROUNDING = 1e-3
"""Of a length: containers round their rates."""


class LengthRule(BaseModel):
    """`[length]` of `benchmark.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requires: str
    """In words."""
    source: str
    """Where the benchmark says so."""
    seconds: float | None = Field(default=None, gt=0)
    """How long a clip has to be whose case states no frames and rate of its own; None: no duration is required."""
    share: float = Field(default=1.0, gt=0, le=1)
    """Of the duration: less is too short."""
    fps: float | None = Field(default=None, gt=0)
    """Rate of a folder of frames for which neither the submission nor the case states one."""
    frames: int = Field(default=2, ge=2)
    """The least number of frames of any clip."""
    exact: bool = False
    """Whether a clip has exactly the frames that its model's own configuration names, where that is known."""
    refused_under: tuple[str, ...] = ()
    """Protocols under which a clip of another length is invalid."""


class HeldLength(BaseModel):
    """The rule as it holds for the columns of one benchmark under one protocol."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: LengthRule
    benchmark: str
    """Whose manifest knows what the parts of a case need."""
    refused: bool = False

    def read(self, video: Video) -> Video:
        """The clip as it is measured: where another length is not refused, it is read whatever its length."""
        return video if self.refused else video.of_any_length()

    def shortfall(self, case: Case, video: Video) -> str:
        """What a readable clip falls short of, in words; empty where it is as long as required."""
        rule, info = self.rule, video.info
        if rule.exact and video.configured_frames not in (None, info.frames):
            return f"{_frames(info)}, its model's configuration names exactly {video.configured_frames}"
        needed, why = self._frames_needed(case, video)
        if info.frames < needed:
            return f"{_frames(info)}, {why} at least {needed}"
        requested = seconds_requested(case) or rule.seconds
        rate, whose = clip_rate(case, info, rule.fps)
        if rule.seconds is None or requested is None or rate is None:
            return ""
        lasts, least = info.frames / rate, rule.share * requested
        if lasts >= least * (1 - _ROUNDING):
            return ""
        limit = f"{requested:.3g} s were requested and {least:.3g} s are the least"
        return f"the clip lasts {lasts:.3g} s at {rate:.3g} fps{whose}, {limit}"

    def _frames_needed(self, case: Case, video: Video) -> tuple[int, str]:
        manifest = benchmarks().get(self.benchmark)
        if manifest is None or not manifest.frames_needed:
            return self.rule.frames, "a clip needs"
        needed: Callable[[Case, Video], int] = manifest.resolve(manifest.frames_needed)
        return max(self.rule.frames, needed(case, video)), "its parts need"


def seconds_requested(case: Case) -> float | None:
    """The duration that a case's own frames and rate make; None where it states none.

    >>> from worldgauge.core.case import Condition
    >>> seconds_requested(Case(id="a", condition=Condition(frames=161, fps=16))), seconds_requested(Case(id="b"))
    (10.0, None)
    """
    frames, fps = case.condition.frames, case.condition.fps
    return (frames - 1) / fps if frames is not None and frames > 1 and fps else None


def clip_rate(case: Case, info: VideoInfo, usual: float | None) -> tuple[float | None, str]:
    """Frames per second of a clip, and whose rate it is where the clip states none.

    That of the file; of a folder of frames the rate that the submission states; else the rate of the request; else the
    usual one of the benchmark.
    """
    if info.fps:
        return info.fps, ""
    if case.condition.fps:
        return case.condition.fps, " (the rate of the request, the frames state none)"
    return usual, " (the benchmark's usual rate, the frames and the request state none)"


def _frames(info: VideoInfo) -> str:
    return f"the clip has {info.frames} frames"
