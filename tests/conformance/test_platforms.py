"""Nothing that is measured needs POSIX: videos are scored and reported with its modules and calls taken away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import helpers

WITHOUT_POSIX = """
import os, signal, sys

for name in ("fcntl", "pwd", "grp", "termios", "tty", "syslog"):
    sys.modules[name] = None
for owner, names in (
    (os, ("fork", "forkpty", "getuid", "geteuid", "getgid", "setsid", "sysconf", "chown", "mkfifo", "umask")),
    (signal, ("SIGKILL", "SIGALRM", "setitimer", "pthread_sigmask")),
):
    for name in names:
        if hasattr(owner, name):
            delattr(owner, name)

import importlib, pkgutil
import worldgauge, worldgauge.core

for module in pkgutil.walk_packages(worldgauge.core.__path__, "worldgauge.core."):
    importlib.import_module(module.name)

run = worldgauge.evaluate(sys.argv[1], metrics="psnr,frame_similarity", out=sys.argv[2])
print(len(run.records()), {r["status"] for r in run.records()})
print(worldgauge.load_run(sys.argv[2]).table())
"""


def test_core_and_a_run_need_no_posix(tmp_path: Path) -> None:
    videos = helpers.make_videos(tmp_path / "videos", cases=2, frames=3)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, str(videos), str(tmp_path / "run")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "4 {'ok'}" in done.stdout
    assert "psnr" in done.stdout
