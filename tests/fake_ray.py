"""Ray as far as the executor knows it, in this process: a call is done at once, and some actors are lost by plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from worldgauge.core.decoded_video import codecs
from worldgauge.engine.job import Setup
from worldgauge.engine.scale.decoding import Decoder, with_frames
from worldgauge.engine.scale.host import Given, Introduction, promises
from worldgauge.engine.work import Worker, WorkItem, WorkResult


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class _Exceptions:
    RayError, RayTaskError = RayError, RayTaskError


@dataclass(eq=False)
class _Call:
    answer: Any


@dataclass
class FakeRay:
    """`losses`: case id to how many actors are lost with it."""

    losses: Counter[str] = field(default_factory=Counter)
    introduction: Callable[[Introduction], Introduction] = lambda told: told
    unable: int = 0
    """Actors that are lost before they are ready."""
    cpus: float = 2.0
    gpus: tuple[float, ...] = ()
    """Gigabytes of the GPU of each node; empty: one node without."""
    exceptions: Any = _Exceptions
    started: int = 0
    killed: int = 0
    most_given: int = 0
    options_seen: list[dict[str, Any]] = field(default_factory=list)
    decoded: Counter[str] = field(default_factory=Counter)
    """Clips that decoders were asked for, by case."""
    decoders_lost: Counter[str] = field(default_factory=Counter)
    """Case id to how many decoders are lost with it."""

    def remote(self, kind: type) -> _Kind:
        return _Kind(self, kind)

    def nodes(self) -> list[dict[str, Any]]:
        if self.gpus:
            return [
                {
                    "NodeManagerAddress": f"10.0.0.{number}",
                    "NodeID": f"node-{number}",
                    "Alive": True,
                    "Resources": {"CPU": self.cpus, "GPU": 1.0, "memory": 64.0 * 2**30, "gpu_gigabytes": of_gpu},
                }
                for number, of_gpu in enumerate(self.gpus)
            ]
        resources = {"CPU": self.cpus, "memory": 8.0 * 2**30}
        gone = {"NodeManagerAddress": "10.0.0.2", "Alive": False, "Resources": {"CPU": 64.0}}
        return [{"NodeManagerAddress": "10.0.0.1", "Alive": True, "Resources": resources}, gone]

    def wait(self, calls: Sequence[_Call], num_returns: int, timeout: float) -> tuple[list[_Call], list[_Call]]:
        return list(calls[:num_returns]), list(calls[num_returns:])

    def get(self, call: _Call) -> Any:
        if isinstance(call.answer, RayError):
            raise call.answer
        return call.answer

    def kill(self, handle: _Handle) -> None:
        self.killed += 1


@dataclass
class _Kind:
    ray: FakeRay
    kind: type

    def options(self, **given: Any) -> _Kind:
        self.ray.options_seen.append(given)
        return self

    def remote(self, *given: Any) -> _Handle | _DecoderHandle:
        if self.kind is Decoder:
            return _DecoderHandle(self.ray)
        self.ray.started += 1
        setup, perceive, *_ = given
        return _Handle(self.ray, setup, perceive)


class _Handle:
    """An actor; `handle.method.remote(...)` as there."""

    def __init__(self, ray: FakeRay, setup: Setup, perceive: bool) -> None:
        self._ray, self._setup = ray, setup
        self._worker = Worker(setup, perceive)
        self._waiting: list[WorkItem] = []
        self._files: list[IO[bytes]] = []
        self.introduce, self.exchange = _Method(self._introduce), _Method(self._exchange)

    def _introduce(self, beacon: str) -> Introduction | RayError:
        if self._ray.unable:
            self._ray.unable -= 1
            return RayError("killed")
        return self._ray.introduction(Introduction("node", promises(self._setup), codecs=codecs()))

    def _exchange(self, given: Sequence[Given]) -> list[WorkResult | Exception] | RayError:
        self._waiting += map(self._with_frames, given)
        self._ray.most_given = max(self._ray.most_given, len(self._waiting))
        done: list[WorkResult | Exception] = []
        while self._waiting:
            item = self._waiting[0]
            if not item.lost and self._ray.losses[item.case.id] > 0:
                if done:
                    # What is done is answered before the next is begun.
                    return done
                self._ray.losses[item.case.id] -= 1
                return RayError("the node died")
            done.append(self._worker.perform(self._waiting.pop(0)))
        return done

    def _with_frames(self, one: Given) -> WorkItem:
        if one.frames is None or isinstance(one.frames.answer, RayError) or one.frames.answer is None:
            return one.item
        item, file = with_frames(one.item, one.frames.answer)
        self._files.append(file)
        return item


class _DecoderHandle:
    """A decoder; its method answers twice."""

    def __init__(self, ray: FakeRay) -> None:
        self._ray, self._lost = ray, False
        self.introduce, self.decode = _Method(Decoder().introduce), self

    def options(self, num_returns: int) -> _DecoderHandle:
        assert num_returns == 2
        return self

    def remote(self, wish: Any) -> tuple[_Call, _Call]:
        case = wish.video.path.stem
        self._ray.decoded[case] += 1
        if self._ray.decoders_lost[case] > 0:
            self._ray.decoders_lost[case] -= 1
            self._lost = True
        if self._lost:
            return _Call(RayError("the node died")), _Call(RayError("the node died"))
        note, found = Decoder().decode(wish)
        return _Call(note), _Call(found)


class _Method:
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def remote(self, *arguments: Any) -> _Call:
        return _Call(self._function(*arguments))
