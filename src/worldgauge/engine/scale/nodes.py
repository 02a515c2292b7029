"""What an actor is set up with, and what the machine it is on must be like."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from pathlib import Path

from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.engine.job import Setup
from worldgauge.engine.scale.host import Introduction, Promise
from worldgauge.engine.scale.resources import Resources


@dataclass(frozen=True)
class Expectation:
    """What the driver would measure, and the store that it has."""

    promised: frozenset[Promise]
    store: Path
    shared_store: bool
    """Whether all must see what others store,"""
    shared_disk: bool
    """and not in a bucket."""

    def refuse_unlike(self, told: Introduction) -> None:
        """Refuse a machine that would measure something else, or that does not see what others leave in the store."""
        if told.problem is not None:
            raise told.problem
        in_bucket = told.brings_to_bucket and not self.shared_disk
        if self.shared_store and not told.sees_store and not in_bucket:
            raise WorldGaugeError(
                f"{told.machine} does not see the store {self.store}, which this run needs on every node",
                "name a folder of a shared disk with --store" + ("" if self.shared_disk else ", or a bucket"),
            )
        if told.promises != self.promised:
            name = min(metric for _, metric, _, _ in told.promises ^ self.promised)
            raise WorldGaugeError(
                f"{told.machine} would not measure '{name}' as this machine does",
                "install the same packages and the same weights on every node",
            )


def for_actors(setup: Setup, needed: Resources) -> Setup:
    """The setup of one actor. Ray shows it its own GPU alone, and it does not see the run folder."""
    device = "cuda" if setup.device.startswith("cuda") else setup.device
    return replace(
        setup.placed(),
        device=device,
        gpus=1,
        ahead=needed.ahead if device == "cuda" else setup.ahead,
        returns_records=True,
    )


def light(store: Path) -> Path:
    """A file in the store by which others can tell that they see it."""
    beacon = store / f".seen-{uuid.uuid4().hex}"
    try:
        store.mkdir(parents=True, exist_ok=True)
        beacon.touch()
    except OSError as error:
        raise CannotWrite(f"cannot write to {store} ({error.strerror})", "choose another --store") from error
    return beacon
