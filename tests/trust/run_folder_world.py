"""The files that a run folder is about, small enough to be changed and measured anew within milliseconds."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

import helpers
from worldgauge.api.building import build_job
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.case_file import write_cases
from worldgauge.engine.job import Job
from worldgauge.media.encoder import write_video

CASES = ("a", "b", "c")
COLUMNS = ("machine_level", "machine_words", "machine_reach", "psnr", "warp_error")
PLUGGED = COLUMNS[:3]
"""Columns whose code is the plug-in's."""
CLIPS, BROKEN = 4, 4
"""Clips of the pool; the one behind them is no video."""
REACHES = (1.0, 2.0)
"""How far the cameras go."""
PROMPTS = ("", "one", "two words")
PRESETS = ("ultrafast", "fast")
_SIZE = 6000
"""Bytes of every clip, so that a replaced file need not differ in size."""

Layout = Literal["cases", "videos"]
How = Literal["new file", "in place", "same time"]

_TOML = """
name = "machine"
protocols = ["rough", "fine"]
[[metric]]
id = "machine_level"
scale = {from = [0, 255]}
under.fine = {scale = {from = [0, 128]}}
[[metric]]
id = "machine_words"
[[metric]]
id = "machine_reach"
[[metric]]
id = "psnr"
cases = {kind = "x"}
[[metric]]
id = "warp_error"
[[group]]
id = "total"
of = {machine_level = 3, machine_words = 1}
"""

_PLUGIN = '''
"""Plug-in, text {doc}."""
import sys
from pathlib import Path

import numpy as np

from worldgauge import Measurement, metric, signal

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))
from machine_helper import lifted


@signal(version=1, reads=("video",), name="machine_means")
def means(clip):
    """Mean of each frame, text {doc}."""
    # Text {doc}.
    return {{"mean": np.array([frame.mean() + {signal} for frame in clip.frames()])}}


@metric(unit="", higher_is_better=True, bounds=(0, 500), needs=[means()])
def machine_level(case, levels):
    """Mean level, text {doc}."""
    return Measurement(lifted(float(levels["mean"].mean())) + {metric})


@metric(unit="", higher_is_better=True, bounds=(0, 500))
def machine_words(case):
    """Words of the prompt."""
    return Measurement(len(case.condition.prompt.split()) + {metric})


@metric(unit="", higher_is_better=False, bounds=(0, 500), requires=["camera"])
def machine_reach(case):
    """How far the camera goes."""
    return Measurement(float(np.abs(case.camera().translation).max()) + {metric})
'''

_HELPER = '"""Helper, text {doc}."""\n\n\ndef lifted(value):\n    """Text {doc}."""\n    return value + {helper}\n'


@dataclass(frozen=True)
class State:
    """What is there. None: the file is not."""

    layout: Layout
    videos: dict[str, int | None] = field(default_factory=lambda: {"a": 0, "b": 1, "c": None})
    references: dict[str, int | None] = field(default_factory=lambda: {"a": 1, "b": 2, "c": 3})
    cameras: dict[str, int | None] = field(default_factory=lambda: {"a": 0, "b": 1, "c": 0})
    prompts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(CASES, "one"))
    tags: dict[str, str] = field(default_factory=lambda: {"a": "x", "b": "y", "c": "x"})
    code: tuple[int, int, int] = (0, 0, 0)
    """Numbers in the metric, the signal and the helper."""
    preset: str = PRESETS[0]

    @property
    def key(self) -> str:
        return repr(self)

    @property
    def cases(self) -> list[str]:
        """Own videos are the cases."""
        return [case for case in CASES if self.layout == "cases" or self.videos[case] is not None]

    def definition(self, column: str) -> object:
        """What the column's definition rests on."""
        if column in PLUGGED:
            return self.code
        return self.preset if column == "warp_error" else None

    def inputs(self, column: str, case: str) -> object:
        """What the column's record of a case rests on beside the definition."""
        standing = self.tags[case] if self.layout == "cases" else ""
        return self.videos[case], standing, self._parts(column, case)

    def _parts(self, column: str, case: str) -> object:
        if column in PLUGGED:
            # A stranger's metric may read all of the case; beside own videos that is what is there.
            has_reference = self.layout == "cases" or self.references[case] is not None
            return self.prompts[case], self.cameras[case], has_reference
        return self.references[case] if column == "psnr" else None


@dataclass(frozen=True)
class Request:
    """One command: which columns of which cases."""

    columns: tuple[str, ...] = COLUMNS
    cases: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)

    def chosen(self, state: State) -> list[str]:
        named = [case for case in state.cases if not self.cases or case in self.cases]
        return [case for i, case in enumerate(named) if i % self.shard[1] == self.shard[0] - 1]


class Pool:
    """Files made once and copied, and the plug-in, which keeps its place because a process knows it by that."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugin = root / "plug" / "machine_plugin.py"
        self.plugin.parent.mkdir(parents=True)
        self.levels: list[float] = []
        """Mean level of each clip."""
        self.clips = [self._clip(number) for number in range(CLIPS)]
        self.clips.append(b"no video".ljust(_SIZE, b"."))
        self.cameras = [self._camera(reach) for reach in REACHES]
        self.write_code((0, 0, 0), 0)

    def write_code(self, code: tuple[int, int, int], doc: int) -> None:
        metric, signal, helper = code
        for file, text in (("machine_plugin.py", _PLUGIN), ("machine_helper.py", _HELPER)):
            content = text.format(doc=doc, metric=metric, signal=signal, helper=helper)
            (self.plugin.parent / file).write_text(content, "utf-8")

    def _clip(self, number: int) -> bytes:
        file = self.root / f"clip-{number}.mkv"
        frames = helpers.moving_texture(3, 32, 24, 1, number)
        self.levels.append(float(frames.mean()))
        write_video(file, frames, fps=12)
        content = file.read_bytes()
        assert len(content) <= _SIZE
        return content.ljust(_SIZE, b"\0")

    def _camera(self, reach: float) -> bytes:
        poses = np.tile(np.eye(4), (3, 1, 1))
        poses[:, 0, 3] = np.linspace(0, reach, 3)
        CameraPath(poses).save(self.root / "camera.npz")
        return (self.root / "camera.npz").read_bytes()


class World:
    """A state on disk."""

    def __init__(self, root: Path, pool: Pool, layout: Layout) -> None:
        self.pool, self.state = pool, State(layout)
        self.videos, self.data = root / "videos", root / "data"
        self.beside = self.data if layout == "cases" else self.videos
        for folder in (self.videos, self.data, self.beside / "reference", self.beside / "cameras"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.data / "benchmark.toml").write_text(_TOML)
        pool.write_code(self.state.code, 0)
        for case in CASES:
            self._put(self._video(case), self._clip(self.state.videos[case]), "new file")
            self._put(self._reference(case), self._clip(self.state.references[case]), "new file")
            self._put(self._camera(case), self._camera_bytes(self.state.cameras[case]), "new file")
        self.write_texts()

    def put_video(self, case: str, clip: int | None, how: How = "new file") -> None:
        self._put(self._video(case), self._clip(clip), how)
        self._become(videos=self.state.videos | {case: clip})

    def rename_video(self, case: str, to: str) -> None:
        self._video(case).rename(self._video(to))
        self._become(videos=self.state.videos | {case: None, to: self.state.videos[case]})

    def put_reference(self, case: str, clip: int | None, how: How = "new file") -> None:
        self._put(self._reference(case), self._clip(clip), how)
        self._become(references=self.state.references | {case: clip})

    def put_camera(self, case: str, camera: int | None, how: How = "new file") -> None:
        self._put(self._camera(case), self._camera_bytes(camera), how)
        self._become(cameras=self.state.cameras | {case: camera})

    def put_text(self, case: str, prompt: str, tag: str) -> None:
        self._become(prompts=self.state.prompts | {case: prompt}, tags=self.state.tags | {case: tag})
        self.write_texts()

    def put_code(self, code: tuple[int, int, int], doc: int) -> None:
        self.pool.write_code(code, doc)
        self._become(code=code)

    def use_preset(self, preset: str) -> None:
        self._become(preset=preset)

    def write_texts(self, cases: Iterable[str] = CASES) -> None:
        """The cases, or the prompts beside own videos."""
        state = self.state
        (self.videos / "prompts.json").write_text(json.dumps(state.prompts), "utf-8")
        described = [
            Case(
                id=case,
                condition=Condition(prompt=state.prompts[case], camera=f"cameras/{case}.npz"),
                reference=Reference(video=f"reference/{case}.mkv"),
                cluster="one" if case == "a" else "",
                tags={"kind": state.tags[case]},
            )
            for case in cases
        ]
        write_cases(self.data / "cases.jsonl", described)

    def arguments(self, request: Request, out: Path, store: Path, **more: Any) -> dict[str, Any]:
        """For `build_job`."""
        given: dict[str, Any] = {
            "videos": self.videos,
            "benchmark": self.data if self.state.layout == "cases" else None,
            "metrics": list(request.columns),
            "cases": [case for case in request.cases if case in self.state.cases],
            "shard": request.shard,
            "use": [f"flow=dis:preset={self.state.preset}"],
            "includes": [self.pool.plugin],
            "out": out,
            "store": store,
        }
        return given | more

    def job(self, request: Request, out: Path, store: Path, **more: Any) -> Job:
        return build_job(**self.arguments(request, out, store, **more))

    def expected(self, column: str, case: str) -> float:
        """The plug-in's number, from what it is made of."""
        state, (metric, signal, helper) = self.state, self.state.code
        clip, camera = state.videos[case], state.cameras[case]
        assert clip is not None
        if column == "machine_words":
            return len(state.prompts[case].split()) + metric
        if column == "machine_reach":
            assert camera is not None
            return REACHES[camera] + metric
        return self.pool.levels[clip] + signal + helper + metric

    def _become(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)

    def _video(self, case: str) -> Path:
        return self.videos / f"{case}.mkv"

    def _reference(self, case: str) -> Path:
        return self.beside / "reference" / f"{case}.mkv"

    def _camera(self, case: str) -> Path:
        return self.beside / "cameras" / f"{case}.npz"

    def _clip(self, number: int | None) -> bytes | None:
        return None if number is None else self.pool.clips[number]

    def _camera_bytes(self, number: int | None) -> bytes | None:
        return None if number is None else self.pool.cameras[number]

    @staticmethod
    def _put(file: Path, content: bytes | None, how: How) -> None:
        if content is None:
            file.unlink(missing_ok=True)
            return
        before = file.stat() if file.exists() else None
        if how == "new file" or before is None:
            partial = file.with_name(f".{file.name}")
            partial.write_bytes(content)
            partial.replace(file)
            return
        # The clock of a file system ticks every few milliseconds; a change within one tick is another test's matter.
        time.sleep(0.01)
        with file.open("r+b") as stream:
            stream.write(content)
            stream.truncate()
        if how == "same time":
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
