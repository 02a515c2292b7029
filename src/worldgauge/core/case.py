"""`Case`: what one test item asks of a model, and what is known to be true about it.

The same pydantic models are the on-disk format: one JSON object per line of `cases.jsonl`, paths relative to that file.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator, model_validator

from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import NotApplicable, WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.frozen import freeze
from worldgauge.core.manifest import by_ending
from worldgauge.core.names import below, path_of
from worldgauge.core.origin import call_preserving
from worldgauge.core.reading_pictures import read_picture

SCHEMA: Final = 1


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Chunk(_Model):
    """A stretch of the clip with its own instruction."""

    first: int
    """First frame of the stretch."""
    last: int
    """Last frame of the stretch, included."""
    caption: str
    action: str = ""
    """Keys held during the stretch, for example `W` or `A+J`; empty when nothing is pressed."""


class Condition(_Model):
    """What the model is given."""

    prompt: str = ""
    captions: dict[str, str] = {}
    """Further captions by name, for example the five segments of a structured caption."""
    chunks: tuple[Chunk, ...] = ()
    image: str | None = None
    """First frame, an image file."""
    camera: str | None = None
    """Requested camera path: an npz as `CameraPath.save` writes it."""
    actions: tuple[str, ...] = ()
    """One action string per frame, where the case is driven by keys."""
    frames: int | None = None
    fps: float | None = None
    size: tuple[int, int] | None = None
    """Width and height asked for."""


class Target(_Model):
    """The object the case is about."""

    name: str
    """A phrase a detector could be asked for."""
    box: tuple[float, float, float, float] | None = None
    """x0, y0, x1, y1 in the first frame, pixels, right and bottom excluded."""
    mask: str | None = None
    """First-frame mask, a PNG: above 127 is the target."""


@dataclass(frozen=True, eq=False)
class TargetView:
    """The target as a signal reads it."""

    name: str
    box: tuple[float, float, float, float] | None
    """x0, y0, x1, y1 in the first frame, in pixels of the reference video."""
    mask: NDArray[np.bool_] | None
    """(H, W) of the first frame."""


class Phases(_Model):
    """Visible, gone, back: frames [0, gone), [gone, back), [back, end)."""

    gone: int = Field(ge=0)
    """First frame with no pixel of the target."""
    back: int = Field(ge=0)
    """First frame with the target's full visible area back."""
    unordered: bool = False
    """The data set says that the target is back before it is gone: kept as written, for protocols that score it."""

    @model_validator(mode="after")
    def _ordered(self) -> Phases:
        if self.back < self.gone and not self.unordered:
            raise ValueError(f"phases: back ({self.back}) lies before gone ({self.gone})")
        return self


class Question(_Model):
    """A yes/no question about the clip with its true answer."""

    text: str
    answer: Literal["yes", "no"]
    dimension: str = ""
    id: str = ""


class Reference(_Model):
    """What is known to be true: never shown to the model under test."""

    video: str | None = None
    camera: str | None = None
    """Executed camera path, same file format as the requested one."""
    target: Target | None = None
    phases: Phases | None = None
    questions: tuple[Question, ...] = ()
    rules: tuple[str, ...] = ()
    """Physical rules that apply."""
    truth: dict[str, str] = {}
    """Files of exact truth by name: depth, ids, amodal, flow, states, events."""


class Case(_Model):
    """One test item of a benchmark."""

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    id: str = Field(min_length=1)
    cluster: str = ""
    """Scene the case belongs to; intervals resample clusters, not cases. Empty: the case is its own cluster."""
    condition: Condition = Condition()
    reference: Reference = Reference()
    weight: float = Field(default=1.0, gt=0)
    """How much the case counts, where a benchmark weighs its cases."""
    tags: dict[str, str] = {}
    extras: dict[str, Any] = {}
    """Further plain data of the benchmark, for signals and metrics that read the whole case."""
    not_here: tuple[str, ...] = ()
    """Parts (`reference`, `image`, `extras.NAME` ...) that the data set has for this case and that are not on disk. A
    metric that needs one expects the case all the same, so coverage counts it; a case that lacks a part which the data
    set does not have either is none of the metric's."""

    @field_validator("not_here")
    @classmethod
    def _parts_are_known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        from worldgauge.core.case_parts import check_parts

        try:
            check_parts(names)
        except WorldGaugeError as error:
            raise ValueError(str(error)) from error
        return names

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    _root: Path = PrivateAttr(default=Path())
    _moved: dict[Path, Path] = PrivateAttr(default_factory=dict)

    def at(self, root: Path) -> Case:
        """The same case with its relative paths resolved against `root`."""
        copy = self.model_copy()
        copy._root = root.absolute()
        return copy

    def placed(self) -> Case:
        """The same case with a folder that does not depend on the working directory."""
        return self if self._root.is_absolute() else self.at(self._root)

    def moved(self, folders: Mapping[Path, Path]) -> Case:
        """The same case on a machine where what lay in these folders lies in others. Its texts, and so its digest, say
        what they said."""
        copy = self.model_copy()
        copy._moved = dict(folders)
        return copy

    def path(self, relative: str) -> Path:
        """A file of this case on this machine."""
        path = self._root / relative
        return path_of(below(self._moved, path) if self._moved else path)

    @property
    def cluster_id(self) -> str:
        return self.cluster or self.id

    def camera(self, which: Literal["condition", "reference"] = "condition") -> CameraPath:
        """The requested (`condition`) or executed (`reference`) camera path; the other one where only it exists."""
        first, second = self.condition.camera, self.reference.camera
        if which == "reference":
            first, second = second, first
        relative = first or second
        if relative is None:
            raise NotApplicable("the case has no camera path")
        path = self.path(relative)
        try:
            return _load_camera(path, digest_file(path))
        except FileNotFoundError as error:
            raise WorldGaugeError(f"camera file {path} does not exist", "restore it or make the cases again") from error

    def target(self) -> TargetView:
        """The target with its first-frame mask loaded."""
        target = self.reference.target
        if target is None:
            raise NotApplicable("the case has no target")
        return TargetView(target.name, target.box, self.mask(target.mask) if target.mask is not None else None)

    def mask(self, relative: str) -> NDArray[np.bool_]:
        """A mask file of this case, (H, W): by a reader some manifest declares, else a picture, above 127 is inside."""
        path = self.path(relative)
        for read in by_ending("mask_files", path.name):
            found: NDArray[np.bool_] = call_preserving(read, path)
            return found
        return np.asarray(read_picture(path, "mask").convert("L")) > 127

    def to_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {"schema": self.schema_version}


@functools.lru_cache(maxsize=256)
def _load_camera(path: Path, digest: str) -> CameraPath:
    """`digest` tells a file that was replaced from the one that is remembered."""
    # Kept for every case that names the file.
    return freeze(CameraPath.load(path))
