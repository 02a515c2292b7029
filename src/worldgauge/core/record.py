"""`Record`: the result of one metric on one case, one line of `records-*.jsonl`. Every field is documented here.

`worldgauge show schema` prints this as JSON schema. A change of meaning raises `SCHEMA`.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.status import Status

SCHEMA: Final = 3


class Record(BaseModel):
    """One (case, metric) result."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True)

    schema_version: Literal[3] = Field(default=SCHEMA, alias="schema")
    """Version of this format."""
    case: str
    """Case id."""
    take: int = 0
    """Which of the case's videos, where a submission gives several; the first is 0."""
    cluster: str
    """Scene of the case: intervals resample clusters."""
    metric: str
    """The metric's id in the benchmark."""
    fingerprint: str
    """Digest of the definition: metric, parameters, signals, instruments, weights, scale. Unequal: not comparable."""
    inputs: str
    """Digest of what was measured: the video and the parts of the case the metric reads. Counts while it agrees with
    `contents.jsonl`."""
    video: str | None
    """sha256 of the model's video; null when there is none."""
    status: Status
    """Why there is or is not a value."""
    value: float | None = None
    """The score: `raw` after the benchmark's per-case scale. Null unless the status is ok."""
    raw: float | None = None
    """The metric's own number in its unit."""
    weight: float | None = None
    """What the value counts for where cases are weighed; null: like any other."""
    curve: list[float | None] | None = None
    """One number per frame or pair, null where a frame has none."""
    curve_frames: str | None = None
    """Frames of the video that the curve's numbers belong to: `33-48`, `0-44/4` (every fourth), `0,4,16`; of a pair,
    the earlier. Null: 0, 1, 2, ..., one for each frame or pair of the clip."""
    reason: str = ""
    """For any status but ok: what happened and what to do. For ok: a remark on the number."""
    code: str = ""
    """For unscored and invalid: the reason in a word that a benchmark's policy can name, such as `too-few-frames`;
    empty where none was given."""
    left_out: float = 0.0
    """Share of the frames that could not be used (blank, flashes, not to be placed): the value rests on the others."""
    constants: dict[str, float] = {}
    """For what rests on answers: the score of answers that pay no heed to the clip, by name."""
    repeats: list[float] = []
    """For what rests on answers that were asked for several times: the score of each time alone."""
    again: bool = False
    """Whether the next run should try again, because the reason lies with this machine: too little memory, or an
    instrument that was not there."""
    traceback: str | None = None
    """For unexpected errors: where they came from."""
    tags: dict[str, str] = {}
    """The case's tags, for breakdowns."""
    seconds: float = 0.0
    """Time the metric's function took; signals are timed in the store."""
    time: float = 0.0
    """Unix time of writing, for people."""
    invocation: int = 0
    """Which run of the command wrote it, counted from 0. Of several records that count, the one of the last does."""
