"""The paper's figures by verbs: strips of frames over the three phases, radars over the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.registry import unknown_name
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source, read_sources
from worldgauge.core.video import Video
from worldgauge.functional.phases import linear_boundaries
from worldgauge.report.strips import HEIGHT, small_frames, spread_over
from worldgauge.verbs import RunFolders, say

if TYPE_CHECKING:
    from PIL.Image import Image

PER_PHASE, MARGIN, LABEL = 3, 4, 14
"""Frames of each phase, and pixels."""
SHADES = {"visible": (46, 125, 50), "gone": (120, 120, 120), "back": (21, 101, 192)}
"""Bar above the frames of a phase."""
BEST = {"GT_ALL_PSNR": 30.0, "GT_ALL_SSIM": 1.0, "ORS": 1.0}
"""Rim of a radar's axis where it is not 100; LPIPS runs from 1 in the middle to 0."""


def strip(
    runs: RunFolders,
    case: Annotated[str, typer.Option("--case", help="Case id, as Barnyard_001 or real_001.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="PNG to write.")],
) -> None:
    """Frames of one clip over visible, gone and back: the reference above, a row per model below (Figures 5 to 7).

    worldgauge memobench strip runs/* --case Barnyard_001 -o strip.png
    """
    rows: dict[str, Source] = {}
    for run in (Run(folder) for folder in runs):
        found = read_sources(run.folder)
        if case not in found:
            raise unknown_name("case", case, list(found))
        rows[run.name if run.name not in rows else str(run.folder)] = found[case]
    picture = phase_strip(rows)
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out, "PNG")
    say(f"{len(rows)} models: {out}")


def phase_strip(rows: Mapping[str, Source]) -> Image:
    """The reference's frames and each model's at the same share of every phase, names at the left."""
    from PIL import Image as Pillow
    from PIL import ImageDraw

    first = next(iter(rows.values()))
    phases, reference = first.case.reference.phases, first.reference
    if phases is None or reference is None:
        raise WorldGaugeError(f"case {first.case.id} has no reference video with phases on disk")
    clips: dict[str, Video] = {"reference": reference}
    clips |= {name: source.video for name, source in rows.items() if source.video is not None}
    absent = [name for name, source in rows.items() if source.video is None]
    if absent:
        raise WorldGaugeError(f"{absent[0]} has no video of {first.case.id} on disk")
    pictures = {}
    for name, clip in clips.items():
        count = clip.info.frames
        numbers = strip_frames(*linear_boundaries(phases.gone, phases.back, reference.info.frames, count), count)
        pictures[name] = small_frames(clip, numbers)
    width = max(picture.width for row in pictures.values() for picture in row)
    columns, left = 3 * PER_PHASE, 8 + 7 * max(len(name) for name in pictures)
    size = (left + columns * (width + MARGIN), LABEL + len(pictures) * (HEIGHT + MARGIN))
    sheet = Pillow.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    for number, (phase, shade) in enumerate(SHADES.items()):
        x = left + number * PER_PHASE * (width + MARGIN)
        draw.rectangle((x, 0, x + PER_PHASE * (width + MARGIN) - 2 * MARGIN, LABEL - 3), fill=shade)
        draw.text((x + 4, 0), phase, fill="white")
    for line, (name, row) in enumerate(pictures.items()):
        y = LABEL + line * (HEIGHT + MARGIN)
        draw.text((4, y + HEIGHT // 2 - 6), name, fill="black")
        for column, picture in enumerate(row):
            sheet.paste(picture, (left + column * (width + MARGIN), y))
    return sheet


def strip_frames(gone: int, back: int, frames: int) -> list[int]:
    """First, middle and last frame of each phase.

    >>> strip_frames(4, 8, 12)
    [0, 2, 3, 4, 6, 7, 8, 10, 11]
    """
    chosen: list[int] = []
    for start, end in ((0, gone), (gone, back), (back, frames)):
        last = min(max(start, end - 1), frames - 1)
        chosen += spread_over(min(start, last), last, PER_PHASE)
    return chosen


def radar(
    out: Annotated[Path, typer.Option("--out", "-o", help="svg, pdf or png to write.")],
    runs: Annotated[list[Path] | None, typer.Argument(help="Runs to draw.", show_default=False)] = None,
    table: Annotated[str, typer.Option("--table", help="Printed table to draw: 2 or 3.")] = "2",
    printed: Annotated[bool, typer.Option("--printed", help="Draw the printed models as well.")] = False,
    vqa: Annotated[Path | None, typer.Option("--vqa-dir", help="<model>/*.csv: answers, for table 3.")] = None,
) -> None:
    """A radar over the columns of Table 2 or 3, of runs, of the printed models, or of both (Figure S17).

    worldgauge memobench radar --table 3 --printed -o vqa.svg
    """
    from worldgauge.benchmarks.memobench.analyses.in_form import Wish, official_tables
    from worldgauge.benchmarks.memobench.analyses.run_scores import read_answer_folders, unofficial_answers
    from worldgauge.report import plots
    from worldgauge.verbs import default_store

    if table not in ("2", "3"):
        raise unknown_name("table", table, ["2", "3"])
    if not runs and not printed:
        raise WorldGaugeError("nothing to draw", "name runs, or give --printed")
    answers = read_answer_folders(vqa) if vqa is not None else None
    marks = unofficial_answers(vqa) if vqa is not None else {}
    wish = Wish([Run(folder) for folder in runs or ()], default_store(), answers=answers, unofficial_answers=marks)
    # A picture bears its marks in the legend, so runs that are not official may be in it.
    (made,) = official_tables(wish, table, allow_unofficial=True)
    if made.why and not printed:
        raise WorldGaugeError(f"the runs give no Table {table}: {made.why}")
    columns = list(made.printed.columns)
    rows = {name: list(numbers) for name, numbers in made.printed.rows.items()} if printed else {}
    drawn: dict[str, Sequence[float | None]] = {
        name: [on_axis(c, value) for c, value in zip(columns, numbers, strict=True)] for name, numbers in rows.items()
    }
    drawn |= {made.shown(name): [on_axis(c, row.get(c)) for c in columns] for name, row in made.rows.items()}
    out.parent.mkdir(parents=True, exist_ok=True)
    plots.save(plots.radar(columns, drawn), out)
    say(f"{len(drawn)} models: {out}")


def on_axis(column: str, value: float | None) -> float | None:
    """Share of the way from the middle of the radar to its rim.

    >>> on_axis("GT_ALL_LPIPS", 0.25), on_axis("GT_ALL_PSNR", 15.0), on_axis("ORS", None)
    (0.75, 0.5, None)
    """
    if value is None:
        return None
    return float(np.clip(1 - value if column == "GT_ALL_LPIPS" else value / BEST.get(column, 100.0), 0, 1))
