"""Gauge blocks with and without faults of physics, and what the pocket instruments read off them, kept in a folder."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.measured_reversal import reversal
from worldgauge.benchmarks.worldolympiad.formulas.thing_states import states_of
from worldgauge.benchmarks.worldolympiad.signals.thing_motion import thing_motion
from worldgauge.blocks.block import ATTEMPTS, Block, World
from worldgauge.blocks.choose import Choice, choose_blocks
from worldgauge.blocks.faults import FAULTS, Given
from worldgauge.blocks.faults.base import Frames
from worldgauge.blocks.filmed import as_filmed
from worldgauge.blocks.paths import LAYOUTS
from worldgauge.blocks.phases import Visibility, complaint
from worldgauge.blocks.render import Painter, painter
from worldgauge.blocks.write import case_id
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.core.errors import Outcome, WorldGaugeError
from worldgauge.core.video import Video
from worldgauge.engine.definitions import choose_seats
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.perception import Loaded, Perception
from worldgauge.engine.store import Store

CLEAN, FILMED = "clean", "filmed"
"""The true clip as rendered, and with grain and coding losses, so that it is not the reference's very pixels."""
FLOATING, PASSING, REVERSED = "floating", "pass_through", "time_reversal"
MIDDLE = 0.5
LATE = ("falling", "tower")
"""Over before the span begins that a reversal of middle severity turns round: these get the full one."""
DIRECTED = (*LATE, "melting", "draining", "burning", "mixing")
"""Processes whose reversal nobody takes for true. The ball of `rolling` keeps its speed: it does not come to rest."""
CARRIED_BY_NOTHING = ("pendulum",)
"""Touches nothing that it could pass through: it hangs from its hinge all along."""
SIZE, FRAMES, FPS = (320, 180), 33, 10.0
Motion = Mapping[str, np.ndarray]


def blocks(count: int, first_seed: int) -> list[Block]:
    """Worlds of all processes, each with a camera that moves all along; most of them keep the whole thing in view."""
    return choose_blocks(count, first_seed, Choice(paths=LAYOUTS, size=SIZE, frames=FRAMES, fps=FPS))


def wanted(block: Block, number: int) -> list[str]:
    """Faults shown in a world: a third of the worlds float, five twelfths pass through (unless nothing carries the
    thing), those with a direction run back."""
    faults = [FLOATING] if number % 3 == 0 else []
    if block.process not in CARRIED_BY_NOTHING and (number % 3 == 1 or number % 12 == 2):
        faults.append(PASSING)
    return faults + ([REVERSED] if block.process in DIRECTED else [])


class Clips:
    """The measured clips of a folder; what is there is not measured again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._seats = choose_seats("pocket")
        self._loaded, self._store = Loaded(self._seats, "cpu"), Store(folder / "store")

    def motions(self, block: Block, faults: list[str]) -> dict[str, Motion | str]:
        """Clip to what was read off it, or why nothing was: the clean one, the faults, the filmed one with a say."""
        found: dict[str, Motion | str] = {}
        show: Callable[[str], Frames] | None = None
        shows = self._shows(block)
        for name in (CLEAN, *faults, FILMED):
            if name == FILMED and not _has_direction(found[CLEAN]):
                continue
            file = self._folder / f"{case_id(block)}.{name}.npz"
            if not file.exists():
                show = show or next(shows)
                self._measure(block, show(name), file)
            with np.load(file) as kept:
                arrays = dict(kept)
            found[name] = str(arrays["why"]) if "why" in arrays else arrays
        shows.close()
        return found

    def _measure(self, block: Block, frames: Frames, file: Path) -> None:
        mask = self._folder / f"{case_id(block)}.png"
        target = Target(name="target", mask=mask.name)
        condition = Condition(prompt="", frames=block.frames, fps=block.fps, size=block.size)
        case = Case(id=case_id(block), condition=condition, reference=Reference(target=target)).at(self._folder)
        video = Video.from_array(frames, layout="THWC", fps=block.fps)
        perception = Perception(CaseInputs(case, video), self._seats, self._store, self._loaded)
        try:
            found: Motion = perception.value(thing_motion())
        except Outcome as why:
            found = {"why": np.array(why.message)}
        arrays: dict[str, Any] = dict(found)
        partial = file.with_name(f".{file.name}")
        with partial.open("wb") as out:
            np.savez_compressed(out, **arrays)
        partial.replace(file)

    def _shows(self, block: Block) -> Generator[Callable[[str], Frames], None, None]:
        """A function that renders a clip by name, while the world is open; the mask of the first frame is written."""
        from PIL import Image

        for attempt in range(ATTEMPTS):
            # On paths that never leave, the first frame alone decides which draw is taken.
            world = replace(block, attempt=attempt).world()
            with painter(world.scene, block.size) as draw:
                _, geoms, amodal = draw.shapes(world.timeline, 0)
                shown = np.isin(geoms, world.scene.target.geoms)
                seen = Visibility.of(shown[None], amodal[None])
                if complaint(seen, leaves=False, smallest=block.size[0] * block.size[1] // 1000):
                    continue
                Image.fromarray(shown.astype(np.uint8) * 255).save(self._folder / f"{case_id(block)}.png")
                yield _shower(block, given_of(block, world), draw)
                return
        raise WorldGaugeError(f"seed {block.seed} gives no usable world", "take another seed")


def given_of(block: Block, world: World) -> Given:
    """What faults start from, in a world whose target never leaves the view."""
    count = block.frames
    seed = zlib.crc32(case_id(block).encode())
    return Given(world, count // 2, count // 2, (count // 3, 2 * count // 3), seed)


def _shower(block: Block, given: Given, draw: Painter) -> Callable[[str], Frames]:
    timeline, count = given.timeline, block.frames
    true = np.stack([draw.picture(timeline, k) for k in range(count)])

    def show(name: str) -> Frames:
        if name in (CLEAN, FILMED):
            return true if name == CLEAN else as_filmed(true)
        fault, severity = FAULTS[name](), 1.0 if name == REVERSED and block.process in LATE else MIDDLE
        acted = fault.act(given, severity)
        frames = true if acted is timeline else np.stack([draw.picture(acted, k) for k in range(count)])
        changed = fault.look(given, frames, severity)
        return as_filmed(changed) if name == REVERSED else changed

    return show


def _has_direction(motion: Motion | str) -> bool:
    states = motion if isinstance(motion, str) else states_of(motion)
    return not isinstance(states, str) and reversal(states, states).holds is not None
