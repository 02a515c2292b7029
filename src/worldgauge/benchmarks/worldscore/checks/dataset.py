"""The whole data set checked: every record read, every world looked at, the composition counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldscore.checks.composition import Cell, composition, strangers
from worldgauge.benchmarks.worldscore.checks.worlds import world_faults
from worldgauge.benchmarks.worldscore.data.cases import read_records
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import validated


@dataclass(frozen=True)
class Found:
    """What a check found."""

    worlds: int
    cells: tuple[Cell, ...]
    """The composition; empty where it was not asked for."""
    arts: dict[str, int]
    """Style words of the stylised worlds and how often each occurs. The paper prints no shares."""
    twins: int
    """Stylised worlds with a photorealistic one of the same name."""
    faults: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        cells = [{"part": c.part, "name": c.name, "found": c.found, "expected": c.expected} for c in self.cells]
        return {
            "worlds": self.worlds,
            "composition": cells,
            "styles": self.arts,
            "twins": self.twins,
            "faults": list(self.faults),
        }


def check_dataset(root: Path, *, counts: bool = True) -> Found:
    """Check the data set below `root`. Without `counts` its composition is not held against Table S4."""
    folder, records = read_records(root)
    worlds: dict[str, WorldSpec] = {}
    faults: list[str] = []
    for where, record in records:
        try:
            world = validated(WorldSpec, record, where)
        except WorldGaugeError as error:
            faults.append(str(error))
            continue
        if world.folder in worlds:
            faults.append(f"{where}: two records for {world.folder}")
        worlds.setdefault(world.folder, world)
    if not worlds and not faults:
        raise WorldGaugeError(f"{root} holds no world")
    known = list(worlds.values())
    dynamic = [world for world in known if world.visual_movement == "dynamic"]
    masks = any(world.masks for world in dynamic)
    if dynamic and not masks:
        faults.append(f"none of {len(dynamic)} dynamic worlds has a mask (parquet files hold none): no motion accuracy")
    for world in known:
        faults.extend(f"{world.folder}: {fault}" for fault in world_faults(world, folder, masks=masks))
    cells = composition(known) if counts else []
    if counts:
        faults.extend(f"{name}: {reason}" for name, reason in strangers(known).items())
        faults.extend(f"{cell.part} {cell.fault}" for cell in cells if cell.fault)
    stylised = [world for world in known if world.visual_style == "stylized"]
    twins = sum(_twin(world) in worlds for world in stylised)
    arts = Counter(world.style for world in stylised)
    return Found(len(known), tuple(cells), dict(arts.most_common()), twins, tuple(faults))


def _twin(world: WorldSpec) -> str:
    """The photorealistic world that a stylised one repeats, by name."""
    return world.folder.replace("/stylized/", "/photorealistic/", 1)
