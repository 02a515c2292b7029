"""A process that has everything imported and forks a child for each job, so that real kills cost milliseconds.

Started as a script. A line of JSON asks for a job; the answer is the child's process id, later its exit status.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REFUSED = 2
"""Exit status of a job that ended with a sentence."""


@dataclass
class Child:
    """A job that may still be running."""

    pid: int
    server: JobServer

    def wait(self) -> int:
        """Its exit status; negative: the signal that ended it."""
        return self.server.ask({"wait": self.pid})


class JobServer:
    """The other end, in the test."""

    def __init__(self, log: Path) -> None:
        self._log = log.open("w")
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True
        )

    def start(self, arguments: dict[str, Any], clock: float = 0.0) -> Child:
        """Begin a job with these arguments of `build_job`."""
        plain = {key: _plain(value) for key, value in arguments.items()}
        return Child(self.ask({"job": plain, "clock": clock}), self)

    def ask(self, question: dict[str, Any]) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=20)
        self._log.close()


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def _work(job: dict[str, Any], clock: float) -> int:
    from worldgauge.api.building import build_job
    from worldgauge.core.errors import WorldGaugeError
    from worldgauge.engine.executors import InlineExecutor
    from worldgauge.engine.plan import make_plan
    from worldgauge.engine.run import execute

    real, real_ns = time.time, time.time_ns
    time.time, time.time_ns = lambda: real() + clock, lambda: real_ns() + int(clock * 1e9)
    job |= {"shard": tuple(job["shard"]), "includes": [Path(path) for path in job["includes"]]}
    try:
        built = build_job(**job)
        execute(
            built, make_plan(built), make_executor=lambda setup, _workers, perceive: InlineExecutor(setup, perceive)
        )
    except WorldGaugeError:
        return REFUSED
    return 0


def serve() -> None:
    """Fork a child for every job asked for."""
    import worldgauge.api.runs  # noqa: F401  imported once, for all children
    from worldgauge.core.metric import METRICS
    from worldgauge.core.signal import SIGNALS

    METRICS.names(), SIGNALS.names()
    for line in sys.stdin:
        question = json.loads(line)
        if "wait" in question:
            _, status = os.waitpid(question["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                try:
                    code = _work(question["job"], question["clock"])
                except BaseException:  # noqa: BLE001  told on stderr, and the status says so
                    traceback.print_exc()
                    code = 1
                sys.stderr.flush()
                os._exit(code)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
