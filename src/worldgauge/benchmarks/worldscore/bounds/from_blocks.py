"""Gauge blocks as material: every other one follows a camera layout, the rest stand still while something moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from worldgauge.benchmarks.worldscore.bounds.material import Frames, Image, Material, Performance
from worldgauge.blocks.block import Block
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.faults import FAULTS
from worldgauge.blocks.paths import LAYOUTS
from worldgauge.blocks.subjects import ORACLE, Subject, reference_frames, studio
from worldgauge.blocks.write import case_id, make_cases
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError

BLOCKS: Final = 32
FIRST_SEED: Final = 2000
"""Worlds that nothing else is measured on."""
FIXED_FROM: Final = 100
FRAMES: Final = 13
SIZE: Final = (224, 126)
FPS: Final = 10.0
STILL: Final = ("melting", "inflating", "draining", "freezing")
MOVING: Final = ("crossing", "rolling", "pendulum", "windmill", "bouncing")
MODELS: Final = (
    Subject(),
    Subject("still_life", 0.5),
    Subject("still_life", 1.0),
    Subject("camera_drift", 0.5),
    Subject("camera_drift", 1.0),
)
"""Stand-ins of models: one that moves what it should, two that move too little, two whose camera moves as well."""


def bound_blocks(count: int = BLOCKS, seed: int = FIRST_SEED) -> list[Block]:
    """Moving cameras have seeds from `seed` on, fixed ones from `seed` + `FIXED_FROM` on; the two take turns."""
    if not 4 <= count <= 2 * FIXED_FROM or count % 2:
        raise WorldGaugeError(f"bounds cannot be derived on {count} blocks", f"take 4, 6, ... {2 * FIXED_FROM}")
    still = Choice(processes=STILL, paths=LAYOUTS, size=SIZE, frames=FRAMES, fps=FPS)
    moving = Choice(processes=MOVING, paths=("fixed",), size=SIZE, frames=FRAMES, fps=FPS)
    layouts, fixed = choose_blocks(count // 2, seed, still), choose_blocks(count // 2, seed + FIXED_FROM, moving)
    return [block for pair in zip(layouts, fixed, strict=True) for block in pair]


def from_blocks(folder: Path, blocks: Sequence[Block]) -> Material:
    """The blocks' first frames and clips, and what the stand-ins make of those with a fixed camera.

    A block is rendered into `folder` when it is first needed.
    """
    named = {case_id(block): block for block in blocks}
    return Material(
        pictures={name: partial(_first_frame, folder, block) for name, block in named.items()},
        clips={name: partial(_frames, folder, block) for name, block in named.items()},
        performances={
            name: partial(_performances, folder, block) for name, block in named.items() if block.path == "fixed"
        },
        recipe={
            "clips": f"{len(blocks)} gauge blocks, every other with a fixed camera",
            "seeds": [block.seed for block in blocks],
            "size": list(SIZE),
            "frames": FRAMES,
            "fps": FPS,
            "pictures": "their first frames",
            "models": [subject.name for subject in MODELS],
        },
    )


def _case(folder: Path, block: Block) -> Case:
    return make_cases(folder, [block])[0]


def _frames(folder: Path, block: Block) -> Frames:
    return reference_frames(_case(folder, block))


def _first_frame(folder: Path, block: Block) -> Image:
    return np.asarray(_frames(folder, block)[0])


def _performances(folder: Path, block: Block) -> Iterator[Performance]:
    case = _case(folder, block)
    with studio(case) as opened:
        for subject in MODELS:
            fault = FAULTS["still_life" if subject.fault == ORACLE else subject.fault]()
            yield subject.name, case, opened.perform(fault, subject.severity).frames
