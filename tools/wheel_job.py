"""Does the wheel work where users install it: on every Python of this machine, with newest and lowest versions?

    python tools/wheel_job.py
    python tools/wheel_job.py --python /opt/python3.13/bin/python --versions lowest

Builds the wheel, installs it without our constraints into an environment of its own for every Python and either end of
the allowed versions, and runs there what a user runs first: one case of the demo, and one clip. Prints a table and goes
on after a failure; the whole output of every trial is in `build/wheel-job`.

Exit code: 0 all trials passed, 1 one failed, 2 no Python that the package supports is here, or wrong usage.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[1]
CLASSIFIER = "Programming Language :: Python :: "
ENDS = ("newest", "lowest")
STEP_SECONDS = 1800
"""No step takes longer on a machine that works; one that does is a failure, and the next trial begins."""
_PYTHON_NAME = re.compile(r"python(3(\.\d+)?)?")
_PYTHON_VARIABLE = re.compile(r"PYTHON_?(3(_?\d+)?)?")
_NOT_PASSED_ON = re.compile(r"PYTHON.*|PIP_(CONSTRAINT|REQUIREMENT|TARGET|USER)|VIRTUAL_ENV|WORLDGAUGE_.*")
_ABOUT_PYTHON = "import sys, venv; print('%d.%d.%d' % sys.version_info[:3], sys.prefix == sys.base_prefix)"
_CLIP = """
import numpy as np
from pathlib import Path
from worldgauge.media.encoder import write_video
ramp = np.add.outer(np.arange(120), np.arange(160))
frames = [np.stack([(ramp + 3 * t) % 256, (2 * ramp) % 256, (ramp - t) % 256], 2).astype(np.uint8) for t in range(24)]
Path("clips").mkdir(exist_ok=True)
write_video(Path("clips/ramp.mp4"), frames, 12)
"""


class StepFailed(Exception):
    """A command of a trial did not end well; the message is its last line."""


@dataclass(frozen=True)
class Python:
    """One interpreter."""

    path: Path
    version: tuple[int, int, int]
    is_environment: bool = False

    @property
    def minor(self) -> str:
        return f"{self.version[0]}.{self.version[1]}"


@dataclass
class Trial:
    """One Python with one end of the versions, and what became of it."""

    python: Python
    end: str
    installed: str = "-"
    demo: str = "-"
    clip: str = "-"
    seconds: float = 0.0
    reason: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def row(self) -> list[str]:
        version = ".".join(map(str, self.python.version))
        result = self.reason or "passed"
        return [version, self.end, self.installed, self.demo, self.clip, f"{self.seconds:.0f} s", result]


def supported(project: Mapping[str, list[str]]) -> list[str]:
    """The Pythons that the classifiers of a project name.

    >>> supported({"classifiers": ["Typing :: Typed", "Programming Language :: Python :: 3.11"]})
    ['3.11']
    """
    names = [text.removeprefix(CLASSIFIER) for text in project["classifiers"] if text.startswith(CLASSIFIER)]
    return [name for name in names if "." in name]


def candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where a Python may be: variables such as PYTHON or PYTHON3_12, the folders of PATH, those of pyenv and uv."""
    for name, value in sorted(environ.items()):
        if _PYTHON_VARIABLE.fullmatch(name):
            named = (shutil.which(part, path=environ.get("PATH")) for part in value.split())
            yield from (Path(path) for path in named if path)
    home = Path(environ.get("HOME") or Path.home())
    folders = [Path(part) for part in environ.get("PATH", "").split(os.pathsep) if part]
    pyenv = Path(environ.get("PYENV_ROOT") or home / ".pyenv") / "versions"
    uv = Path(environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local" / "share" / "uv" / "python")
    for parent in (pyenv, uv):
        folders += sorted(parent.glob("*/bin"))
    for folder in folders:
        yield from (path for path in sorted(folder.glob("python*")) if _PYTHON_NAME.fullmatch(path.name))


def examine(path: Path) -> Python | None:
    """What is behind a name; None where it does not start or cannot make environments."""
    try:
        done = subprocess.run([path, "-I", "-c", _ABOUT_PYTHON], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+) (True|False)\s*", done.stdout)
    if done.returncode or match is None:
        return None
    return Python(path, (int(match[1]), int(match[2]), int(match[3])), match[4] == "False")


def discover(paths: Iterable[Path], wanted: Sequence[str]) -> dict[str, list[Python]]:
    """Per supported version its interpreters, real ones before environments, then the newest patch first."""
    seen: dict[Path, Python | None] = {}
    for path in paths:
        # By its folder: the name is often a link within it, and an environment's leads out of it.
        key = path.parent.resolve() / path.resolve().name
        if key not in seen:
            seen[key] = examine(path)
    known = sorted((p for p in seen.values() if p), key=lambda p: (p.is_environment, [-n for n in p.version]))
    return {minor: [p for p in known if p.minor == minor] for minor in wanted}


def ordered(lines: str, allowed: SpecifierSet) -> list[str]:
    """The versions of `pip index versions` that are allowed, lowest first.

    >>> ordered("av (19.0.2)\\nAvailable versions: 19.0.2, 15.0.0, 14.0.0, 13.1", SpecifierSet(">=14"))
    ['14.0.0', '15.0.0', '19.0.2']
    """
    match = re.search(r"^Available versions: (.*)$", lines, re.MULTILINE)
    versions = []
    for text in match[1].split(", ") if match else []:
        try:
            versions.append(Version(text))
        except InvalidVersion:
            continue
    return [str(version) for version in sorted(allowed.filter(versions))]


class Environment:
    """A fresh virtual environment, and a folder for what is run in it."""

    def __init__(self, python: Python, folder: Path, wheels: Path) -> None:
        self.folder, self.wheels = folder, wheels
        self.log = folder / "log.txt"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.variables = {k: v for k, v in os.environ.items() if not _NOT_PASSED_ON.fullmatch(k)}
        self.variables |= {"WORLDGAUGE_STORE": str(folder / "store"), "XDG_CACHE_HOME": str(folder / "cache")}
        # Pip's cache stays the user's: the same wheels are wanted every night.
        self.variables["PIP_CACHE_DIR"] = _pip_cache()
        self._make(python)

    def _make(self, python: Python) -> None:
        venv = str(self.folder / "venv")
        try:
            self.run(python.path, "-m", "venv", venv)
        except StepFailed:
            # Debian's Python has no ensurepip; our own pip can fill the environment.
            self.run(python.path, "-m", "venv", "--clear", "--without-pip", venv)
            self.run(sys.executable, "-m", "pip", "--python", f"{venv}/bin/python", "install", "--quiet", "pip")

    def run(self, *command: str | Path) -> str:
        """Standard output of a command; a failure has its last line as reason."""
        with self.log.open("a", encoding="utf-8") as log:
            print("$", *command, file=log, flush=True)
            try:
                done = subprocess.run(
                    list(map(str, command)), cwd=self.folder, env=self.variables, stdin=subprocess.DEVNULL,
                    capture_output=True, text=True, errors="replace", timeout=STEP_SECONDS,
                )  # fmt: skip
            except subprocess.TimeoutExpired as error:
                raise StepFailed(f"no end after {STEP_SECONDS} s: {' '.join(map(str, command[:4]))}") from error
            log.write(done.stdout + done.stderr)
        if done.returncode:
            raise StepFailed(last_line(done.stderr) or last_line(done.stdout) or f"exit code {done.returncode}")
        return done.stdout

    def pip(self, *arguments: str | Path) -> str:
        return self.run(self.folder / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", *arguments)

    def python(self, *arguments: str | Path) -> str:
        return self.run(self.folder / "venv/bin/python", *arguments)

    def worldgauge(self, *arguments: str | Path) -> str:
        return self.run(self.folder / "venv/bin/worldgauge", *arguments)

    def lowest(self, requirement: Requirement) -> str:
        """The lowest allowed version that this Python has a wheel of; it is downloaded."""
        listed = ordered(self.pip("index", "versions", requirement.name), requirement.specifier)
        for version in listed:
            pinned = f"{requirement.name}=={version}"
            try:
                self.pip("download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", self.wheels, pinned)
            except StepFailed:
                continue
            return pinned
        raise StepFailed(f"no version of {requirement} has a wheel for this Python")


def _pip_cache() -> str:
    done = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True)
    return done.stdout.strip()


def last_line(text: str) -> str:
    """The last line with an error in it, else the last one that is not empty, cut to the width of a table.

    >>> last_line("ERROR: no such thing\\n\\nhint: look elsewhere\\n")
    'ERROR: no such thing'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    errors = [line for line in lines if re.match(r"(error|\w*Error\b)", line, re.IGNORECASE)]
    return (errors or lines or [""])[-1][:200]


def install(environment: Environment, wheel: Path, requirements: Iterable[Requirement], end: str) -> dict[str, str]:
    """Install the wheel with the newest or the lowest versions of what it needs; returns which those are."""
    used = [r for r in requirements if r.marker is None or r.marker.evaluate()]
    pinned = [environment.lowest(r) for r in used] if end == "lowest" else []
    environment.pip("install", "--quiet", "--find-links", environment.wheels, wheel, *pinned)
    environment.pip("check")
    listed = json.loads(environment.pip("list", "--format", "json"))
    versions = {entry["name"].lower().replace("_", "-"): entry["version"] for entry in listed}
    return {r.name: versions[r.name.lower()] for r in used}


def try_demo(environment: Environment) -> str:
    """The demo's first case: every score of the perfect subject has a value, and no record is an error."""
    environment.worldgauge("demo", "--cases", "1", "--workers", "1", "--out", "demo")
    table = json.loads((environment.folder / "demo/report/table.json").read_text("utf-8"))
    scores = next(model["scores"] for model in table["models"] if model["baseline"] == "oracle")
    empty = [name for name, score in scores.items() if score["value"] is None]
    errors = _statuses(environment.folder / "demo/runs").get("error", 0)
    if empty or errors:
        raise StepFailed(f"demo: {errors} error records; without a value: {', '.join(empty) or 'none'}")
    return f"{scores['overall']['value']:.2f}"


def try_clip(environment: Environment) -> str:
    """A folder with one clip, as a user has it: its metrics have values, and no record is an error."""
    environment.python("-c", _CLIP)
    environment.worldgauge("run", "clips", "--out", "clips-run")
    statuses = _statuses(environment.folder / "clips-run")
    if not statuses.get("ok") or statuses.keys() & {"error", "invalid", "missing"}:
        raise StepFailed(f"clip: records {statuses}")
    return f"{statuses['ok']} metrics"


def _statuses(folder: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for file in folder.rglob("records-*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            status = json.loads(line)["status"]
            counts[status] = counts.get(status, 0) + 1
    return counts


def carry_out(trial: Trial, folder: Path, wheel: Path, requirements: Sequence[Requirement]) -> None:
    """One trial; what fails is written into it."""
    began = time.monotonic()
    try:
        environment = Environment(trial.python, folder / f"{trial.python.minor}-{trial.end}", folder / "wheels")
        trial.installed = "failed"
        trial.versions = install(environment, wheel, requirements, trial.end)
        trial.installed, trial.demo = "yes", "failed"
        trial.demo = try_demo(environment)
        trial.clip = "failed"
        trial.clip = try_clip(environment)
        shutil.rmtree(environment.folder / "venv")
    except (StepFailed, OSError, ValueError, LookupError, StopIteration) as error:
        trial.reason = str(error) or type(error).__name__
    trial.seconds = time.monotonic() - began


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns as wide as their widest cell.

    >>> print(table(["Python", "demo"], [["3.11.7", "97.78"]]))
    Python  demo
    3.11.7  97.78
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def build_wheel(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="wheel_job", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", action="append", default=[], help="an interpreter; default: all of this machine")
    parser.add_argument("--versions", choices=ENDS, action="append", help="one end alone")
    parser.add_argument("--wheel", type=Path, help="a wheel that was built already")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheel-job")
    options = parser.parse_args(arguments)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = [Requirement(text) for text in project["dependencies"]]
    given = [Path(found) for name in options.python if (found := shutil.which(name))]
    wanted = supported(project)
    present = discover(given if options.python else candidates(os.environ), wanted)
    for minor in wanted:
        chosen = next((str(python.path) for python in present[minor]), "not on this machine")
        print(f"Python {minor}: {chosen}", flush=True)
    trials = [Trial(found[0], end) for found in present.values() if found for end in options.versions or ENDS]
    if not trials:
        print(f"no Python {wanted[0]} to {wanted[-1]} starts here: name one with --python PATH", file=sys.stderr)
        return 2
    out = options.out.absolute()
    wheel = options.wheel.absolute() if options.wheel else build_wheel(out / "wheel")
    for trial in trials:
        carry_out(trial, out, wheel, requirements)
        print(*trial.row, flush=True)
    print()
    print(table(["Python", "versions", "installed", "demo", "clip", "time", "result"], [t.row for t in trials]))
    print()
    names = [r.name for r in requirements]
    installed = [[t.python.minor, t.end, *(t.versions.get(name, "-") for name in names)] for t in trials]
    print(table(["Python", "versions", *names], installed))
    failed = sum(bool(trial.reason) for trial in trials)
    print(f"\n{len(trials) - failed} of {len(trials)} passed; outputs: {out}/PYTHON-VERSIONS/log.txt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
