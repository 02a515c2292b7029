"""What instruments on authors' packages have in common: where the part runs, the key, and camera paths in one go."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.errors import Unavailable, Unscored, WorldGaugeError
from worldgauge.core.instrument import Instrument
from worldgauge.core.reasons import OF_THE_INSTRUMENT
from worldgauge.functional.lens import Lens
from worldgauge.functional.pose import align_first_frame
from worldgauge.instruments.authors.home import PARTS, Home, home_of
from worldgauge.instruments.authors.long_clips import between, spread
from worldgauge.instruments.isolated import child
from worldgauge.instruments.isolated.checkpoint import Checkpoint
from worldgauge.instruments.isolated.network import IsolatedNetwork
from worldgauge.instruments.isolated.process import Expected
from worldgauge.instruments.pocket.poses import Trajectory, usual_lens

log = logging.getLogger(__name__)

Frames = Sequence[NDArray[np.uint8]]
SECONDS = 3600.0
"""For a clip, or for loading, where the variable says nothing else."""
_VARIABLE = "WORLDGAUGE_ANSWER_SECONDS"
ROTATION_TOLERANCE = 0.02
"""By how much a product of a rotation and its transpose may differ from the identity."""


class Answers(Protocol):
    """A network, in this process or another."""

    def answer(
        self, arrays: Mapping[str, NDArray[Any]], options: Mapping[str, Any], expected: Expected
    ) -> dict[str, NDArray[Any]]: ...

    def stop(self) -> None: ...


@dataclass(frozen=True)
class View:
    """How frames became what the network saw: scaled, then cut around the middle."""

    scale: tuple[float, float]
    """Px of what it saw per px of the frame, across and down."""
    size: tuple[int, int]
    """Width and height of what it saw."""


@dataclass(frozen=True)
class AuthorsNetwork(Instrument):
    """A network that sees the frames of a clip at once, through its authors' package."""

    environment: ClassVar[str]
    """Recipe of the environment it may run in."""
    part: ClassVar[str]
    """File in `parts`."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Optional packages of the part that it uses; their versions go into its key."""
    takes_rows: ClassVar[bool] = True
    exact: ClassVar[dict[str, Any]] = {"dtype": "float32"}

    dtype: Literal["float32", "bfloat16"] = "float32"
    """Kind of numbers that the network computes with by autocast; its heads always use float32."""
    refusal: ClassVar[str] = OF_THE_INSTRUMENT
    """Reason code of a clip about which the authors' own code raises an error."""
    most_frames: int = 0
    """Frames of a clip that it sees at once, spread evenly from the first to the last; 0: all of them."""

    def prepared(self, frames: Frames) -> tuple[NDArray[np.uint8], View]:
        """Frames as the network sees them, (N, h, w, 3), brought to its size as its authors do."""
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        """What the part is told when it loads."""
        return {"dtype": self.dtype}

    def asked(self, stack: NDArray[np.uint8], maps: Sequence[int] = ()) -> dict[str, NDArray[Any]]:
        """The network's answer about prepared frames; with `maps`, the depth of those among them, (F, h, w), too."""
        count, height, width = stack.shape[:3]
        expected = {
            "poses": ("<f8", (count, 4, 4)),
            "intrinsics": ("<f8", (count, 3, 3)),
            "depth": ("<f8", (count,)),
            "confidence": ("<f8", (count,)),
        }
        options: dict[str, Any] = {}
        if maps:
            options, expected = {"maps": list(maps)}, expected | {"maps": ("<f4", (len(maps), height, width))}
        return self.answered(stack, options, expected)

    def answered(
        self, stack: NDArray[np.uint8], options: Mapping[str, Any], expected: Expected
    ) -> dict[str, NDArray[Any]]:
        """The network's checked answer about prepared frames; what its part refuses has the instrument's code."""
        try:
            found = self._network().answer({"frames": stack}, options, expected)
        except Unscored as outcome:
            raise Unscored(outcome.message, outcome.hint, outcome.code or self.refusal) from outcome
        self._check(found)
        return found

    def _check(self, found: Mapping[str, NDArray[Any]]) -> None:
        if not all(np.isfinite(found[name]).all() for name in ("poses", "depth", "confidence")):
            raise Unscored(f"{self.name}: its answer is not finite", code=OF_THE_INSTRUMENT)
        if not np.median(found["depth"]) > 0:
            raise Unscored(f"{self.name}: it sees nothing in front of the camera", code=OF_THE_INSTRUMENT)
        turns = found["poses"][:, :3, :3]
        off = np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max()
        if off > ROTATION_TOLERANCE or (np.linalg.det(turns) < 0).any() or (found["poses"][:, 3] != (0, 0, 0, 1)).any():
            raise WorldGaugeError(f"{self.name}: what it gives as poses are no rotations and translations")

    def home(self) -> Home:
        return home_of(self.environment, self.part, self.needs)

    def unavailable(self) -> str | None:
        return self.home().reason or super().unavailable()

    def identity(self) -> dict[str, Any]:
        home = self.home()
        hello = home.hello
        more = {name: hello.optional[name] for name in self.needs if name in hello.optional} if hello else {}
        found = super().identity() | {"packages": dict(hello.packages) | more if hello else {}}
        return found | ({"stands_in": home.stands_in} if home.stands_in else {})

    def numerics(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "tf32": "as the package has it", "compiled": False}

    def load(self, device: str) -> None:
        home = self.home()
        if home.reason or home.hello is None:
            raise Unavailable(f"{self.name}: {home.reason}")
        files = {name: str(path) for name, path in self.weight_files().items()}
        if home.command is None:
            network: Answers = _Here(self.name, self._loaded_here(files, device))
        else:
            what = (files, self.settings(), device)
            network = IsolatedNetwork(home.command, self.name, home.hello, what, _seconds())
        self.release()
        self.__dict__["_answers"] = network

    def _loaded_here(self, files: dict[str, str], device: str) -> Any:
        checkpoints = {name: Checkpoint(path) for name, path in files.items()}
        try:
            return child.read_part(str(PARTS / self.part)).load(checkpoints, self.settings(), device)
        except ValueError as error:
            raise WorldGaugeError(f"{self.name}: {error}") from error
        finally:
            for remark in (remark for file in checkpoints.values() for remark in file.remarks):
                log.warning("%s: %s", self.name, remark)

    def release(self) -> None:
        network = self.__dict__.pop("_answers", None)
        if network is not None:
            network.stop()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_answers"}

    def _network(self) -> Answers:
        if "_answers" not in self.__dict__:
            self.load("cpu")
        network: Answers = self.__dict__["_answers"]
        return network


@dataclass(frozen=True)
class AuthorsPoses(AuthorsNetwork):
    """Camera poses by a network that sees the frames of a clip at once."""

    seat: ClassVar[str] = "poses"
    reads: ClassVar[Literal["film", "views"]] = "views"
    metric: ClassVar[bool] = False
    """Whether its lengths are estimates in metres."""

    def trajectory(self, frames: Frames, lens: Lens | None = None) -> Trajectory:
        """Poses of RGB frames (H, W, 3). The lens is the network's own estimate: it takes none.

        Frames that it does not see, by `most_frames`, lie on the way between their neighbours and are not `placed`.
        """
        count, chosen = len(frames), spread(len(frames), self.most_frames)
        stack, view = self.prepared(frames if len(chosen) == count else [frames[k] for k in chosen])
        size = frames[0].shape[1], frames[0].shape[0]
        return self.path_of(self.asked(stack), view, size, chosen, count)

    def path_of(
        self, found: Mapping[str, NDArray[Any]], view: View, size: tuple[int, int], chosen: Sequence[int], count: int
    ) -> Trajectory:
        """The path of `count` frames of this size, of which the network saw the chosen ones, from its answer."""
        poses = align_first_frame(found["poses"])
        unit = float(np.median(found["depth"]))
        poses[:, :3, 3] /= unit
        seen = _lens(found["intrinsics"], view, size)
        placed = np.isin(np.arange(count), chosen)
        confidence = np.zeros(count)
        confidence[placed] = np.clip(found["confidence"], 0.0, 1.0)
        return Trajectory(
            poses=poses if len(chosen) == count else between(poses, chosen, count),
            lens=seen or usual_lens(size),
            lens_source="estimated" if seen else "assumed",
            confidence=confidence,
            residual=np.zeros(count),
            # It follows no points: nothing is said about how well a rigid scene explains the clip.
            distance=np.zeros(0),
            sightings=np.zeros(0),
            pairs=np.zeros((0, 2), np.int64),
            moves=True,
            placed=placed,
            metric_scale=unit if self.metric else None,
        )


def _seconds() -> float:
    text = os.environ.get(_VARIABLE, "")
    try:
        found = float(text or SECONDS)
    except ValueError:
        found = 0.0
    if not found > 0:
        raise WorldGaugeError(f"{_VARIABLE}={text} is no number of seconds", "give one above 0, or none")
    return found


class _Here:
    """A part that answers in this process."""

    def __init__(self, name: str, network: Any) -> None:
        self._name, self._asked = name, network

    def answer(
        self, arrays: Mapping[str, NDArray[Any]], options: Mapping[str, Any], expected: Expected
    ) -> dict[str, NDArray[Any]]:
        found = self._asked.answer(dict(arrays), dict(options))
        if isinstance(found, str):
            raise Unscored(f"{self._name}: {found}")
        return {name: np.asarray(found[name], kind).reshape(shape) for name, (kind, shape) in expected.items()}

    def stop(self) -> None:
        self._asked = None


def _lens(intrinsics: NDArray[np.float64], view: View, size: tuple[int, int]) -> Lens | None:
    """One lens of those of all frames, in px of the frames; None where they are none.

    The middle of what was cut out around the middle is the middle.
    """
    across, down = intrinsics[:, 0, 0] / view.scale[0], intrinsics[:, 1, 1] / view.scale[1]
    focal = float(np.median((across + down) / 2))
    shift = [float(np.median(intrinsics[:, axis, 2]) - view.size[axis] / 2) / view.scale[axis] for axis in (0, 1)]
    if not (focal > 0 and np.isfinite([focal, *shift]).all()):
        return None
    return Lens(focal, (size[0] / 2 + shift[0], size[1] / 2 + shift[1]), size)
