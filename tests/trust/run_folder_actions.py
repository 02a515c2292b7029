"""What a state machine may do with a run folder: run it, stop it, write it twice, ask for something else."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis.stateful import RuleBasedStateMachine

from trust.run_folder_model import Model, Truth, perform
from trust.run_folder_world import CASES, Pool, Request, World
from trust.stopping import Stopped, stop_at_write
from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.core.run_folder import Run
from worldgauge.engine.plan import make_plan
from worldgauge.engine.writing import writing


class RunFolderActions(RuleBasedStateMachine):
    """A run folder, the world it is about, and the model of what it must hold. Without rules."""

    world: World

    def __init__(self, pool: Pool, truth: Truth) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=pool.root))
        self.pool, self.out, self.store = pool, self.root / "out", self.root / "store"
        self.model = Model(self.out, truth)
        self.clock = 0.0
        self._patched = contextlib.ExitStack()

    def teardown(self) -> None:
        self._patched.close()
        shutil.rmtree(self.root)

    def job(self, request: Request, **changes: Any) -> Any:
        return self.world.job(request, self.out, self.store, **changes)

    def run(self, request: Request | None) -> None:
        if request is not None and request.chosen(self.world.state):
            perform(self.job(request))
            self.model.finished(self.world, request)

    def kill(self, request: Request, at: int, share: float) -> None:
        job = self.job(request)
        try:
            with stop_at_write(at, share):
                perform(job)
        except Stopped:
            self.model.stopped(self.world, request)
            self.reported()
        else:
            self.model.finished(self.world, request)

    def write_twice(self, first: Request, second: Request) -> None:
        job = self.job(second)
        plan = make_plan(job)
        perform(self.job(first))
        self.model.finished(self.world, first)
        with writing(self.out), self.nothing_changes():
            self.refused(lambda: perform(job, plan))
        perform(job, plan)
        self.model.finished(self.world, second)

    def reported(self) -> None:
        """A reader of whatever is there gets numbers or one sentence."""
        with contextlib.suppress(WorldGaugeError):
            run = Run(self.out)
            run.columns(), run.to_pandas()

    @staticmethod
    def refused(attempt: Callable[[], object]) -> None:
        with pytest.raises(WorldGaugeError):
            attempt()

    @contextlib.contextmanager
    def nothing_changes(self) -> Iterator[None]:
        before = self._bytes()
        yield
        assert self._bytes() == before

    @contextlib.contextmanager
    def _other(self, what: str) -> Iterator[dict[str, Any] | None]:
        """What to ask for in another way, while the files say so."""
        of_cases, world = self.world.state.layout == "cases", self.world
        toml = world.data / "benchmark.toml"
        before = toml.read_text()
        moved = self.root / "elsewhere"
        if what == "protocol" and of_cases:
            yield {"protocol": "fine"}
        elif what == "benchmark" and of_cases:
            toml.write_text(before.replace('"machine"', '"another"', 1))
            yield {}
        elif what == "data" and of_cases:
            world.write_texts([case for case in CASES if case != "b"])
            yield {"cases": []}
        elif what == "model":
            entries = {case: f"{case}.mkv" for case in CASES}
            (world.videos / "submission.json").write_text(json.dumps({"model": {"name": "else"}, "videos": entries}))
            yield {}
        elif what == "place":
            shutil.copytree(world.videos, moved / "videos")
            yield {"videos": moved / "videos"}
        else:
            yield None
        toml.write_text(before)
        world.write_texts()
        (world.videos / "submission.json").unlink(missing_ok=True)
        shutil.rmtree(moved, ignore_errors=True)

    def _bytes(self) -> dict[str, bytes]:
        kept = [self.out / RUN_FILE, self.out / CONTENTS_FILE, *self.out.glob("records-*.jsonl")]
        return {file.name: file.read_bytes() for file in kept if file.exists()}

    def _lines(self) -> list[tuple[Path, int, list[bytes]]]:
        found = []
        for file in sorted(self.out.glob("records-*.jsonl")):
            lines = file.read_bytes().splitlines()
            found += [(file, i, lines) for i, line in enumerate(lines) if is_json(line)]
        return found

    def _errors(self) -> int:
        return sum(record["status"] == "error" for record in Run(self.out).records())


def is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict) and {"metric", "case"} <= json.loads(line).keys()
    except (ValueError, AttributeError):
        return False
