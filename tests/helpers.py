"""Making small inputs, and running the command as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.case_file import write_cases
from worldgauge.media.encoder import write_video

Frames = NDArray[np.uint8]
NETWORK_METRICS = Path(__file__).with_name("network_metrics.py")
"""To be included: metrics whose networks are not here."""


def moving_texture(frames: int = 6, width: int = 64, height: int = 48, shift: int = 2, seed: int = 0) -> Frames:
    """A smooth random texture that moves `shift` pixels to the left per frame: (N, H, W, 3) uint8."""
    import cv2

    wide = width + shift * frames
    noise = np.random.default_rng(seed).normal(size=(height, wide, 3))
    texture = cv2.GaussianBlur(noise, (0, 0), 2.5)
    texture = (texture - texture.min()) / np.ptp(texture) * 255
    return np.stack([texture[:, shift * i : shift * i + width] for i in range(frames)]).astype(np.uint8)


def make_videos(folder: Path, cases: int = 3, frames: int = 6, noise: float = 4.0) -> Path:
    """`case-NN.mkv` with noise, and the clean clips under `reference/`."""
    (folder / "reference").mkdir(parents=True)
    for number in range(cases):
        clean = moving_texture(frames, seed=number)
        rng = np.random.default_rng(1000 + number)
        noisy = np.clip(clean + rng.normal(scale=noise * (1 + number % 3), size=clean.shape), 0, 255).astype(np.uint8)
        write_video(folder / "reference" / f"case-{number:02d}.mkv", clean, fps=12)
        write_video(folder / f"case-{number:02d}.mkv", noisy, fps=12)
    return folder


def make_cases(folder: Path, videos: Path, clusters: int = 2) -> Path:
    """A case folder over `make_videos`: prompts, references and scenes."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for number, reference in enumerate(sorted((videos / "reference").iterdir())):
        cases.append(
            Case(
                id=reference.stem,
                cluster=f"scene-{number % clusters}",
                condition=Condition(prompt=f"clip {number}"),
                reference=Reference(video=os.path.relpath(reference, folder)),
                tags={"parity": "even" if number % 2 == 0 else "odd"},
            )
        )
    write_cases(folder / "cases.jsonl", cases)
    return folder


PEAK_MEMORY = "int(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1]) * 1024"
"""Expression for a child process: its own peak resident bytes; `ru_maxrss` would count the parent it came from."""


def worldgauge(
    *arguments: object, check: bool = True, env: dict[str, str] | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as a user does."""
    done = subprocess.run(
        [sys.executable, "-m", "worldgauge", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        check=False,
    )
    if check:
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


_MANY = """
import json, sys
from typer.testing import CliRunner
from worldgauge.cli.main import app
told = []
for arguments in json.load(sys.stdin):
    done = CliRunner().invoke(app, arguments)
    known = done.exception is None or isinstance(done.exception, SystemExit)
    # Progress of a slow machine is no part of what a command prints.
    printed = done.stdout if done.exit_code == 0 else done.output
    told.append((done.exit_code, printed + ("" if known else repr(done.exception))))
json.dump(told, sys.stdout)
"""


def worldgauge_many(*commands: Sequence[object], env: dict[str, str] | None = None) -> list[str]:
    """What several commands print, one after the other in one process of their own: the imports are paid once."""
    given = json.dumps([[str(argument) for argument in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", _MANY], input=given, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for command, (code, printed) in zip(commands, told, strict=True):
        assert code == 0, f"{command}: exit {code}\n{printed}"
    return [printed for _, printed in told]


def run_json(*arguments: object, check: bool = True, timeout: float = 120) -> dict[str, Any]:
    """The JSON a verb prints."""
    parsed: dict[str, Any] = json.loads(worldgauge(*arguments, "--json", check=check, timeout=timeout).stdout)
    return parsed


def blind_spots_not_seen(namespace: str) -> set[tuple[str, str]]:
    """Declared blind spots (metric, fault) of one benchmark that the shipped calibrations do not show."""
    from worldgauge.calibration import shipped
    from worldgauge.calibration.gauges import all_gauges

    failing = {
        (gauge.id, response.fault)
        for file in shipped()
        for gauge in file.gauges
        for response in gauge.responses
        if response.verdict is not None and response.verdict.holds is False
    }
    own = [gauge for gauge in all_gauges().values() if gauge.id.rpartition("/")[0] == namespace]
    return {(gauge.id, fault) for gauge in own for fault in gauge.blind} - failing


def records(folder: Path) -> list[dict[str, Any]]:
    """Every record line of a run, without the fields that tell when it was written, sorted."""
    found = []
    for file in sorted(folder.glob("records-*.jsonl")):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            found.append({key: value for key, value in record.items() if key not in ("seconds", "time", "invocation")})
    return sorted(found, key=lambda r: (r["case"], r["metric"], r["fingerprint"]))
