"""What a model is given: five captions with their camera words, or a first frame and an action script."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from worldgauge.benchmarks.mbench.data.case_parts import SEGMENTS, captions_of, is_text, legs_of, seconds_of
from worldgauge.benchmarks.mbench.data.importer import OUTPUTS, VIDEO
from worldgauge.benchmarks.mbench.formulas.conditions import FPS, FRAMES, read_condition
from worldgauge.benchmarks.mbench.scripts.files import ACTIONS, CAMERA, write_script
from worldgauge.benchmarks.mbench.scripts.script import Limits, View, build_script, no_anchor
from worldgauge.core.benchmark import load_benchmark
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.model_inputs import WrittenInputs, choose_cases, write_each
from worldgauge.core.reading_pictures import read_picture
from worldgauge.verbs import CaseNames, DataSet, Where, parse_tags, print_left_out, print_note, say

INDEX = "inputs.jsonl"
FOLDER = "inputs"

app = typer.Typer()


@app.command()
def inputs(
    data: DataSet,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; also takes the model's videos.")],
    fov: Annotated[float, typer.Option("--fov", help="Horizontal field of view of first frames, degrees.")] = 60.0,
    wait: Annotated[float, typer.Option("--wait", help="Seconds an action script waits at the farthest.")] = 0.0,
    turn: Annotated[float, typer.Option("--most-turn", help="Degrees per second of an action script.")] = 30.0,
    length: Annotated[
        Literal["10s", "25s"],
        typer.Option(
            help="Of text clips: 161 or 401 frames. The benchmark requires 25s; shorter clips do not trigger."
        ),
    ] = "25s",
    where: Where = None,
    case: CaseNames = None,
) -> None:
    """Write first frames, captions with their times of text cases, and camera paths and timed verbs of action cases.

    worldgauge inputs mbench --data MBench-A -o out
    """
    chosen_tags = parse_tags(where or ())
    made = write_inputs(data, out, fov, wait, Limits(turn=turn), length, where=chosen_tags, names=case or ())
    print_left_out(made, out)
    for note in notes_on(made.entries):
        print_note(note)
    say(f"{len(made.entries)} cases, {len(made.left_out)} refused: {out / INDEX}")


def write_inputs(
    data: Path,
    out: Path,
    fov: float = 60.0,
    wait: float = 0.0,
    limits: Limits | None = None,
    length: str = "25s",
    *,
    where: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
) -> WrittenInputs:
    """Write a folder per case below `out/inputs`, and `inputs.jsonl` that lists them.

    Only cases of these `names` with the tags `where`; a case that cannot be written is left out with the reason.
    """

    def write(case: Case) -> dict[str, Any]:
        if is_text(case):
            return _text_case(case, out, FRAMES[length])
        return _action_case(case, out, fov, wait, limits or Limits())

    written = write_each(choose_cases(load_benchmark("mbench", data).cases, names, where), write)
    lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in written.entries)
    (out / INDEX).write_text(lines, "utf-8")
    written.write_left_out(out)
    return written


def notes_on(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The notes of cases that were written, each once with its cases; `inputs.jsonl` has them case by case.

    >>> notes_on([{"case": "a", "note": "no anchor"}, {"case": "b"}, {"case": "c", "note": "no anchor"}])
    ['2 of 3 cases (a, c): no anchor']
    """
    cases: dict[str, list[str]] = {}
    for entry in entries:
        if entry.get("note"):
            cases.setdefault(entry["note"], []).append(entry["case"])
    return [
        f"{len(ids)} of {len(entries)} cases ({', '.join(ids[:3])}{', ...' if len(ids) > 3 else ''}): {note}"
        for note, ids in cases.items()
    ]


def _text_case(case: Case, out: Path, frames: int) -> dict[str, Any]:
    """Captions with the stretch of the clip that each is about; neighbours share a frame, as legs of a script do."""
    captions = captions_of(case)
    if not captions:
        raise WorldGaugeError("the case has no captions")
    if len(captions) != SEGMENTS:
        raise WorldGaugeError(f"the case has {len(captions)} captions, not {SEGMENTS}")
    folder = _folder(case, out)
    (folder / "captions.txt").write_text("".join(f"{' '.join(text.split())}\n" for text in captions), "utf-8")
    ends = [(frames - 1) * k // SEGMENTS for k in range(SEGMENTS + 1)]
    segments = [
        {
            "caption": text, "start": ends[k] / FPS, "end": ends[k + 1] / FPS,
            "first_frame": ends[k], "last_frame": ends[k + 1],
        }
        for k, text in enumerate(captions)
    ]  # fmt: skip
    timed = {"fps": FPS, "frames": frames, "segments": segments}
    (folder / "captions.json").write_text(json.dumps(timed, indent=1, ensure_ascii=False) + "\n", "utf-8")
    entry = _entry(case, out, folder) | {"captions": captions, "frames": frames, "fps": FPS, "segments": segments}
    requested = seconds_of(case)
    if (frames - 1) / FPS < requested:
        entry["note"] = (
            f"{(frames - 1) / FPS:g} s are written, {requested:g} s are required: the clip would not trigger"
        )
    if case.condition.image is None:
        return entry
    return entry | {"first_frame": _first_frame(case, out, folder)}


def _action_case(case: Case, out: Path, fov: float, wait: float, limits: Limits) -> dict[str, Any]:
    if case.condition.image is None:
        raise WorldGaugeError("the case has no first frame on disk", "download the data set's first frames")
    legs_of(case)
    target = case.reference.target
    size = read_picture(case.path(case.condition.image)).size
    view = View(size, fov, target.box if target is not None else None)
    condition = case.tags.get("condition", "")
    # Whole turns and `static` have no wait.
    script = build_script(condition, view, wait=wait if len(read_condition(condition).legs) > 1 else 0.0, limits=limits)
    folder = _folder(case, out)
    told = write_script(folder, script, view)
    captions = captions_of(case)
    note = no_anchor(script, view)
    place = folder.relative_to(out).as_posix()
    return _entry(case, out, folder) | {
        "prompt": case.condition.prompt,
        **({"captions": captions} if captions else {}),
        "frames": told["frames"],
        "fps": FPS,
        "first_frame": _first_frame(case, out, folder),
        "camera": f"{place}/{CAMERA}",
        "actions": f"{place}/{ACTIONS}",
        **({"note": note} if note else {}),
    }


def _first_frame(case: Case, out: Path, folder: Path) -> str:
    """Copy it; returns its place below `out`."""
    assert case.condition.image is not None
    picture = case.path(case.condition.image)
    target = folder / f"first{picture.suffix}"
    shutil.copyfile(picture, target)
    return target.relative_to(out).as_posix()


def _folder(case: Case, out: Path) -> Path:
    folder = out / FOLDER / case.id
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _entry(case: Case, out: Path, folder: Path) -> dict[str, Any]:
    return {
        "case": case.id,
        "item_id": case.extras.get("item_id", ""),
        "folder": folder.relative_to(out).as_posix(),
        "output": f"{OUTPUTS}/{case.id}/{VIDEO}",
    }
