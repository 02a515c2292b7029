"""Writing blocks as cases: `cases.jsonl` and one folder of assets per case.

A case's folder appears under its name only when complete, and `cases.jsonl` is written from the finished folders. So
an interrupted run loses at most one case per worker, and the same call goes on where it stopped.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from worldgauge.blocks import describe
from worldgauge.blocks.block import Block, Truth
from worldgauge.blocks.questions import questions
from worldgauge.blocks.states import instance_box
from worldgauge.blocks.truth_files import save_truth
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.core.case_file import FILE_NAME, write_cases
from worldgauge.core.errors import CannotWrite, WorldGaugeError
from worldgauge.core.reading import read_json, validated
from worldgauge.media.encoder import write_video

log = logging.getLogger(__name__)
FOLDER = "cases"
VERSION = "1"
"""Of the generator: raise it when the same block gives other bytes, and finished cases are made anew."""

Progress = Callable[[Case, bool], None]
"""Called for every case with whether it was made now (or found finished)."""


def make_cases(out: Path, blocks: Sequence[Block], *, workers: int = 1, progress: Progress | None = None) -> list[Case]:
    """Render `blocks` into `out` and write `cases.jsonl`; finished cases are kept. Returns the cases of `blocks`."""
    names = [case_id(b) for b in blocks]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise WorldGaugeError(f"the case {twice} is asked for twice", "give every block another seed")
    try:
        (out / FOLDER).mkdir(parents=True, exist_ok=True)
        done = _make_all(out, blocks, workers, progress)
        write_cases(out / FILE_NAME, _finished(out))
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written ({error})", "choose another folder or free some space") from error
    return [done[name] for name in names]


def case_id(block: Block) -> str:
    """
    >>> case_id(Block(7, "street", "u_turn", "crossing"))
    'street-crossing-u_turn-0007'
    """
    return f"{block.family}-{block.process}-{block.path}-{block.seed:04d}"


def _make_all(out: Path, blocks: Sequence[Block], workers: int, progress: Progress | None) -> dict[str, Case]:
    done: dict[str, Case] = {}
    missing = []
    for block in blocks:
        case = _read(out, case_id(block))
        if case is not None and _same(block, case):
            done[case.id] = case
            if progress:
                progress(case, False)
        else:
            missing.append(block)
    if workers <= 1 or len(missing) <= 1:
        made = (make_case(out, block) for block in missing)
        for case in made:
            done[case.id] = case
            if progress:
                progress(case, True)
        return done
    # Spawned, not forked: an OpenGL context does not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(make_case, out, block) for block in missing]):
            case = future.result()
            done[case.id] = case
            if progress:
                progress(case, True)
    return done


def make_case(out: Path, block: Block) -> Case:
    """Render one block and write its folder."""
    name = case_id(block)
    partial, final = out / FOLDER / f".{name}.{os.getpid()}", out / FOLDER / name
    for stale in (out / FOLDER).glob(f".{name}.*"):
        shutil.rmtree(stale)
    partial.mkdir(parents=True)
    try:
        case = _write(partial, f"{FOLDER}/{name}", block.render(), name)
        (partial / "case.json").write_text(json.dumps(case.to_json(), ensure_ascii=False) + "\n", "utf-8")
        if final.exists():
            shutil.rmtree(final)
        partial.replace(final)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return case.at(out)


def _write(folder: Path, relative: str, truth: Truth, name: str) -> Case:
    block, act = truth.block, truth.world.act
    Image.fromarray(truth.frames[0]).save(folder / "first.png")
    Image.fromarray(truth.visible[0].astype(np.uint8) * 255).save(folder / "target.png")
    truth.camera.save(folder / "camera.npz")
    write_video(folder / "reference.mkv", truth.frames, block.fps)
    files = save_truth(folder, truth)
    events = [{k: v for k, v in asdict(e).items() if v not in (None, "")} for e in truth.events]
    (folder / "events.json").write_text(json.dumps(events, indent=1) + "\n", "utf-8")
    (folder / "scene.json").write_text(json.dumps(_scene_graph(truth), indent=1) + "\n", "utf-8")
    files |= {"events": "events.json", "scene": "scene.json"}
    attempt = truth.world.attempt
    return Case(
        id=name,
        cluster=f"{block.family}-{block.seed:04d}-{attempt}",
        condition=Condition(
            prompt=describe.prompt(truth),
            captions=describe.segment_captions(truth),
            chunks=describe.chunks(truth),
            image=f"{relative}/first.png",
            camera=f"{relative}/camera.npz",
            actions=truth.actions,
            frames=block.frames,
            fps=block.fps,
            size=block.size,
        ),
        reference=Reference(
            video=f"{relative}/reference.mkv",
            camera=f"{relative}/camera.npz",
            target=Target(name=truth.target, box=_box(truth), mask=f"{relative}/target.png"),
            phases=truth.phases,
            questions=questions(truth),
            rules=act.rules,
            truth={kind: f"{relative}/{file}" for kind, file in sorted(files.items())},
        ),
        tags={
            "generator": VERSION,
            "seed": str(block.seed),
            "family": block.family,
            "path": block.path,
            "process": block.process,
            "attempt": str(attempt),
        },
    )


def _scene_graph(truth: Truth) -> dict[str, Any]:
    """What stands where in the first frame: boxes in metres, world axes, z up."""
    scene, things = truth.world.scene, []
    for instance in scene.instances:
        low, high = instance_box(scene, truth.world.timeline, instance)
        box = {"low": low.round(4).tolist(), "high": high.round(4).tolist()}
        things.append({"id": instance.id, "name": instance.name, "kind": instance.kind} | box)
    return {"setting": scene.stage.setting, "unit": scene.stage.unit, "instances": things}


def _box(truth: Truth) -> tuple[float, float, float, float]:
    """Around the target's visible pixels in the first frame, right and bottom excluded."""
    rows, columns = np.flatnonzero(truth.visible[0].any(1)), np.flatnonzero(truth.visible[0].any(0))
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def _read(out: Path, name: str) -> Case | None:
    """A finished case, or `None`."""
    file = out / FOLDER / name / "case.json"
    try:
        return validated(Case, read_json(file), str(file)).at(out) if file.exists() else None
    except WorldGaugeError as error:
        log.warning("the case is made again: %s", error)
        return None


def _same(block: Block, case: Case) -> bool:
    """Whether the finished case is what `block` would give now."""
    asked = case.condition
    return (
        case.tags.get("generator") == VERSION
        and (asked.size, asked.frames, asked.fps) == (block.size, block.frames, block.fps)
        and block.attempt in (None, int(case.tags["attempt"]))
    )


def _finished(out: Path) -> list[Case]:
    names = sorted(p.name for p in (out / FOLDER).iterdir() if p.is_dir() and not p.name.startswith("."))
    return [case for case in (_read(out, name) for name in names) if case is not None]
