"""What neural instruments have in common: torch, a micro-batch, and a network that is there once loaded."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar
from weakref import WeakValueDictionary

from worldgauge.core.instrument import Instrument

Network = TypeVar("Network")
_DEVICE = "worldgauge.instruments.neural.networks.on_device"
_networks: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
"""Networks of this process by what they are, so that heads share an encoder; gone with the last one that uses it."""


_building = threading.RLock()


def shared(key: Hashable, build: Callable[[], Network]) -> Network:
    """The network of that key, built if nobody holds it yet."""
    with _building:
        found: Network | None = _networks.get(key)
        if found is None:
            found = build()
            _networks[key] = found
        return found


@dataclass(frozen=True)
class NeuralInstrument(Instrument):
    """An instrument whose network is built by `build` when it is loaded, or at first use on the CPU."""

    modules: ClassVar[tuple[str, ...]] = ("torch",)
    takes_rows: ClassVar[bool] = True
    fast: ClassVar[dict[str, Any]] = {"dtype": "float16", "tf32": "on"}
    """Parameters of the faster way to compute on a GPU."""
    exact: ClassVar[dict[str, Any]] = {"dtype": "float32", "tf32": "off", "compiled": False}
    """Parameters under which a row of a stack is the same to the bit, whatever its neighbours are."""

    batch: int = 8
    """Frames the network is given at a time; fewer are filled up."""
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    """Kind of numbers it computes with."""
    tf32: Literal["default", "off", "on"] = "default"
    """Whether a GPU may round the inputs of products to TF32; `default`: as torch does by itself, in convolutions."""
    compiled: bool = False
    """Whether the network is translated into kernels of its own before it is used, on a GPU."""

    def micro_batch(self, width: int, height: int) -> int:
        return self.batch

    def numerics(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "tf32": self.tf32, "compiled": self.compiled, "micro_batch": self.batch}

    def busy_seconds(self) -> float:
        # Of all networks of the process; it is counted once, whoever is asked.
        module = sys.modules.get(_DEVICE)
        return float(module.CLOCK.seconds()) if module is not None else 0.0

    def build(self, device: str) -> Any:
        """The network on a device, of the files of `weight_files`."""
        raise NotImplementedError

    def load(self, device: str) -> None:
        # The dataclass is frozen for its parameters; a loaded network is no parameter.
        network = self.build(device)
        for part in network if isinstance(network, tuple) else (network,):
            if hasattr(part, "owner"):
                part.owner = self.name
        self.__dict__["_network"] = network

    def try_out(self, width: int, height: int) -> None:
        from worldgauge.instruments.neural.trial import try_out

        try_out(self, width, height)

    def release(self) -> None:
        """Let go of the network; the next use loads it again."""
        self.__dict__.pop("_network", None)

    def forget(self) -> None:
        network = self.__dict__.get("_network")
        for part in network if isinstance(network, tuple) else (network,):
            if hasattr(part, "forget"):
                part.forget()
        if (module := sys.modules.get(_DEVICE)) is not None:
            module.forget()

    def __getstate__(self) -> dict[str, Any]:
        # Parameters travel to other processes, networks do not.
        return {name: value for name, value in self.__dict__.items() if name != "_network"}

    @property
    def network(self) -> Any:
        if "_network" not in self.__dict__:
            self.load("cpu")
        return self.__dict__["_network"]
