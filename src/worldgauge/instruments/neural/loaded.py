"""What neural instruments have in common: torch, a micro-batch, and a network that is there once loaded."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

from worldgauge.core.instrument import Instrument

Network = TypeVar("Network")
_networks: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
"""Networks of this process by what they are, so that heads share an encoder; gone with the last one that uses it."""


def shared(key: Hashable, build: Callable[[], Network]) -> Network:
    """The network of that key, built if nobody holds it yet."""
    found: Network | None = _networks.get(key)
    if found is None:
        found = build()
        _networks[key] = found
    return found


@dataclass(frozen=True)
class NeuralInstrument(Instrument):
    """An instrument whose network is built by `build` when it is loaded, or at first use on the CPU."""

    modules: ClassVar[tuple[str, ...]] = ("torch",)

    batch: int = 8
    """Frames the network is given at a time; fewer are filled up."""

    def micro_batch(self, width: int, height: int) -> int:
        return self.batch

    def numerics(self) -> dict[str, Any]:
        return super().numerics() | {"micro_batch": self.batch}

    def build(self, device: str) -> Any:
        """The network on a device, of the files of `weight_files`."""
        raise NotImplementedError

    def load(self, device: str) -> None:
        # The dataclass is frozen for its parameters; a loaded network is no parameter.
        self.__dict__["_network"] = self.build(device)

    def release(self) -> None:
        """Let go of the network; the next use loads it again."""
        self.__dict__.pop("_network", None)

    def forget(self) -> None:
        network = self.__dict__.get("_network")
        for part in network if isinstance(network, tuple) else (network,):
            if hasattr(part, "forget"):
                part.forget()

    def __getstate__(self) -> dict[str, Any]:
        # Parameters travel to other processes, networks do not.
        return {name: value for name, value in self.__dict__.items() if name != "_network"}

    @property
    def network(self) -> Any:
        if "_network" not in self.__dict__:
            self.load("cpu")
        return self.__dict__["_network"]
