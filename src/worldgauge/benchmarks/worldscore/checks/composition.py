"""What the data set should be made of (paper, 3.2 and Table S4), and what it is made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import LAYOUTS

STYLES: Final = ("photorealistic", "stylized")
CATEGORIES: Final = {
    "indoor": ("dining", "living", "passage", "public", "work"),
    "outdoor": ("city", "suburb", "aquatic", "terrestrial", "verdant"),
}
"""How the ten categories begin; the paper prints names, not the names of folders."""
MOTIONS: Final = ("articulated", "deformable", "fluid", "rigid", "multi-motion")
PER_CELL: Final = 100
LARGE_SHARE: Final = 0.2
"""Of the static worlds."""
TOLERANCE: Final = 0.2
"""Layouts and sizes were drawn at random: what may be missing or too much, as a share of what is expected. Four
standard deviations of 2800 layouts drawn alike are 0.2."""


@dataclass(frozen=True)
class Cell:
    """One line of the table: how many there are and how many there should be."""

    part: str
    name: str
    found: int
    expected: float
    tolerance: float = 0.0
    """Share of `expected` that it may be off."""

    @property
    def fault(self) -> str:
        """What is wrong with it; empty where nothing is."""
        if abs(self.found - self.expected) <= self.tolerance * self.expected:
            return ""
        about = "about " if self.tolerance else ""
        return f"{self.name}: {self.found}, expected {about}{self.expected:g}"


def composition(worlds: Sequence[WorldSpec]) -> list[Cell]:
    """The cells of Table S4, then layouts and sizes of the static worlds."""
    static = [world for world in worlds if world.visual_movement == "static"]
    dynamic = [world for world in worlds if world.visual_movement == "dynamic"]
    return [*_static_cells(static), *_dynamic_cells(dynamic), *_layouts(static), *_sizes(static)]


def strangers(worlds: Sequence[WorldSpec]) -> dict[str, str]:
    """Worlds that belong to no cell, each with the reason."""
    return {world.folder: reason for world in worlds if (reason := _no_cell(world))}


def category_of(world: WorldSpec) -> str:
    """Which of the ten categories a static world is of, by its folder, else by its record; empty: none."""
    known = [name for names in CATEGORIES.values() for name in names]
    for text in (world.category_folder, world.category):
        words = re.split(r"[^a-z]+", text.lower())
        found = next((name for name in known if any(word.startswith(name) for word in words)), None)
        if found:
            return found
    return ""


def _static_cells(worlds: Sequence[WorldSpec]) -> Iterator[Cell]:
    found = Counter((world.visual_style, world.scene_type, category_of(world)) for world in worlds)
    for style in STYLES:
        for scene, names in CATEGORIES.items():
            for name in names:
                yield Cell("static", f"{style} {scene} {name}", found[style, scene, name], PER_CELL)


def _dynamic_cells(worlds: Sequence[WorldSpec]) -> Iterator[Cell]:
    found = Counter((world.visual_style, world.motion_type) for world in worlds)
    for style in STYLES:
        for motion in MOTIONS:
            yield Cell("dynamic", f"{style} {motion}", found[style, motion], PER_CELL)


def _layouts(worlds: Sequence[WorldSpec]) -> Iterator[Cell]:
    found = Counter(layout for world in worlds for layout in world.camera_path)
    alike = sum(found.values()) / len(LAYOUTS)
    for layout in LAYOUTS:
        yield Cell("layout", layout, found[layout], alike, TOLERANCE)


def _sizes(worlds: Sequence[WorldSpec]) -> Iterator[Cell]:
    found = Counter(world.scenes for world in worlds)
    yield Cell("size", "small", found[1], (1 - LARGE_SHARE) * len(worlds), TOLERANCE)
    yield Cell("size", "large", found[3], LARGE_SHARE * len(worlds), TOLERANCE)


def _no_cell(world: WorldSpec) -> str:
    if world.visual_style not in STYLES:
        return f"visual_style '{world.visual_style}' is none of {', '.join(STYLES)}"
    if world.visual_movement == "dynamic":
        known = world.motion_type in MOTIONS
        return "" if known else f"motion_type '{world.motion_type}' is none of {', '.join(MOTIONS)}"
    if world.scene_type not in CATEGORIES:
        return f"scene_type '{world.scene_type}' is none of {', '.join(CATEGORIES)}"
    category = category_of(world)
    if category not in CATEGORIES[world.scene_type]:
        names = ", ".join(CATEGORIES[world.scene_type])
        return f"category '{world.category_folder}' is none of the {world.scene_type} ones ({names})"
    if world.scenes not in (1, 3):
        return f"a path of {world.scenes} layouts; a world is small (1) or large (3)"
    return ""
