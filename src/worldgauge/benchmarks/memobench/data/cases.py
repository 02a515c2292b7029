"""The released data set, read in place: `data/` of the repository with whatever parts of it are on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from worldgauge.benchmarks.memobench.data import keyframes
from worldgauge.benchmarks.memobench.data.phrases import subject_phrase
from worldgauge.benchmarks.memobench.data.questions import clips_with_a_bank, read_banks, whole_number
from worldgauge.benchmarks.memobench.data.tags import process_tags, scene_tags
from worldgauge.core.case import Case, Condition, Phases, Question, Reference, Target
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table
from worldgauge.media.frame_folder import frame_files

SYNTHETIC = "Synthetic_processed"
REAL = "Real_Raw"
METADATA = "sam3_metadata"
TARGET_MASK = "target_mask.png"
"""Optional, not in the release: the target in a clip's first frame, for trackers that cannot be asked by name."""
_OF_EVERY_CLIP = ("image", "reference", "camera")
"""Parts that the released data have for every clip, wherever they are."""

_OBSERVER = {
    "forward": r"(walking|running|moving) forward|straight",
    "vertical": r"\b(up|down|upward|downward)\b",
    "head turn": r"turns? (the |back )?head",
}
"""What the observer of a synthetic clip does to the words of its prompt; the first that is found counts."""


def read_dataset(root: Path) -> list[Case]:
    """Every clip, synthetic ones first. `root` is the repository or its `data` folder.

    Clips come from the metadata tables, else from the keyframe spreadsheets. Frames, cameras, keyframes and questions
    are attached where they are on disk; a clip keeps in `not_here` what the released data have for it and is not.
    """
    data = next((d for d in (root, root / "data") if any((d / n).is_dir() for n in (METADATA, SYNTHETIC, REAL))), None)
    if data is None:
        raise WorldGaugeError(
            f"{root} is not a MemoBench data set", f"name the folder that holds {METADATA}, {SYNTHETIC} or {REAL}"
        )
    cases = [*_synthetic(data), *_real(data)]
    if not cases:
        raise WorldGaugeError(f"{data} holds no clip: neither a metadata table nor a keyframe spreadsheet was found")
    return [case.at(data) for case in cases]


def _synthetic(data: Path) -> list[Case]:
    sheet = data / SYNTHETIC / "Synthetic_ExitReenter.xlsx"
    rows = keyframes.read_synthetic(sheet) if sheet.is_file() else {}
    listed = _table(data / METADATA / "synthetic_metadata.csv", "scene")
    table = {f"{scene}_{number:03d}": row for (scene, number), row in listed.items()}
    banks, asked_about = read_banks(data), clips_with_a_bank(data)
    cases = []
    for clip in table or rows:
        scene, _, number = clip.rpartition("_")
        row = rows.get(clip, keyframes.KeyframeRow(None))
        if row.skip:
            continue
        described = table[clip]["prompt"] if clip in table else row.prompt
        subject = table[clip]["subject"] if clip in table else ""
        # The spreadsheet's prompt is the one the released code scores frames against; its detector is asked with words
        # of the metadata table's.
        prompt = row.prompt or described
        folder, n = Path(SYNTHETIC) / scene / clip, whole_number(number, sheet)
        frames = folder / f"RGB{n}"
        cameras = (folder / str(n) / "poses.npy", folder / "poses.npy", folder / f"camera_full{n}.csv")
        cases.append(
            _case(
                data,
                id=clip,
                cluster=scene,
                prompt=prompt,
                target=subject_phrase(described) or subject,
                phases=row.phases,
                frames=frames,
                video=frames,
                camera=_first_present(data, *cameras),
                mask=folder / TARGET_MASK,
                depth=folder / f"Depth{n}",
                questions=banks[clip].questions() if clip in banks else (),
                expected=("phases",) * (clip not in rows) + ("questions",) * (clip in asked_about),
                tags={
                    "data_type": "synthetic",
                    "scene": scene,
                    "subject": subject,
                    "motion": synthetic_motion(prompt),
                    **_stated(scene_tags(scene), table.get(clip, {})),
                },
            )
        )
    return cases


def _real(data: Path) -> list[Case]:
    sheet = data / REAL / "Real_ExitReenter.xlsx"
    rows = keyframes.read_real(sheet) if sheet.is_file() else {}
    table = {number: row for (_, number), row in _table(data / METADATA / "real_metadata.csv").items()}
    selected = _selection(data)
    first_with: dict[str, int] = {}
    cases = []
    for number in table or rows:
        if selected is not None and number not in selected:
            continue
        prompt, subject = (table[number][key] if number in table else "" for key in ("prompt", "subject"))
        # The same process is filmed with up to three camera motions; only what precedes the camera's move is shared.
        process = prompt.split(". The camera")[0] or str(number)
        cluster = f"real_{first_with.setdefault(process, number):03d}"
        name, row = f"{number:03d}", rows.get(number, keyframes.KeyframeRow(None))
        folder = Path(REAL) / name
        cases.append(
            _case(
                data,
                id=f"real_{name}",
                cluster=cluster,
                prompt=prompt,
                target=subject,
                phases=row.phases,
                frames=folder / "FRAMES",
                video=_first_present(data, folder / f"{name}.mp4", folder / "FRAMES"),
                camera=_first_present(data, folder / "raw" / f"{name}_mapanything.npz"),
                mask=folder / TARGET_MASK,
                depth=folder / "depth",
                questions=(),
                expected=("phases",) * (number not in rows),
                tags={
                    "data_type": "real",
                    "scene": "real",
                    "subject": subject,
                    "motion": real_motion(prompt),
                    **_stated(process_tags(number), table.get(number, {})),
                },
            )
        )
    return cases


def real_motion(prompt: str) -> str:
    """How the camera leaves a real clip's target, from its prompt: the rows of Table S2.

    >>> real_motion("A glass. The camera smoothly pans to the left, causing the glass to exit. The camera then ...")
    'pan left'
    """
    found = re.search(r"camera \w*\s*(pans|tilts)\s+(?:to the )?(left|right|up|down)", prompt)
    if not found:
        return ""
    return f"{'pan' if found.group(1) == 'pans' else 'tilt'} {found.group(2)}"


def synthetic_motion(prompt: str) -> str:
    """What a synthetic prompt says the observer does: `u-turn`, `forward`, `vertical` or `head turn`.

    The paper gives no rule. The order of these was chosen so that the released prompts give the counts of Table S2 (68,
    58, 29 and 41 clips); that they do says nothing about any single clip.

    >>> synthetic_motion("Observer passes the subject, performs a U-turn and re-sees it.")
    'u-turn'
    >>> synthetic_motion("A person standing sees a fox (subject). Observer turns the head to the left and re-sees it.")
    'head turn'
    """
    if re.search(r"u-turn", prompt, re.IGNORECASE):
        return "u-turn"
    for kind, words in _OBSERVER.items():
        if re.search(words, prompt, re.IGNORECASE):
            return kind
    return "forward" if prompt else ""


def _case(
    data: Path,
    *,
    id: str,
    cluster: str,
    prompt: str,
    target: str,
    phases: Phases | None,
    frames: Path,
    video: Path | None,
    camera: Path | None,
    mask: Path,
    depth: Path,
    questions: tuple[Question, ...],
    expected: tuple[str, ...],
    tags: dict[str, str],
) -> Case:
    """`expected`: parts that the released data have for this clip, beyond those that they have for every clip."""
    pictures = frame_files(data / frames) if (data / frames).is_dir() else []
    reference = video if video is not None and (data / video).exists() else None
    there = {
        "image": bool(pictures),
        "reference": reference is not None,
        "camera": camera is not None,
        "phases": phases is not None,
        "questions": bool(questions),
    }
    return Case(
        id=id,
        cluster=cluster,
        condition=Condition(
            prompt=prompt,
            image=pictures[0].relative_to(data).as_posix() if pictures else None,
            camera=camera.as_posix() if camera else None,
        ),
        reference=Reference(
            video=reference.as_posix() if reference else None,
            camera=camera.as_posix() if camera else None,
            target=_target(data, target, mask),
            phases=phases,
            questions=questions,
            truth={"depth": depth.as_posix()} if (data / depth).is_dir() else {},
        ),
        tags={key: value for key, value in tags.items() if value},
        not_here=tuple(part for part in (*_OF_EVERY_CLIP, *expected) if not there[part]),
    )


def _stated(tags: dict[str, str], row: Mapping[str, str]) -> dict[str, str]:
    """Tags by the hand-made table; a metadata table that has a column of the name, as own footage may, wins."""
    return {name: str(row.get(name) or value) for name, value in tags.items()}


def _target(data: Path, name: str, mask: Path) -> Target | None:
    if not name:
        return None
    return Target(name=name, mask=mask.as_posix() if (data / mask).is_file() else None)


def _first_present(data: Path, *candidates: Path) -> Path | None:
    return next((path for path in candidates if (data / path).exists()), None)


def _selection(data: Path) -> set[int] | None:
    if (data / "Real_Selected.xlsx").is_file():
        return keyframes.read_selection(data / "Real_Selected.xlsx")
    if (data / "Real_Selected.xls").is_file():
        raise WorldGaugeError(
            f"{data / 'Real_Selected.xls'} is in the old Excel format", "save it as Real_Selected.xlsx"
        )
    return None


def _table(file: Path, *columns: str) -> dict[tuple[str, int], dict[str, str]]:
    """Rows of a metadata table by scene, where it has one, and number."""
    if not file.exists():
        return {}
    rows = read_table(file, ("video_id", "prompt", "subject", *columns))
    return {(row.get("scene", ""), whole_number(row["video_id"], file)): row for row in rows}
