"""Scoring a folder of one's own videos: every video is a case, with whatever lies beside it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from worldgauge.core.benchmark import Benchmark, BenchmarkFile
from worldgauge.core.case import Case, Condition, Reference
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.names import readable
from worldgauge.core.reading import read_json, read_rows
from worldgauge.core.submission import FILE_NAME as SUBMISSION_FILE
from worldgauge.core.submission import Submission, check_case_ids, single_video

REFERENCES, CAMERAS, PROMPTS = "reference", "cameras", ("prompts.json", "prompts.csv", "prompts.txt")
"""Looked for inside the videos' folder when not named on the command line."""


def videos_benchmark(
    path: Path,
    references: Path | None = None,
    prompts: Path | None = None,
    cameras: Path | None = None,
) -> tuple[Benchmark, Submission]:
    """A benchmark whose cases are the videos of a folder (or a submission.json, or one file), and the submission.

    What is not named is looked for beside the videos.
    """
    folder = path if path.is_dir() else path.parent
    single = single_video(path)
    if single is not None:
        submission = single
    elif path.is_file() or (path / SUBMISSION_FILE).is_file():
        submission = Submission.read(path, partial(_own_videos, references=references))
    else:
        submission = _own_videos(path, references)
    benchmark = benchmark_of(
        submission,
        references or _existing(folder, (REFERENCES,)),
        prompts or _existing(folder, PROMPTS),
        cameras or _existing(folder, (CAMERAS,)),
    )
    return benchmark, submission


def _own_videos(folder: Path, references: Path | None) -> Submission:
    """Every video of a folder, but for references and cameras that no option names."""
    submission = Submission.from_folder(folder)
    beside = (f"{REFERENCES}/", f"{CAMERAS}/")
    submission.videos = {k: v for k, v in submission.videos.items() if references or not k.startswith(beside)}
    return submission


def benchmark_of(
    submission: Submission,
    references: Path | None = None,
    prompts: Path | None = None,
    cameras: Path | None = None,
) -> Benchmark:
    """A benchmark with one case per video of a submission, and what the named places hold for them."""
    check_case_ids(submission.videos, str(submission.read_from or "the submission"))
    texts = _read_prompts(prompts)
    known = Submission.from_folder(references).videos if references else {}
    cases = []
    for case_id in submission.videos:
        reference = known.get(case_id)
        camera = next((p for p in _camera_names(cameras, case_id) if _is_file(p)), None)
        cases.append(
            Case(
                id=case_id,
                condition=Condition(prompt=texts.get(case_id, ""), camera=_absolute(camera) if camera else None),
                reference=Reference(video=_absolute(reference.path) if reference else None),
            )
        )
    return Benchmark(BenchmarkFile(name="videos", title="Your videos"), tuple(cases), of_videos=True)


def _read_prompts(file: Path | None) -> dict[str, str]:
    """`{case id: prompt}` from JSON, CSV with two columns, or lines `case id<TAB>prompt`."""
    if file is None:
        return {}
    if file.suffix == ".json":
        content = read_json(file, unique=True)
        if not isinstance(content, dict):
            raise WorldGaugeError(f"{file} must hold an object of case id to prompt")
        for key, value in content.items():
            if not isinstance(value, str):
                raise WorldGaugeError(f"{file}: the prompt of '{key}' is not a text", "put it into quotes")
        return content
    rows = read_rows(file, "," if file.suffix == ".csv" else "\t")
    for number, row in enumerate(rows, start=1):
        if row and len(row) != 2:
            raise WorldGaugeError(
                f"{file} row {number} has {len(row)} columns, a case id and a prompt are two",
                "put a prompt that holds commas into quotes" if file.suffix == ".csv" else "put one tab between them",
            )
    return {row[0]: row[1] for row in rows if row}


def _existing(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None)


def _absolute(path: Path) -> str:
    # Unlike `Path.resolve`, this does not stumble over a link that leads to itself.
    return readable(os.path.realpath(path))


def _camera_names(folder: Path | None, case_id: str) -> list[Path]:
    """Where the camera path of a case is looked up. An id may be any text, also one that leads out of the folder."""
    if folder is None or case_id.startswith("/") or ".." in Path(case_id).parts:
        return []
    return [folder / f"{case_id}{suffix}" for suffix in (".npz", ".npy")]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # No file can have that name.
        return False
