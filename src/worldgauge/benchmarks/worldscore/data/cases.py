"""Reading the released data set in place: static.json and dynamic.json with their pictures, or the parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from worldgauge.benchmarks.worldscore.data.mask_files import masks_of
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.core.case import Case, Condition, Reference, Target
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json, validated

DATASET_FOLDER: Final = "WorldScore-Dataset"
MOVEMENTS: Final = ("static", "dynamic")


def read_dataset(root: Path) -> list[Case]:
    """Every world below `root` as a case, in file order; the case id is its folder in the official output tree."""
    folder, worlds = read_worlds(root)
    return [as_case(world, masks_of(folder, world.masks), _not_here(world, folder)).at(folder) for world in worlds]


def _not_here(world: WorldSpec, folder: Path) -> tuple[str, ...]:
    """The pictures of a world that are not on disk; the parquet files hold no masks at all."""
    masks = [folder / mask for mask in world.masks]
    without_masks = world.visual_movement == "dynamic" and not (masks and all(mask.is_file() for mask in masks))
    without_image = not (folder / world.image).is_file()
    return (*(("image",) if without_image else ()), *(("object_masks",) if without_masks else ()))


def read_worlds(root: Path) -> tuple[Path, list[WorldSpec]]:
    """The folder that paths are relative to, and the worlds."""
    folder, records = read_records(root)
    worlds: dict[str, WorldSpec] = {}
    for where, record in records:
        world = validated(WorldSpec, record, where)
        if world.folder in worlds:
            raise WorldGaugeError(f"{where}: two records for {world.folder}", "instance names must be unique")
        worlds[world.folder] = world
    if not worlds:
        raise WorldGaugeError(f"{root} holds no world")
    return folder, list(worlds.values())


def read_records(root: Path) -> tuple[Path, Iterator[tuple[str, Any]]]:
    """The folder that paths are relative to, and every record as it stands, with where it stands.

    `root` is the data set's folder, the folder above it, one JSON list, or a folder of parquet files.
    """
    if root.is_file():
        return _json_root(root), _json_records(root)
    folder = root / DATASET_FOLDER if (root / DATASET_FOLDER).is_dir() else root
    lists = [file for name in MOVEMENTS if (file := folder / name / f"{name}.json").is_file()]
    if lists:
        return folder, (record for file in lists for record in _json_records(file))
    if sorted(folder.rglob("*.parquet")):
        from worldgauge.benchmarks.worldscore.data.parquet import parquet_records

        return folder, parquet_records(folder)
    raise WorldGaugeError(
        f"{root} holds neither static/static.json, dynamic/dynamic.json nor parquet files",
        f"name the folder of the unpacked {DATASET_FOLDER}",
    )


def as_case(world: WorldSpec, masks: Sequence[str] = (), not_here: tuple[str, ...] = ()) -> Case:
    """A world as a case; its record goes along as `extras`. `masks` are those of its moving objects on disk."""
    target = Target(name=", ".join(world.objects)) if world.objects else None
    return Case(
        id=world.folder,
        # A stylised world repeats the scene of its photorealistic twin.
        cluster="/".join(part for part in world.folder.split("/") if part != world.visual_style),
        condition=Condition(prompt=world.prompt or next(iter(world.prompt_list), ""), image=world.image),
        reference=Reference(target=target, truth={f"mask_{i:02d}": path for i, path in enumerate(masks)}),
        tags=world.tags(),
        extras=world.model_dump(mode="json", exclude_defaults=True),
        not_here=not_here,
    )


def _json_records(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    content = read_json(file)
    if not isinstance(content, list):
        raise WorldGaugeError(f"{file} is not a list of records")
    for number, record in enumerate(content):
        yield f"{file} record {number}", record


def _json_root(file: Path) -> Path:
    """Paths in a list are relative to the data set's folder, in which the list lies one level down."""
    return file.resolve().parent.parent if file.resolve().parent.name in MOVEMENTS else file.resolve().parent
