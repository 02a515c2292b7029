"""`Instrument`: one way to perceive. A seat ("flow") can be taken by any instrument made for it ("dis")."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from worldgauge.core.errors import Unavailable
from worldgauge.core.manifest import Manifest, manifests
from worldgauge.core.origin import is_foreign
from worldgauge.core.process_state import preserve_in_methods
from worldgauge.core.registry import Registry, unknown_name


@dataclass(frozen=True)
class Instrument:
    """Base of every instrument. Subclasses are frozen dataclasses whose fields are their parameters."""

    seat: ClassVar[str]
    """The kind of perception it serves: flow, poses, depth, track, embedding, ..."""
    name: ClassVar[str]
    version: ClassVar[int] = 1
    modules: ClassVar[tuple[str, ...]] = ()
    """What it imports that the base install does not bring."""
    extra: ClassVar[str] = "models"
    """The extra that brings those."""
    memory: ClassVar[float] = 0.1
    """Gigabytes it needs while loaded, beside the frames."""
    rate: ClassVar[float | None] = None
    """Frames of 480x832, or pairs of them, that a GPU does in a second as the authors compute, as its card says; for
    plans."""
    takes_rows: ClassVar[bool] = False
    """Whether it takes any number of frames as a list, and makes its stacks itself."""
    fast: ClassVar[Mapping[str, Any]] = {}
    """Parameters of a faster way to compute on a GPU."""
    exact: ClassVar[Mapping[str, Any]] = {}
    """Parameters under which its answer for a frame is the same to the bit, whatever it is asked beside."""
    added: ClassVar[tuple[str, ...]] = ()
    """Parameters that came without a new version: left alone they change no number, so they change no key either."""
    reads: ClassVar[Literal["film", "views"]] = "film"
    """Whether it follows a clip frame by frame, so that it is given all frames; or sees some views of a place at once,
    in time and memory that grow with them, so that a benchmark chooses which."""
    tried_with: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the selftest, for one that with its own would keep a processor busy for minutes."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        # Instruments are called in many places, plans and workers alike.
        if is_foreign(cls):
            preserve_in_methods(cls)

    @property
    def weights(self) -> tuple[str, ...]:
        """Ids of the trained weights it needs, out of the table of weights; empty for one that was not trained.

        A subclass says `weights: ClassVar[tuple[str, ...]] = ("raft_large",)`, or has a property where they depend on
        its parameters.
        """
        return ()

    @property
    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def identity(self) -> dict[str, Any]:
        """What goes into a signal's key: everything that can change a number, nothing that cannot."""
        usual = {field.name: field.default for field in fields(self) if field.name in self.added}
        told = {name: value for name, value in self.parameters.items() if name not in usual or usual[name] != value}
        identity: dict[str, Any] = {"name": self.name, "version": self.version, "parameters": told}
        if self.weights:
            from worldgauge.core.weight_files import locate

            located = [locate(name) for name in self.weights]
            identity |= {"weights": [found.digest for found in located], "numerics": self.numerics()}
            if others := [found.weights.id for found in located if found.other]:
                identity["other_weights"] = others
        return identity

    def numerics(self) -> dict[str, Any]:
        """How a network computes: what may change its numbers a little beside its parameters."""
        return {"dtype": "float32", "tf32": "default", "compiled": False}

    def unavailable(self) -> str | None:
        """Why it cannot run on this machine, in a few words that say what brings it; None when it can."""
        for module in self.modules:
            if importlib.util.find_spec(module) is None:
                return f"{module} is not installed; install the extra 'worldgauge[{self.extra}]'"
        if not self.weights:
            return None
        from worldgauge.core.weight_files import locate

        return next((found.reason for found in map(locate, self.weights) if found.path is None), None)

    def weight_files(self) -> dict[str, Path]:
        """The file of each of its weights, by id; `Unavailable` where one is missing or is not what it should be."""
        from worldgauge.core.weight_files import locate

        files = {}
        for found in map(locate, self.weights):
            if found.path is None:
                raise Unavailable(found.reason)
            files[found.weights.id] = found.path
        return files

    def working_size(self, width: int, height: int) -> tuple[int, int]:
        """Size at which it looks at a frame of this size; raises `Unscored` for one it does not look at.

        Memory is planned by it.
        """
        return width, height

    def micro_batch(self, width: int, height: int) -> int:
        """Frames of this size it is handed at a time, always the same number: the last stack of a clip may be shorter,
        and is filled up by the instrument, so that the number computed for a frame rests on the frame alone."""
        return 1

    def load(self, device: str) -> None:
        """Make it ready to infer. Called once per worker and pass over the clips."""

    def busy_seconds(self) -> float:
        """How long a GPU computed for it, or for those it shares the GPU with, since this was last asked."""
        return 0.0

    def try_out(self, width: int, height: int) -> None:
        """Perceive made frames of this size, as many as it takes at a time; `NoRoom` where memory is short."""

    def forget(self) -> None:
        """Drop what it remembers of the frames of a case. Called when a worker is done with the case."""

    def release(self) -> None:
        """Let go of what `load` brought into memory. Called at the end of a pass."""


SEATS = {
    "flow": "optical flow between two frames",
    "poses": "camera pose and intrinsics per frame",
    "matches": "checked point correspondences between any two frames",
    "depth": "relative depth from camera motion",
    "image_depth": "depth of a single frame, by a network",
    "track": "where the target is in each frame, and whether it is there",
    "mask_follower": "objects shown by masks in the first frame, followed through the clip",
    "embedding": "unit vectors on a grid of patches, and one for the whole frame",
    "image_embedding": "one unit vector per frame, by a network",
    "style": "statistics of filter responses that tell styles apart",
    "quality": "sharpness, noise, blockiness, exposure, colourfulness",
    "image_quality": "how good a frame looks, by a network",
    "aesthetic": "how pleasing a frame is, by a network",
    "perceptual_distance": "how different two frames look, by a network",
    "prompt_reward": "how well a frame fits its prompt, by a network",
    "faces": "faces and whose they are",
    "style_features": "feature maps whose Gram matrices tell styles apart",
    "interpolation": "the frame halfway between two",
    "detector": "objects named in a text found in a frame, by a network",
    "segmenter": "every mask in a frame that a phrase may mean, with its score, by a network",
    "phrase_follower": "everything in a clip that a phrase means, followed through it, by a network",
    "text_image": "how well a frame fits a text, by a network",
    "tagger": "the nouns of a phrase",
    "perspective": "roll, pitch and field of view of a single frame",
    "reconstruction": "a static scene from a few frames, and pictures of it from anywhere",
    "judge": "answers to questions about a clip, by a vision-language model",
}
"""What can be perceived. A signal asks for a seat; an instrument set fills seats with instruments."""

ASKED_SEATS = frozenset({"judge"})
"""Seats whose instruments are waited for: asked many times at once, beside the workers. See `core/asking.py`."""


class InstrumentRegistry(Registry[type[Instrument]]):
    """Instruments by name; a network is imported when it is asked for, not when its name is listed."""

    def names(self) -> list[str]:
        return sorted({*self._entries, *(name for manifest in manifests() for name in manifest.instruments)})

    def get(self, name: str) -> type[Instrument]:
        for manifest in manifests():
            if name in manifest.instruments:
                found: type[Instrument] = manifest.resolve(manifest.instruments[name])
                return found
        if name not in self._entries:
            raise unknown_name(self.kind, name, self.names())
        return self._entries[name]

    def _import(self, manifest: Manifest) -> None:
        """Nothing: names stand in the manifest."""


INSTRUMENTS = InstrumentRegistry("instrument")


def instrument_sets() -> dict[str, dict[str, str]]:
    """Name of a set to its seats, seat to instrument; any seat can be given to another instrument by name."""
    sets: dict[str, dict[str, str]] = {}
    for manifest in manifests():
        for name, seats in manifest.instrument_sets.items():
            sets.setdefault(name, {}).update(seats)
    return sets


def filled_sets() -> list[str]:
    """Names of the sets that hold an instrument: those one can choose."""
    return sorted(name for name, seats in instrument_sets().items() if seats)
