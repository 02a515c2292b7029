"""What must be in a run folder after all that happened to it, known without looking into it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from trust.run_folder_world import CASES, COLUMNS, PLUGGED, Request, State, World
from worldgauge.core.run_file import RunFile
from worldgauge.core.run_folder import Run
from worldgauge.engine.executors import InlineExecutor
from worldgauge.engine.job import Job, Setup
from worldgauge.engine.plan import Plan, make_plan
from worldgauge.engine.run import execute
from worldgauge.report.summary import summarise

Row = dict[str, Any]
Fact = tuple[str, str, object, object]
"""Column, case, what the definition and the inputs were."""

_OF_THE_MOMENT = ("seconds", "time", "invocation", "traceback", "inputs")
"""The digest of the inputs holds the place of own videos' references, which differs from sequence to sequence."""


def perform(job: Job, plan: Plan | None = None) -> None:
    """A whole run in this process."""

    def inline(setup: Setup, _workers: int, perceive: bool) -> InlineExecutor:
        return InlineExecutor(setup, perceive)

    execute(job, plan or make_plan(job), make_executor=inline)


def rows_of(run: Run) -> dict[tuple[str, str], Row]:
    """The records that count, without what differs from run to run."""
    place = str(Path(run.file.read_from).parent)
    found = {}
    for record in run.records():
        row = {key: value for key, value in record.items() if key not in _OF_THE_MOMENT}
        found[record["metric"], record["case"]] = row | {"reason": row.get("reason", "").replace(place, "")}
    return found


class Truth:
    """Fresh runs over each state, each in a folder and with a store of its own, made once."""

    def __init__(self, root: Path) -> None:
        self._root, self._known = root, dict[str, tuple[dict[tuple[str, str], Row], dict[str, Any]]]()
        self._partial = dict[tuple[str, Any], dict[str, Any]]()
        self.rows: dict[Fact, Row] = {}
        self.fingerprints: dict[tuple[str, str], object] = {}
        """Column and fingerprint to what the definition was."""
        self.runs = 0

    def scores(self, world: World) -> dict[str, Any]:
        """Every score of a fresh run of everything."""
        return self._fresh(world)[1]

    def learn(self, world: World) -> dict[tuple[str, str], Row]:
        """What a fresh run says of every column and case."""
        return self._fresh(world)[0]

    def partial_scores(self, world: World, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Every score of a fresh folder in which just these were asked for."""
        cases_of = {column: tuple(c for c in CASES if (column, c) in set(pairs)) for column in COLUMNS}
        groups = tuple(sorted({cases for cases in cases_of.values() if cases}))
        key = world.state.key, tuple(cases_of.items())
        if key not in self._partial:
            out, store = self._places()
            for cases in groups:
                columns = tuple(column for column in COLUMNS if cases_of[column] == cases)
                perform(world.job(Request(columns, cases), out, store))
            self._partial[key] = _scores(Run(out))
        return self._partial[key]

    def _fresh(self, world: World) -> tuple[dict[tuple[str, str], Row], dict[str, Any]]:
        state = world.state
        if state.key not in self._known:
            out, store = self._places()
            perform(world.job(Request(), out, store))
            run = Run(out)
            rows = rows_of(run)
            for (column, case), row in rows.items():
                fact = column, case, state.definition(column), state.inputs(column, case)
                # What a process remembers must not make a fresh run wrong: no two of them disagree,
                assert self.rows.setdefault(fact, row) == row
                # and of some columns the number is known without any run.
                if row["status"] == "ok" and column in PLUGGED:
                    assert row["raw"] == pytest.approx(world.expected(column, case))
            for definition in run.file.definitions:
                before = self.fingerprints.setdefault((definition.id, definition.fingerprint), None)
                assert before in (None, state.definition(definition.id)), "two definitions with one fingerprint"
                self.fingerprints[definition.id, definition.fingerprint] = state.definition(definition.id)
            self._known[state.key] = rows, _scores(run)
        return self._known[state.key]

    def _places(self) -> tuple[Path, Path]:
        self.runs += 1
        self._drop()
        return self._root / "out", self._root / "store"

    def _drop(self) -> None:
        for place in ("out", "store"):
            shutil.rmtree(self._root / place, ignore_errors=True)


def _scores(run: Run) -> dict[str, Any]:
    return {name: score.to_json() for name, score in summarise(run).scores.items()}


class Model:
    """What was measured, and under which definitions the folder's columns stand."""

    def __init__(self, folder: Path, truth: Truth) -> None:
        self.folder, self.truth = folder, truth
        self.forget()

    def forget(self) -> None:
        """A new folder."""
        self.asked: dict[str, object] = {}
        """Column to its definition."""
        self.done: set[Fact] = set()
        self.perhaps: set[Fact] = set()
        """Measured by a run that was stopped, or on a line that was damaged."""
        self.seen: State | None = None
        """What the folder's cases and sources say."""

    def stopped(self, world: World, request: Request) -> None:
        """A run ended before its end: it may have written any of its records, and its definitions or not."""
        self.truth.learn(world)
        self.perhaps |= self._facts(world.state, request)
        self.read_definitions()
        self.seen = None

    def read_definitions(self) -> None:
        """Take the columns from the folder, where the model cannot know them."""
        try:
            file = RunFile.read(self.folder)
        except Exception:  # noqa: BLE001  the test that reads it says what is wrong
            self.asked = {}
            return
        self.asked = {d.id: self.truth.fingerprints[d.id, d.fingerprint] for d in file.definitions}

    def line_lost(self, pairs: Iterable[tuple[str, str]]) -> None:
        lost = {fact for fact in self.done if fact[:2] in set(pairs)}
        self.done -= lost
        self.perhaps |= lost

    def note(self, world: World, request: Request) -> None:
        """A run came to its end."""
        state, facts = world.state, self._facts(world.state, request)
        self.asked |= {column: state.definition(column) for column in request.columns}
        self.done |= facts
        self.perhaps -= facts
        self.seen = state

    def finished(self, world: World, request: Request) -> None:
        """A run came to its end: compare all that the folder says with a fresh run over the same state."""
        self.note(world, request)
        state, fresh = world.state, self.truth.learn(world)
        run = Run(self.folder)
        found = rows_of(run)
        assert [d.id for d in run.file.definitions] == [column for column in COLUMNS if column in self.asked] or (
            state.layout == "videos" and {d.id for d in run.file.definitions} == set(self.asked)
        )
        current: set[tuple[str, str]] = set()
        for column, definition in self.asked.items():
            for case in CASES:
                fact = column, case, definition, state.inputs(column, case)
                row = found.pop((column, case), None)
                if case not in state.cases or (fact not in self.done and fact not in self.perhaps):
                    assert row is None, f"{column} of {case} counts although it was not measured like this: {row}"
                elif row is None:
                    assert fact in self.perhaps, f"{column} of {case} was measured and does not count"
                else:
                    assert row == self.truth.rows[fact]
                    current.add((column, case))
                    self.perhaps.discard(fact)
                    self.done.add(fact)
                    if definition == state.definition(column):
                        assert row == fresh[column, case]
        assert not found
        self._compare_scores(world, run, current)

    def _compare_scores(self, world: World, run: Run, current: set[tuple[str, str]]) -> None:
        """Values, intervals, statuses and coverage are those of a fresh folder with the same records."""
        if any(definition != world.state.definition(column) for column, definition in self.asked.items()):
            return
        everything = current == {(column, case) for column in self.asked for case in world.state.cases}
        expected = self.truth.scores(world) if everything else self.truth.partial_scores(world, current)
        for name, score in _scores(run).items():
            whole = name != "total" or {"machine_level", "machine_words"} <= {column for column, _ in current}
            if whole and (name == "total" or name in {column for column, _ in current}):
                assert score == expected[name], name

    def checked(self, world: World) -> None:
        """The files were looked at again without a run: what counts was measured on the files that are there."""
        if self.seen is None:
            return
        now, seen = world.state, self.seen
        effective = State(
            seen.layout,
            # A video that the last run did not find is not looked for.
            {case: None if seen.videos[case] is None else now.videos[case] for case in CASES},
            now.references,
            now.cameras,
            seen.prompts,
            seen.tags,
        )
        for (column, case), row in rows_of(Run(self.folder)).items():
            fact = column, case, self.asked[column], effective.inputs(column, case)
            assert fact in self.done or fact in self.perhaps, f"{column} of {case} counts: {row}"
            assert row == self.truth.rows[fact]

    def _facts(self, state: State, request: Request) -> set[Fact]:
        return {
            (column, case, state.definition(column), state.inputs(column, case))
            for column in request.columns
            for case in request.chosen(state)
        }
