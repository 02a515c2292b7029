"""Subjects: reference world models that render a case with one fault at one severity, and nothing else wrong.

A subject is written as a submission like any other: a folder of lossless videos with a `submission.json`.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.block import Block
from worldgauge.blocks.exact_depth import remember_depth
from worldgauge.blocks.exact_views import View, remember_view
from worldgauge.blocks.faults import FAULTS, Fault, Given, Shown
from worldgauge.blocks.faults.base import Frames, Textures
from worldgauge.blocks.faults.surface import surface_of
from worldgauge.blocks.hiding import seen_target
from worldgauge.blocks.names import pick
from worldgauge.blocks.render import Painter, painter
from worldgauge.blocks.timeline import Timeline
from worldgauge.core.case import Case
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.file_digests import digest_file
from worldgauge.core.reading import read_json
from worldgauge.core.submission import FILE_NAME, ModelCard, Submission
from worldgauge.core.video import Video

log = logging.getLogger(__name__)
ORACLE = "oracle"
"""The subject without a fault."""


@dataclass(frozen=True, order=True)
class Subject:
    """A fault and its severity in [0, 1]; the oracle has neither."""

    fault: str = ORACLE
    severity: float = 0.0

    def __post_init__(self) -> None:
        if self.fault != ORACLE:
            pick("fault", self.fault, FAULTS)
        if not 0 <= self.severity <= 1:
            raise WorldGaugeError(f"severity {self.severity} is not between 0 and 1")

    @property
    def name(self) -> str:
        """
        >>> Subject("vanish", 0.5).name
        'vanish-0.5'
        """
        return ORACLE if self.fault == ORACLE else f"{self.fault}-{self.severity:g}"

    @property
    def baseline(self) -> str:
        """What the subject stands for where it is no stand-in for a model: the best and the laziest one can do.

        >>> Subject().baseline, Subject("frozen_camera", 1.0).baseline, Subject("frozen_camera", 0.5).baseline
        ('oracle', 'frozen camera', '')
        """
        if self.fault == ORACLE:
            return ORACLE
        return "frozen camera" if (self.fault, self.severity) == ("frozen_camera", 1.0) else ""


class Studio:
    """One case, ready to be performed by any number of subjects; use `with studio(case) as s`."""

    def __init__(self, case: Case, draw: Painter, given: Given) -> None:
        self.case, self.given, self._draw = case, given, draw
        self.truth = reference_frames(case)

    def perform(self, fault: Fault, severity: float) -> Shown:
        """Everything the subject shows. Severity 0 changes nothing, so it gives the oracle's bytes."""
        given = self.given
        timeline = fault.act(given, severity) if severity else given.timeline
        textures = fault.textures(given, severity) if severity else None
        frames = self._paint(timeline, textures)
        return Shown(timeline, fault.look(given, frames, severity) if severity else frames, self.truth, textures)

    def oracle(self) -> Shown:
        """What the subject without a fault shows."""
        return Shown(self.given.timeline, self.truth, self.truth)

    def remember_depths(self, folder: Path, shown: Shown) -> None:
        """Keep the depth of every shown frame for the instrument `rendered_depth`."""
        for k, frame in enumerate(shown.frames):
            remember_depth(folder, frame, partial(self._depth, shown.timeline, k))

    def remember_views(self, folder: Path, shown: Shown) -> None:
        """Keep what is true of every shown frame for the instruments of `exact_instruments`."""
        first = self._depth(shown.timeline, 0)
        typical = float(np.median(first[np.isfinite(first)]))
        moves = bool(np.ptp(shown.timeline.camera.translation, axis=0).max() > 0)
        for k, frame in enumerate(shown.frames):
            # A camera that only turns sees the same whatever the depth, so nobody asks for it.
            remember_view(folder, frame, partial(self._view, shown, k, typical), with_depth=moves)

    def _view(self, shown: Shown, frame: int, typical_depth: float) -> tuple[View, NDArray[np.float32]]:
        timeline, scene, textures = shown.timeline, self.given.world.scene, shown.textures
        lens = timeline.camera.intrinsics
        assert lens is not None
        depth, geoms = self._draw.surfaces(timeline, frame)
        view = View(
            pose=timeline.camera.poses[frame],
            intrinsics=lens[0],
            typical_depth=typical_depth,
            clock=float(timeline.time[frame]),
            target=scene.target.name,
            visible=seen_target(scene, timeline, frame, geoms),
            surface=surface_of(self.given, timeline, frame, textures(frame) if textures else {}),
        )
        return view, depth

    def _depth(self, timeline: Timeline, frame: int) -> NDArray[np.float32]:
        return self._draw.surfaces(timeline, frame)[0]

    def _paint(self, timeline: Timeline, textures: Textures | None) -> Frames:
        frames = []
        for k in range(len(timeline)):
            for texture, image in textures(k).items() if textures else ():
                self._draw.retexture(texture, image)
            # A frame in which nothing is different is the oracle's frame.
            same = textures is None and _same(timeline, self.given.timeline, k)
            frames.append(self.truth[k] if same else self._draw.picture(timeline, k))
        for texture, image in textures(0).items() if textures else ():
            self._draw.retexture(texture, image)
        return np.stack(frames)


@contextmanager
def studio(case: Case) -> Iterator[Studio]:
    """Rebuild the world of a written gauge block and open its renderer."""
    block = Block.of(case)
    world = block.world()
    with painter(world.scene, block.size) as draw:
        yield Studio(case, draw, Given.of(case, world))


def reference_frames(case: Case) -> Frames:
    """The true video of a case, (N, H, W, 3)."""
    return np.stack(list(Video(_reference(case)).frames()))


def make_subjects(
    cases: Sequence[Case],
    subjects: Sequence[Subject],
    out: Path,
    workers: int = 1,
    on_clip: Callable[[str], None] = lambda _: None,
    depths: Path | None = None,
    views: Path | None = None,
) -> dict[str, Path]:
    """Write one submission folder per subject under `out`; returns them by name. Finished clips are kept.

    `on_clip` is called with a line for every finished clip. With `depths`, the true depth of what each subject shows is
    kept in that folder (see `exact_depth`); with `views`, everything else that is true of it (see `exact_views`).
    """
    folders = {subject.name: out / subject.name for subject in subjects}
    for folder in folders.values():
        _make_folder(folder)
    jobs = [(case, tuple(subjects), out, depths, views) for case in cases]
    if workers <= 1:
        for job in jobs:
            _perform_case(*job, on_clip)
    else:
        # Fresh interpreters: an OpenGL context must not be inherited by a fork.
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            for done in as_completed([pool.submit(_perform_case, *job) for job in jobs]):
                for line in done.result():
                    on_clip(line)
    for subject in subjects:
        _write_submission(subject, cases, folders[subject.name])
    return folders


def clip_path(folder: Path, case: Case) -> Path:
    """Where a subject's video of a case lies; case ids may hold slashes."""
    return folder / "videos" / f"{case.id}.mkv"


def quantities(folder: Path) -> dict[str, float]:
    """What the fault really changed, per case, in the fault's own quantity; empty for the oracle."""
    found = Submission.read(folder).model.model_dump().get("quantities", {})
    return {str(case): float(value) for case, value in found.items()}


def _perform_case(
    case: Case,
    subjects: Sequence[Subject],
    out: Path,
    depths: Path | None,
    views: Path | None,
    on_clip: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Write what is missing of one case; returns a line per clip."""
    lines: list[str] = []

    def report(subject: Subject) -> None:
        lines.append(f"{subject.name} {case.id}")
        on_clip(lines[-1])

    truth = digest_file(_reference(case))
    missing = []
    for subject in subjects:
        path = clip_path(out / subject.name, case)
        if _is_finished(path, subject, truth):
            report(subject)
            continue
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        missing.append(subject)
    faulty = [s for s in missing if s.fault != ORACLE]
    if missing and views is not None and not faulty:
        with studio(case) as opened:
            opened.remember_views(views, opened.oracle())
    for subject in [s for s in missing if s.fault == ORACLE]:
        path = clip_path(out / subject.name, case)
        _write_note(path, {"truth": truth, "version": 1})
        partial = path.with_name(f".{path.name}.partial")
        shutil.copyfile(_reference(case), partial)
        partial.replace(path)
        report(subject)
    if faulty:
        with studio(case) as opened:
            if depths is not None:
                opened.remember_depths(depths, opened.oracle())
            if views is not None:
                opened.remember_views(views, opened.oracle())
            for subject in faulty:
                _write_clip(opened, subject, clip_path(out / subject.name, case), truth, depths, views)
                report(subject)
    return lines


def _write_clip(
    opened: Studio, subject: Subject, path: Path, truth: str, depths: Path | None, views: Path | None
) -> None:
    from worldgauge.media.encoder import write_video

    fault = FAULTS[subject.fault]()
    shown = opened.perform(fault, subject.severity)
    _write_note(path, {"truth": truth, "version": fault.version, "quantity": fault.measure(opened.given, shown)})
    if depths is not None:
        opened.remember_depths(depths, shown)
    if views is not None:
        opened.remember_views(views, shown)
    write_video(path, shown.frames, opened.case.condition.fps or 16.0)


def _write_note(path: Path, note: dict[str, object]) -> None:
    """What the clip was made from. It comes first: a clip that exists is complete with it."""
    path.with_suffix(".json").write_text(json.dumps(note) + "\n", "utf-8")


def _is_finished(path: Path, subject: Subject, truth: str) -> bool:
    """Whether the clip is there and was made from this reference by this version of the fault."""
    version = 1 if subject.fault == ORACLE else FAULTS[subject.fault].version
    try:
        note = read_json(path.with_suffix(".json"))
    except WorldGaugeError:
        return False
    return path.exists() and isinstance(note, dict) and (note.get("truth"), note.get("version")) == (truth, version)


def _write_submission(subject: Subject, cases: Sequence[Case], folder: Path) -> None:
    card: dict[str, object] = {"name": subject.name}
    if subject.baseline:
        card["baseline"] = subject.baseline
    if subject.fault != ORACLE:
        notes = {case.id: read_json(clip_path(folder, case).with_suffix(".json")) for case in cases}
        fault = FAULTS[subject.fault]
        card |= {"fault": subject.fault, "severity": subject.severity, "says": fault.says, "quantity": fault.quantity}
        card["quantities"] = {case: round(note["quantity"], 6) for case, note in notes.items()}
    videos = {case.id: Video(clip_path(folder, case)) for case in cases}
    Submission(ModelCard.model_validate(card), videos).write(folder / FILE_NAME)


def _reference(case: Case) -> Path:
    path = case.path(case.reference.video) if case.reference.video else None
    if path is None or not path.is_file():
        raise WorldGaugeError(f"case {case.id} has no reference video", "use cases written by `worldgauge blocks make`")
    return path


def _make_folder(folder: Path) -> None:
    try:
        (folder / "videos").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot write to {folder} ({error.strerror})", "choose another folder with --out") from error


def _same(a: Timeline, b: Timeline, frame: int) -> bool:
    """Whether two timelines give the same picture."""
    return a is b or (
        np.array_equal(a.camera.poses[frame], b.camera.poses[frame])
        and (a.light is None or b.light is None or a.light[frame] == b.light[frame])
        and all(
            np.array_equal(getattr(a, part)[frame], getattr(b, part)[frame])
            for part in ("position", "linear", "rgba", "material")
        )
    )
