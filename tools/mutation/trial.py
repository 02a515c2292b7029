"""Trying mutants: each in a fork of this process, on a copy of the tree, against the tests that reach it."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import sys
import time
import types
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tools.mutation.coverage_map import CoverageMap
from tools.mutation.mutants import Mutant

PRELOADED = (
    *("numpy", "scipy.stats", "scipy.sparse.linalg", "scipy.spatial", "cv2", "pandas", "pydantic", "PIL.Image", "av"),
    *("jinja2", "typer", "rich.table", "hypothesis.strategies", "pytest", "_pytest.doctest", "filelock"),
)
"""Imported once, before the forks; never the package itself, which each fork imports from its own tree."""

UNASKED = ("tests/conformance/test_locks.py",)
"""The locks notice that a text changed, not that it became wrong."""

BUDGET_S = 30.0
"""Tests of one mutant, by the time they took for the map; the rest, the slow ones, are left out and counted."""


@dataclass(frozen=True)
class Trial:
    """What became of one mutant."""

    mutant: Mutant
    verdict: str
    """killed, timeout, survived, or unreached where no test comes to the line."""
    asked: int
    """Tests run, or that would have run had none failed before."""
    reaching: int
    seconds: float
    noticed_by: str = ""
    """The test that failed."""


class NotClean(Exception):
    """Tests fail on an unchanged copy, so that their failing would say nothing."""


def chosen_tests(mutant: Mutant, reached: CoverageMap) -> tuple[list[str], int]:
    """The tests to ask, files together and fast files first, and how many reach the mutant."""
    reaching = [test for test in reached.tests(mutant.file, mutant.reached_by) if not test.startswith(UNASKED)]
    chosen: list[str] = []
    left = BUDGET_S
    for test in reaching:
        left -= reached.seconds[test]
        if left < 0 and chosen:
            break
        chosen.append(test)
    of_file: dict[str, float] = defaultdict(float)
    for test in chosen:
        of_file[test.split("::")[0]] += reached.seconds[test]
    return sorted(chosen, key=lambda t: (of_file[t.split("::")[0]], t.split("::")[0])), len(reaching)


def try_all(root: Path, work: Path, mutants: Sequence[Mutant], reached: CoverageMap, processes: int) -> Iterator[Trial]:
    """Try the mutants, so many at a time, and hand out the results as they come."""
    for name in PRELOADED:
        importlib.import_module(name)
    slots = [_Slot(root, work / f"tree-{number}") for number in range(processes)]
    slowness = _check_unchanged(slots[0], mutants, reached)
    waiting = list(reversed(mutants))
    while waiting or any(slot.busy for slot in slots):
        for slot in slots:
            if slot.busy:
                trial = slot.poll()
                if trial is not None:
                    yield trial
            elif waiting:
                mutant = waiting.pop()
                tests, reaching = chosen_tests(mutant, reached)
                if tests:
                    expected = sum(reached.seconds[t] for t in tests)
                    slot.start(mutant, tests, reaching, limit=30 + 3 * slowness * expected)
                else:
                    yield Trial(mutant, "unreached", 0, 0, 0.0)
        time.sleep(0.02)


def _check_unchanged(slot: _Slot, mutants: Sequence[Mutant], reached: CoverageMap) -> float:
    """The fast tests pass on a copy without a change; returns how much slower the machine is than for the map."""
    chosen = {test for mutant in mutants for test in chosen_tests(mutant, reached)[0] if reached.seconds[test] < 0.05}
    if not chosen:
        return 1.0
    nothing = replace(mutants[0], before="", after="", start=0, end=0)
    expected = sum(reached.seconds[test] for test in chosen)
    slot.start(nothing, sorted(chosen), len(chosen), limit=600)
    while (trial := slot.poll()) is None:
        time.sleep(0.1)
    if trial.verdict != "survived":
        raise NotClean(f"{trial.noticed_by or 'pytest'} fails on an unchanged copy, see {slot.tree / 'said.txt'}")
    return max(1.0, trial.seconds / (expected + 5))


class _Slot:
    """One copy of the tree, with at most one mutant in it."""

    def __init__(self, root: Path, tree: Path) -> None:
        self.tree = tree
        shutil.rmtree(tree, ignore_errors=True)
        left_out = shutil.ignore_patterns(".git", ".venv", "build", "runs", ".mypy_cache", ".ruff_cache")
        shutil.copytree(root, tree, ignore=left_out)
        self.busy = False

    def start(self, mutant: Mutant, tests: list[str], reaching: int, limit: float) -> None:
        self.mutant, self.reaching, self.asked = mutant, reaching, len(tests)
        self.file = self.tree / "src" / "worldgauge" / mutant.file
        self.source, self.stat = self.file.read_text("utf-8"), self.file.stat()
        self.file.write_text(mutant.text(self.source), "utf-8")
        # Compiled files go by size and whole seconds; another time makes sure that the old one is not taken.
        os.utime(self.file, (self.stat.st_atime, self.stat.st_mtime + 10))
        self.began, self.limit, self.busy = time.monotonic(), limit, True
        self.process = os.fork()
        if self.process == 0:
            _run_tests(self.tree, tests)

    def poll(self) -> Trial | None:
        ended, status = os.waitpid(self.process, os.WNOHANG)
        seconds = time.monotonic() - self.began
        if not ended and seconds < self.limit:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        if not ended:
            os.waitpid(self.process, 0)
        verdict = "timeout" if not ended else "survived" if status == 0 else "killed"
        self.file.write_text(self.source, "utf-8")
        os.utime(self.file, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))
        self.busy = False
        shutil.rmtree(self.tree / "temporary", ignore_errors=True)
        said = (self.tree / "said.txt").read_text("utf-8", "replace").splitlines()
        failed = [line.split(" ")[1] for line in said if line.startswith(("FAILED ", "ERROR "))]
        return Trial(self.mutant, verdict, self.asked, self.reaching, seconds, failed[-1] if failed else "")


def _run_tests(tree: Path, tests: list[str]) -> None:
    """In the fork: become a process that has just started, in the tree, and leave with pytest's exit code."""
    code = 3
    try:
        os.setsid()
        said = os.open(tree / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.chdir(tree)
        (tree / "temporary").mkdir(exist_ok=True)
        os.environ |= {"PYTHONPATH": str(tree / "src"), "PYTEST_DEBUG_TEMPROOT": str(tree / "temporary")}
        sys.dont_write_bytecode = True
        sys.path[:] = [str(tree / "src"), *sys.path[1:]]
        # Workers that a test spawns would import our main module.
        sys.modules["__main__"] = types.ModuleType("__main__")
        import pytest

        code = int(pytest.main(["-x", "-p", "no:cov", "-p", "no:xdist", "-p", "no:randomly", "--tb=short", *tests]))
    finally:
        sys.stdout.flush()
        os._exit(code)
