"""`worldgauge worldscore examples`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.verbs import AsJson, RunFolders, print_json, print_table, say

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    from worldgauge.benchmarks.worldscore.analyses.examples import Example, Pair

MARGIN, LABEL, GAP = 4, 16, 24
"""Px between frames, of a line of text, and between good and bad."""


def examples(
    runs: RunFolders,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="PNG to write.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """The clips with the best and the worst score of every aspect, good left and bad right (Figures S3 and S4).

    worldgauge worldscore examples runs/* -o examples.png
    """
    from worldgauge.benchmarks.worldscore.analyses.examples import typical

    pairs = list(typical([Run(folder) for folder in runs]))
    if as_json:
        print_json([pair.to_json() for pair in pairs])
    else:
        rows = [[pair.aspect, *_cells(pair.good), *_cells(pair.bad)] for pair in pairs]
        print_table(["aspect", "best", "model", "case", "worst", "model", "case"], rows, [1, 4])
    if out is None:
        return
    drawn = [pair for pair in pairs if pair.good is not None]
    if not drawn:
        raise WorldGaugeError("no aspect has two clips with different scores and their videos on disk")
    out.parent.mkdir(parents=True, exist_ok=True)
    sheet(drawn).save(out, "PNG")
    if not as_json:
        say(f"{len(drawn)} of {len(pairs)} aspects: {out}")


def sheet(pairs: Sequence[Pair]) -> Image:
    """A row per aspect: frames of the good example, then of the bad one, with their scores above."""
    from PIL import Image as Pillow
    from PIL import ImageDraw as Drawing

    from worldgauge.benchmarks.worldscore.analyses.examples import PER_EXAMPLE
    from worldgauge.report.strips import HEIGHT, small_frames, spread_over

    strips = []
    for pair in pairs:
        for end in (pair.good, pair.bad):
            if end is not None:
                last = end.video.info.frames - 1
                text = f"{pair.aspect}  {end.score:.2f}  {end.model}  {end.case}"
                strips.append((text, small_frames(end.video, spread_over(0, last, PER_EXAMPLE))))
    half = max(sum(frame.width + MARGIN for frame in frames) for _, frames in strips)
    row = LABEL + HEIGHT + MARGIN
    picture = Pillow.new("RGB", (2 * half + GAP, row * len(pairs)), "white")
    draw = Drawing.Draw(picture)
    for number, (text, frames) in enumerate(strips):
        x, y = (number % 2) * (half + GAP), (number // 2) * row
        draw.text((x + 2, y + 2), _fitted(draw, text, half), fill="black")
        for frame in frames:
            picture.paste(frame, (x, y + LABEL))
            x += frame.width + MARGIN
    return picture


def _cells(end: Example | None) -> list[str]:
    return [f"{end.score:.2f}", end.model, end.case] if end else ["-"] * 3


def _fitted(draw: ImageDraw, text: str, width: int) -> str:
    """The text, or as much of its beginning as has room."""
    while len(text) > 1 and draw.textlength(text) > width:
        text = text[:-2] + "…"
    return text
