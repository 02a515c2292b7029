"""A Ray cluster, connected to."""

from __future__ import annotations

import logging
import math
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.limits import SHARE
from worldgauge.engine.scale.resources import Node
from worldgauge.engine.scale.shipping import Shipment, pack

log = logging.getLogger(__name__)

LOCAL = "local"
"""The address of a cluster of this machine alone that lives as long as the run."""
GPU_MEMORY = "gpu_gigabytes"
"""What a node is started with (`--resources`) to say how much memory each of its GPUs has: Ray does not know."""
NODE = "ray.io/node-id"
"""The label that every node has."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
_HANDED_ON = ("WORLDGAUGE_", "HF_HUB_OFFLINE", *_THREADS, "AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION")
"""Beginnings of environment variables that workers get. Keys are none: the driver asks judges, and nodes have their own
for buckets, since Ray shows everybody what it hands on."""
_NOT_HANDED_ON = ("WORLDGAUGE_STORE", "WORLDGAUGE_OUT", "WORLDGAUGE_REMOTE_")
"""Folders of the driver: nodes have their own for what they copy from URLs."""
_MODE, _TOKEN, _TOKEN_FILE = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
_KNOCK = 3.0
"""Seconds in which a head must take a connection."""


@dataclass
class Cluster:
    """What there is to work with."""

    ray: Any
    """The module, connected."""
    shipment: Shipment
    _packed: Path
    head: str = ""
    """Host and port of what knows all nodes; empty where nobody may ask."""
    gpus_of_judges: int = 0
    """Taken by models that answer questions, so not there for workers."""

    def head_answers(self) -> bool:
        """Whether the head is there: Ray waits a minute for one that is gone, then ends the process without a word."""
        return _answers(self.head)

    def nodes(self) -> list[Node]:
        """Those alive, each with all it has, whoever uses it at the moment."""
        return [
            Node(
                str(node["NodeManagerAddress"]),
                node["Resources"].get("CPU", 0.0),
                node["Resources"].get("GPU", 0.0),
                node["Resources"].get("memory", 0.0) / 2**30,
                node["Resources"].get(GPU_MEMORY, math.inf),
                str(node.get("NodeID", "")),
            )
            for node in self.ray.nodes()
            if node["Alive"]
        ]

    def close(self) -> None:
        """Leave; the actors end."""
        self.ray.shutdown()
        shutil.rmtree(self._packed, ignore_errors=True)


def connect(address: str, includes: Iterable[Path], cores: int = 0) -> Cluster:
    """Connect, and send our package and the included files to whoever will work. `cores` are those of `LOCAL`."""
    # Before it is imported. Nothing is told to anybody about what was run.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address == LOCAL:
        # Ray's own would give way to whatever else the machine does; a local run's do not.
        os.environ.setdefault("RAY_worker_niceness", "0")
    if address == LOCAL and not {_MODE, _TOKEN, _TOKEN_FILE} & os.environ.keys():
        # Else Ray writes one into the user's home, and clusters that are started later ask for it.
        os.environ |= {_MODE: "token", _TOKEN: secrets.token_hex(32)}
    ray = _module()
    if not _answers(address):
        # Ray itself would go on asking for minutes.
        raise WorldGaugeError(
            f"nobody answers at '{address}', where the head of a Ray cluster should be",
            "look whether 'ray start --head' runs there, or use --address local",
        )
    packed = Path(tempfile.mkdtemp(prefix="worldgauge-ray-"))
    try:
        shipment = pack(includes, packed)
        environment = {
            "py_modules": [str(folder) for folder in shipment.modules],
            "excludes": ["**/__pycache__"],
            "env_vars": handed_on(os.environ),
        }
        here = {"num_cpus": cores or None, "include_dashboard": False} if address == LOCAL else {}
        ray.init(
            address,
            runtime_env=environment,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
            **here,
        )
    except Exception as error:
        shutil.rmtree(packed, ignore_errors=True)
        if isinstance(error, ray.exceptions.AuthenticationError):
            raise WorldGaugeError(
                f"the Ray cluster at '{address}' asks for a token",
                "set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH as on its head",
            ) from error
        if isinstance(error, (ConnectionError, TimeoutError, RuntimeError, ValueError, ray.exceptions.RayError)):
            log.debug("no cluster", exc_info=error)
            raise WorldGaugeError(
                f"no Ray cluster can be reached at '{address}' ({_first_line(error)})",
                "start one with 'ray start --head', or use --address local",
            ) from error
        raise
    return Cluster(ray, shipment, packed, str(ray.get_runtime_context().gcs_address))


def _answers(address: str) -> bool:
    """Whether somebody takes connections at a host and port; true of addresses that name none, such as 'auto'."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return True
    try:
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK).close()
    except (OSError, OverflowError):
        return False
    return True


def handed_on(variables: Iterable[str]) -> dict[str, str]:
    """Environment variables for the workers."""
    chosen = [name for name in variables if name.startswith(_HANDED_ON) and not name.startswith(_NOT_HANDED_ON)]
    return {"OPENBLAS_NUM_THREADS": "1", **{name: os.environ[name] for name in chosen}}


def memory_of_worker(nodes: Iterable[Node], on_gpu: bool, sharing: int = 1) -> int | None:
    """Bytes that a worker may take: a share of the smallest node's memory, with `sharing` for each GPU, or one for each
    core, there."""
    shares = [
        node.gigabytes * SHARE / count
        for node in nodes
        if (count := node.gpus * sharing if on_gpu else node.cpus) and node.gigabytes
    ]
    return int(min(shares) * 2**30) if shares else None


def _module() -> Any:
    try:
        import ray
    except ImportError as error:
        raise WorldGaugeError("--executor ray needs Ray", "pip install 'worldgauge[ray]'") from error
    # Else Ray tells on standard output what befell a node, where a program may be reading JSON.
    ray._private.worker._worker_logs_enabled = False
    return ray


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
