"""`Block`: one gauge block, a rendered world whose truth is known."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.bystanders import add_bystander
from worldgauge.blocks.events import Event, list_events
from worldgauge.blocks.exact_flow import forward_flow
from worldgauge.blocks.families import FAMILIES
from worldgauge.blocks.hiding import add_screen, light_of, moved_by_script, seen_target
from worldgauge.blocks.names import pick
from worldgauge.blocks.paths import Path, camera_path, find_path, key_script
from worldgauge.blocks.phases import Visibility, complaint, find_phases
from worldgauge.blocks.processes import ALL_PROCESSES
from worldgauge.blocks.processes.base import Act, Kit
from worldgauge.blocks.render import Geometry, Painter, painter, render_geometry
from worldgauge.blocks.scene import Scene, SceneBuilder
from worldgauge.blocks.states import States, read_states
from worldgauge.blocks.timeline import Contact, Timeline, simulate
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Phases
from worldgauge.core.errors import WorldGaugeError

log = logging.getLogger(__name__)
ATTEMPTS = 20
"""Draws before a seed is given up."""


@dataclass(frozen=True, eq=False)
class World:
    """An accepted draw before it is painted: what a subject changes is its timeline."""

    scene: Scene
    act: Act
    timeline: Timeline
    contacts: tuple[Contact, ...]
    attempt: int


@dataclass(frozen=True, eq=False)
class Truth:
    """A rendered block and everything that is true about it; N frames of H x W pixels."""

    block: Block
    world: World
    frames: NDArray[np.uint8]
    """(N, H, W, 3) RGB."""
    depth: NDArray[np.float32]
    """(N, H, W) metres along the optical axis, inf for the sky."""
    ids: NDArray[np.uint8]
    """(N, H, W) instance ids; 0 is the sky."""
    visible: NDArray[np.bool_]
    """(N, H, W) visible part of the target."""
    amodal: NDArray[np.bool_]
    """(N, H, W) target as if nothing stood before it."""
    flow: NDArray[np.float32]
    """(N-1, H, W, 2) forward flow to the next frame, pixels (x, y)."""
    occluded: NDArray[np.bool_]
    """(N-1, H, W) pixels whose point is out of sight in the next frame."""
    camera: CameraPath
    actions: tuple[str, ...]
    """Keys held at each frame."""
    phases: Phases | None
    """Gone and back; `None` where the target does not leave and return."""
    states: States
    events: tuple[Event, ...]

    @property
    def target(self) -> str:
        """The target's name."""
        return self.world.act.target.name

    @property
    def ended(self) -> bool:
        """Whether the ending came true: a process that waits for a hit needs one in its event log."""
        hit = any(e.kind == "contact" and self.target in (e.subject, e.other) for e in self.events)
        return hit or not self.world.act.needs_hit


@dataclass(frozen=True)
class Block:
    """Which world, seen how, doing what. The same fields give the same bytes.

    >>> Block(seed=7, family="street", path="u_turn", process="crossing", frames=48).duration
    3.0
    """

    seed: int
    family: str = "room"
    path: str = "away_left"
    process: str = "rolling"
    size: tuple[int, int] = (320, 180)
    """Width and height, pixels."""
    frames: int = 81
    fps: float = 16.0
    attempt: int | None = None
    """Use exactly this redraw of the seed; `None` takes the first one that shows what the path promises."""

    def __post_init__(self) -> None:
        pick("scene family", self.family, FAMILIES)
        pick("process", self.process, ALL_PROCESSES)
        find_path(self.path)
        width, height = self.size
        if not (32 <= width <= 4096 and 32 <= height <= 4096 and width % 2 == 0 and height % 2 == 0):
            raise WorldGaugeError(f"size {width}x{height} cannot be rendered", "use even numbers from 32 to 4096")
        if not 2 <= self.frames <= 2000:
            raise WorldGaugeError(f"{self.frames} frames cannot be rendered", "use 2 to 2000 frames")
        if not 1 <= self.fps <= 240:
            raise WorldGaugeError(f"{self.fps} frames per second cannot be rendered", "use 1 to 240")
        if self.seed < 0:
            raise WorldGaugeError(f"seed {self.seed} is negative", "use 0 or more")

    @classmethod
    def of(cls, case: Case) -> Block:
        """The block a written case was rendered from."""
        tags, asked = case.tags, case.condition
        if "seed" not in tags or asked.size is None or asked.frames is None or asked.fps is None:
            raise WorldGaugeError(
                f"case {case.id} is not a gauge block", "use cases written by `worldgauge blocks make`"
            )
        return cls(
            int(tags["seed"]), tags["family"], tags["path"], tags["process"], asked.size, asked.frames, asked.fps,
            int(tags["attempt"]),
        )  # fmt: skip

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.frames / self.fps

    def world(self) -> World:
        """The accepted draw: scene and timeline, not painted. A pinned attempt is not checked again."""
        if self.attempt is not None:
            return self._draw(self.attempt, find_path(self.path))
        with self._accepted() as (world, _, _, _):
            return world

    def render(self) -> Truth:
        """Draw the world and all its truth."""
        with self._accepted() as (world, geometry, visibility, draw):
            frames = np.stack([draw.picture(world.timeline, k) for k in range(self.frames)])
        timeline = world.timeline
        flows = [forward_flow(timeline, geometry, k) for k in range(self.frames - 1)]
        return Truth(
            block=self,
            world=world,
            frames=frames,
            depth=geometry.depth,
            ids=_instances(world.scene, geometry),
            visible=_visible(world, geometry),
            amodal=geometry.amodal,
            flow=np.stack([flow for flow, _ in flows]),
            occluded=np.stack([lost for _, lost in flows]),
            camera=timeline.camera,
            actions=key_script(timeline.camera),
            phases=find_phases(visibility),
            states=read_states(world.scene, timeline),
            events=list_events(world.scene, world.act, world.contacts, visibility, timeline.time),
        )

    @contextmanager
    def _accepted(self) -> Iterator[tuple[World, Geometry, Visibility, Painter]]:
        """The first draw that shows what the path promises, with the painter that looked at it."""
        path = find_path(self.path)
        reason = ""
        for attempt in range(ATTEMPTS) if self.attempt is None else (self.attempt,):
            world = self._draw(attempt, path)
            with painter(world.scene, self.size) as draw:
                geometry = render_geometry(draw, world.timeline)
                visibility = Visibility.of(_visible(world, geometry), geometry.amodal)
                reason = complaint(visibility, path.leaves, self.size[0] * self.size[1] // 1000)
                if not reason:
                    yield world, geometry, visibility, draw
                    return
            log.info("%s attempt %d redrawn: %s", self, attempt, reason)
        raise WorldGaugeError(
            f"seed {self.seed} gives no usable {self.family}/{self.process}/{self.path}: {reason}",
            "take another seed or more frames",
        )

    def _draw(self, attempt: int, path: Path) -> World:
        # Separate streams: the same seed furnishes the same place whatever happens in it.
        place = np.random.default_rng([self.seed, attempt, zlib.crc32(self.family.encode())])
        action = np.random.default_rng([self.seed, attempt, zlib.crc32(self.process.encode())])
        builder = SceneBuilder(place, self.size)
        stage = FAMILIES[self.family](builder)
        builder.rng = action
        kit = Kit(builder, stage.unit, self.duration)
        act = ALL_PROCESSES[self.process](kit)
        act = replace(act, movers=(*act.movers, *add_bystander(kit)))
        if path.hiding == "occlusion":
            act = replace(act, movers=(*act.movers, *add_screen(kit, act, stage)))
        scene = builder.compile(act.target, stage)
        camera = camera_path(path, stage, np.asarray(act.aim), self.frames, self.size)
        timeline, contacts = simulate(scene, act, camera, self.fps)
        timeline = replace(timeline, light=light_of(path, self.frames), scripted=moved_by_script(scene))
        return World(scene, act, timeline, contacts, attempt)


def _instances(scene: Scene, geometry: Geometry) -> NDArray[np.uint8]:
    # The last entry answers geom id -1, the sky.
    return np.append(scene.instance_of_geom, np.uint8(0))[geometry.geoms]


def _visible(world: World, geometry: Geometry) -> NDArray[np.bool_]:
    frames = enumerate(geometry.geoms)
    return np.stack([seen_target(world.scene, world.timeline, frame, geoms) for frame, geoms in frames])
