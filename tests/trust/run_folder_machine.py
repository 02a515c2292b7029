"""A state machine that does to a run folder whatever may happen to one."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import time
from pathlib import Path
from unittest import mock

import typer
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from trust.run_folder_actions import RunFolderActions, is_json
from trust.run_folder_model import perform
from trust.run_folder_world import BROKEN, CASES, COLUMNS, PRESETS, PROMPTS, How, Layout, Request, World
from worldgauge.cli.merge import merge
from worldgauge.core import file_digests
from worldgauge.core.contents import DIGESTS_FILE
from worldgauge.core.contents import FILE_NAME as CONTENTS_FILE
from worldgauge.core.run_file import FILE_NAME as RUN_FILE
from worldgauge.core.sources import FILE_NAME as SOURCES_FILE
from worldgauge.engine.contents import check_again
from worldgauge.engine.plan import make_plan

A_CASE = st.sampled_from(CASES)
CLIPS = (0, 1, 2, 3, BROKEN, None)
CAMERAS = (0, 1, None)
A_WAY: st.SearchStrategy[How] = st.sampled_from(["new file", "in place", "same time"])
COLUMN_SETS = st.one_of(
    st.just(COLUMNS), st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique=True).map(tuple)
)
REQUESTS = st.one_of(
    st.just(Request()),
    st.builds(Request, columns=COLUMN_SETS),
    st.builds(Request, columns=COLUMN_SETS, cases=st.lists(A_CASE, min_size=1, max_size=2, unique=True).map(tuple)),
    st.builds(Request, columns=COLUMN_SETS, shard=st.sampled_from([(1, 2), (2, 2)])),
)
THEN = st.one_of(REQUESTS, st.none())
"""What is run after a change; nothing, so that several changes come together."""


class RunFolderMachine(RunFolderActions):
    """Changes to the files, runs, and accidents."""

    @initialize(layout=st.sampled_from(["cases", "videos"]), settled=st.booleans())
    def begin(self, layout: Layout, settled: bool) -> None:
        self.world = World(self.root, self.pool, layout)
        if settled:
            # As if every file had been at rest for long, so that what is known about it is used.
            self._patched.enter_context(mock.patch.object(file_digests, "_SETTLED_NS", -(10**18)))
        for name, per_second in (("time", 1), ("time_ns", 10**9)):
            real = getattr(time, name)
            shifted = lambda real=real, unit=per_second: real() + type(real())(self.clock * unit)  # noqa: E731
            self._patched.enter_context(mock.patch.object(time, name, shifted))
        self.run(Request())

    # Changes.

    @rule(case=A_CASE, turn=st.integers(1, 5), how=A_WAY, then=THEN)
    def change_video(self, case: str, turn: int, how: How, then: Request | None) -> None:
        """Added, replaced or deleted; one video must stay."""
        videos = self.world.state.videos
        clip = _turned(CLIPS, videos[case], turn)
        others = [other for other in CASES if other != case and videos[other] is not None]
        self.world.put_video(case, clip if others else clip or 0, how)
        self.run(then)

    @rule(case=A_CASE, then=THEN)
    def delete_video(self, case: str, then: Request | None) -> None:
        if any(clip is not None for other, clip in self.world.state.videos.items() if other != case):
            self.world.put_video(case, None)
        self.run(then)

    @rule(case=A_CASE, turn=st.integers(1, 2), then=THEN)
    def rename_video(self, case: str, turn: int, then: Request | None) -> None:
        if self.world.state.videos[case] is not None:
            self.world.rename_video(case, CASES[(CASES.index(case) + turn) % 3])
        self.run(then)

    @rule(case=A_CASE, part=st.sampled_from(["reference", "camera"]), turn=st.integers(1, 5), how=A_WAY, then=THEN)
    def change_file_of_case(self, case: str, part: str, turn: int, how: How, then: Request | None) -> None:
        if part == "reference":
            self.world.put_reference(case, _turned(CLIPS, self.world.state.references[case], turn), how)
        else:
            self.world.put_camera(case, _turned(CAMERAS, self.world.state.cameras[case], 1 + turn % 2), how)
        self.run(then)

    @rule(case=A_CASE, prompt=st.sampled_from(PROMPTS), tag=st.sampled_from("xy"), then=THEN)
    def edit_case(self, case: str, prompt: str, tag: str, then: Request | None) -> None:
        self.world.put_text(case, prompt, tag)
        self.run(then)

    @rule(which=st.integers(0, 2), doc=st.integers(0, 2), then=THEN)
    def edit_code(self, which: int, doc: int, then: Request | None) -> None:
        """The metric, the signal or the helper beside them."""
        code = [1 - number if i == which else number for i, number in enumerate(self.world.state.code)]
        self.world.put_code((code[0], code[1], code[2]), doc)
        self.run(then)

    @rule(doc=st.integers(3, 9))
    def edit_docstrings(self, doc: int) -> None:
        """Words do not make anything stale."""
        self.run(Request())
        self.world.put_code(self.world.state.code, doc)
        assert make_plan(self.job(Request())).records == self._errors()

    @rule(then=THEN)
    def change_instrument(self, then: Request | None) -> None:
        self.world.use_preset(next(preset for preset in PRESETS if preset != self.world.state.preset))
        self.run(then)

    @rule(days=st.sampled_from([1, 400]), then=THEN)
    def set_clock_back(self, days: int, then: Request | None) -> None:
        self.clock -= days * 86400.0
        self.run(then)

    # Runs.

    @rule(request=REQUESTS)
    def run_again(self, request: Request) -> None:
        self.run(request)

    @rule(request=REQUESTS, at=st.integers(0, 40), share=st.floats(0, 1), then=THEN)
    def run_is_killed(self, request: Request, at: int, share: float, then: Request | None) -> None:
        if request.chosen(self.world.state):
            self.kill(request, at, share)
        self.run(then)

    @rule(first=REQUESTS, second=REQUESTS)
    def two_writers(self, first: Request, second: Request) -> None:
        """The second plans before the first is done; then one wants to write while the other does."""
        if not first.chosen(self.world.state) or not second.chosen(self.world.state):
            return
        self.write_twice(first, second)

    @rule(request=REQUESTS, what=st.sampled_from(["protocol", "benchmark", "model", "data", "place"]))
    def another_identity(self, request: Request, what: str) -> None:
        """Refused, and not a byte is changed."""
        if not (self.out / RUN_FILE).exists() or not request.chosen(self.world.state):
            return
        with self._other(what) as changes, self.nothing_changes():
            if changes is not None:
                self.refused(lambda: perform(self.job(request, **changes)))

    @rule(columns=COLUMN_SETS, then=THEN)
    def merge_shards(self, columns: tuple[str, ...], then: Request | None) -> None:
        """Shards of the present state, merged, are the run folder from now on."""
        state = self.world.state
        shards = [Request(columns, shard=(i, 2)) for i in (1, 2)]
        if not all(shard.chosen(state) for shard in shards):
            return
        folders = [self.root / "shard-1", self.root / "shard-2"]
        for shard, folder in zip(shards, folders, strict=True):
            perform(self.world.job(shard, folder, self.store))
        self.refused(lambda: _merge([folders[0], folders[0]], self.root / "twice"))
        shutil.rmtree(self.out)
        _merge(folders, self.out)
        for folder in folders:
            shutil.rmtree(folder)
        self.model.forget()
        self.model.finished(self.world, Request(columns))
        self.run(then)

    # Accidents.

    @precondition(lambda self: self._lines())
    @rule(
        pick=st.integers(0, 10**6),
        how=st.sampled_from(["cut", "garble", "bytes", "nan", "field", "kind", "join"]),
        then=THEN,
    )
    def damage_line(self, pick: int, how: str, then: Request | None) -> None:
        file, number, lines = self._lines()[pick % len(self._lines())]
        record = json.loads(lines[number])
        key = sorted(record)[pick % len(record)]
        wrong = [{}, [], -1, "x", 10**400][pick % 5]
        changed = {
            "cut": lines[number][: pick % len(lines[number])],
            "garble": lines[number].replace(b'"', b"'", 1 + pick % 5),
            "bytes": lines[number][: pick % 20] + b"\xff\xfe" + lines[number][pick % 20 :],
            "nan": json.dumps({**record, "value": float("nan")}).encode(),
            "field": json.dumps({k: v for k, v in record.items() if k != key}).encode(),
            "kind": json.dumps({**record, key: wrong}).encode(),
            "join": lines[number],
        }[how]
        lines[number] = changed
        if how == "field" and key not in ("case", "metric", "fingerprint", "inputs", "cluster", "status", "value"):
            return
        numbers = isinstance(wrong, int) and isinstance(record[key], (int, float))
        if how == "kind" and (key == "schema" or numbers or type(record[key]) in (type(None), type(wrong))):
            # A wrong value of the right kind is no damage that a reader could see; a newer schema is refused.
            return
        ends = [b"\n"] * len(lines)
        if how == "join":
            ends[number] = b""
        file.write_bytes(b"".join(line + end for line, end in zip(lines, ends, strict=True)))
        joined = lines[number : number + 2] if how == "join" else []
        lost = [record, *(json.loads(line) for line in joined if is_json(line))]
        self.model.line_lost([(record["metric"], record["case"]) for record in lost])
        self.reported()
        self.run(then)

    @rule(
        name=st.sampled_from([RUN_FILE, CONTENTS_FILE, SOURCES_FILE, DIGESTS_FILE]),
        how=st.sampled_from(["empty", "cut", "garble", "bytes", "gone", "line"]),
        then=REQUESTS,
    )
    def damage_file(self, name: str, how: str, then: Request) -> None:
        file = self.out / name
        if not file.exists():
            return
        content = file.read_bytes()
        lines = content.splitlines(keepends=True)
        damaged = {
            "empty": b"",
            "cut": content[: len(content) // 2],
            "garble": content.replace(b'"', b"'"),
            "bytes": b"\xff" + content,
            "gone": None,
            "line": b"".join(lines[:-1]) if name != RUN_FILE else b"[]",
        }[how]
        file.write_bytes(damaged) if damaged is not None else file.unlink()
        self.reported()
        if name == RUN_FILE:
            self.model.asked = {}
        self.model.seen = None
        self.run(then)

    @rule()
    def damage_all(self) -> None:
        """Records of which nobody knows whose they are: refused, and left as they are."""
        for name in (RUN_FILE, CONTENTS_FILE):
            (self.out / name).write_bytes(b"{")
        if self._lines():
            with self.nothing_changes():
                self.refused(lambda: perform(self.job(Request())))
        shutil.rmtree(self.out)
        self.model.forget()
        self.run(Request())

    @rule()
    def check(self) -> None:
        if self.model.seen is not None:
            check_again(self.out)
            self.model.checked(self.world)


def _turned(values: tuple[int | None, ...], value: int | None, turn: int) -> int | None:
    """Another of the values."""
    return values[(values.index(value) + turn) % len(values)]


def _merge(folders: list[Path], out: Path) -> None:
    # Error records of the shards make it end with 1; they are compared like the others.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(typer.Exit):
        merge(folders, out)
