"""Making Python environments by recipe, with `python -m venv` and pip; one that was left unfinished is made again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from filelock import FileLock, Timeout

from worldgauge.core.environments import READY, Recipe, environments_folder, python_in
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.weights import megabytes_in_words


@dataclass(frozen=True)
class MakePlan:
    """What will be done, before anything is."""

    recipe: Recipe
    folder: Path
    python: str
    packages: tuple[str, ...]
    """Installed with all they ask for."""
    origin: str
    """Where pip takes packages from, in words."""
    flags: tuple[str, ...]
    """Of pip."""

    @property
    def lines(self) -> list[tuple[str, str]]:
        """For people."""
        told = [
            ("environment", f"{self.recipe.name}: {self.recipe.what}"),
            ("folder", str(self.folder)),
            ("size", f"about {megabytes_in_words(self.recipe.megabytes)}"),
            ("python", self.python),
            ("packages", ", ".join(self.packages) or "none"),
            ("without what they ask for", ", ".join(self.recipe.alone) or "none"),
            ("from", self.origin),
            ("licence", self.recipe.licence),
        ]
        return told + ([("remark", self.recipe.remark)] if self.recipe.remark else [])


def plan_environment(
    recipe: Recipe,
    *,
    python: Path | None = None,
    offline: bool = False,
    find_links: Path | None = None,
    extra: Sequence[str] = (),
) -> MakePlan:
    """What making an environment means here; one line where it cannot be done."""
    if offline and find_links is None:
        raise WorldGaugeError(
            f"environment '{recipe.name}' is not made: packages would come from the network, which --offline refuses",
            "give a folder of wheels with --find-links",
        )
    if find_links is not None and not find_links.is_dir():
        raise WorldGaugeError(f"--find-links {find_links} is no folder", "name one that holds wheels")
    chosen = str(python or sys.executable)
    version = _version(chosen)
    if version not in recipe.python:
        raise WorldGaugeError(
            f"environment '{recipe.name}' needs Python {' or '.join(recipe.python)}, {chosen} is {version}",
            "name another interpreter with --python",
        )
    flags = ["--no-input", "--disable-pip-version-check"]
    origin = "the index that pip is set to"
    if find_links is not None:
        flags += ["--find-links", str(find_links.absolute())]
        origin = str(find_links) if offline else f"{find_links} and {origin}"
    if offline:
        flags += ["--no-index"]
    packages = (*recipe.packages, *extra)
    return MakePlan(recipe, environments_folder() / recipe.name, chosen, packages, origin, tuple(flags))


def make_environment(plan: MakePlan, tell: Callable[[str], None] = lambda line: None) -> Path:
    """Make it anew, whatever is there; its folder. `ready.json` is written last, so a killed making leaves none."""
    root = plan.folder.parent
    root.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(root).free / 1e6
    if free < plan.recipe.megabytes:
        need, there = megabytes_in_words(plan.recipe.megabytes), megabytes_in_words(free)
        raise WorldGaugeError(f"environment '{plan.recipe.name}' needs {need}, {root} has {there} free")
    with _locked(plan.recipe.name):
        _remove(plan.folder)
        # pip of this interpreter does it; where that has none, the environment is given one of its own.
        ours = _has_pip()
        tell("python -m venv")
        _run(plan, [plan.python, "-m", "venv", *(["--without-pip"] if ours else []), str(plan.folder)])
        inside = str(python_in(plan.folder))
        pip = [sys.executable, "-m", "pip", "--python", inside] if ours else [inside, "-m", "pip"]
        for names, more in ((plan.packages, ()), (plan.recipe.alone, ("--no-deps",))):
            if names:
                tell(f"pip install {' '.join([*more, *names])}")
                _run(plan, [*pip, "install", *plan.flags, *more, *names])
        mark = {"schema": 1, "recipe": plan.recipe.digest, "packages": plan.packages, "python": plan.python}
        partial = plan.folder / f".{READY}"
        partial.write_text(json.dumps(mark | {"made": time.strftime("%Y-%m-%d", time.gmtime())}, indent=1), "utf-8")
        partial.replace(plan.folder / READY)
    return plan.folder


def remove_environment(name: str) -> bool:
    """Take an environment away; whether there was one."""
    folder = environments_folder() / name
    if not folder.is_dir():
        return False
    with _locked(name):
        _remove(folder)
    return True


def megabytes_of(folder: Path) -> float:
    """What a folder takes on disk."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir()) / 1e6


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """One process at a time; the lock goes away with the process, however it ends."""
    lock = FileLock(environments_folder() / f".{name}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise WorldGaugeError(f"environment '{name}' is being made by another process", "wait for it") from error
    try:
        yield
    finally:
        lock.release()


def _remove(folder: Path) -> None:
    # First the mark: what is half removed must not look whole.
    with suppress(FileNotFoundError):
        (folder / READY).unlink()
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _has_pip() -> bool:
    """Whether this interpreter has one that can work for another."""
    try:
        first, second, *_ = metadata.version("pip").split(".")
    except (metadata.PackageNotFoundError, ValueError):
        return False
    return (int(first), int(second)) >= (22, 3)


def _version(python: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorldGaugeError(f"{python} cannot be run ({error})", "name an interpreter with --python") from error
    return done.stdout.strip() or "no Python"


def _run(plan: MakePlan, command: Sequence[str]) -> None:
    """A step, its output in a log beside the environment; what went wrong in one line."""
    log = plan.folder.parent / f"{plan.recipe.name}.log"
    surroundings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    with log.open("w", encoding="utf-8") as sink:
        try:
            done = subprocess.run(
                list(command), stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, env=surroundings
            )
        except OSError as error:
            raise WorldGaugeError(f"{command[0]} cannot be run ({error})") from error
    if done.returncode:
        lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
        told = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "")
        raise WorldGaugeError(f"environment '{plan.recipe.name}' was not made: {told}", f"all of it is in {log}")
