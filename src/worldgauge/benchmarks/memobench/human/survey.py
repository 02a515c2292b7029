"""The survey of the human study: eight questions of each of twelve scenes, in four interleaved versions, as files.

Respondents get a version without the judge's answers; the key stays with whoever counts.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.memobench.data.questions import DIMENSIONS, Bank
from worldgauge.benchmarks.memobench.human.review import yes_or_no
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_table

PER_SCENE, VERSIONS = 8, 4
KEY = "key.csv"
ASKED = ("item", "clip", "question", "answer")
"""Columns of a version; the respondent fills the last."""


@dataclass(frozen=True)
class Item:
    """One question of the survey."""

    item: str
    version: int
    scene: str
    clip: str
    question_id: str
    dimension: str
    polarity: str
    judge: str
    """The judge's answer on the true video: yes or no."""
    question: str


def draw_items(banks: Iterable[Bank], per_scene: int = PER_SCENE, versions: int = VERSIONS) -> list[Item]:
    """The survey: per scene so many questions, dimensions and polarities as even as they can be, always the same draw.

    Scenes take turns, and so do versions, so that every version has every scene and every dimension alike.
    """
    scenes: dict[str, list[Item]] = {}
    for bank in banks:
        answered = [item for item in bank.on_truth if isinstance(item.get("ID"), (str, int))]
        judged = {item["ID"]: str(item.get("Answer", "")).strip().lower() for item in answered}
        for question in bank.final:
            if judged.get(question["ID"]) in ("yes", "no"):
                scenes.setdefault(bank.scene, []).append(_item(bank, question, judged[question["ID"]]))
    drawn = {scene: _spread(items, per_scene) for scene, items in sorted(scenes.items())}
    short = next((scene for scene, items in drawn.items() if len(items) < per_scene), None)
    if short is not None or not drawn:
        found = f"scene {short} has {len(drawn[short])}" if short is not None else "there are none"
        raise WorldGaugeError(f"a survey needs {per_scene} judged questions of every scene; {found}")
    numbered: list[Item] = []
    for turn in range(per_scene):
        for place, scene in enumerate(drawn):
            # Shifted with every turn through the scenes and once more with every turn through the dimensions, so that
            # a version has every scene and every dimension.
            version = (place + turn + turn // len(DIMENSIONS)) % versions + 1
            item = f"q{len(numbered) + 1:03d}"
            numbered.append(replace(drawn[scene][turn], item=item, version=version))
    return numbered


def write_survey(items: Sequence[Item], out: Path) -> list[Path]:
    """Write `version-N.csv` to hand out and `key.csv` to keep."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for version in sorted({item.version for item in items}):
        rows = [[item.item, item.clip, item.question, ""] for item in items if item.version == version]
        written.append(_write(out / f"version-{version}.csv", [list(ASKED), *rows]))
    names = [field.name for field in fields(Item)]
    return [*written, _write(out / KEY, [names, *([getattr(item, name) for name in names] for item in items)])]


def read_key(file: Path) -> list[Item]:
    """The survey as it was drawn."""
    names = [field.name for field in fields(Item)]
    items = []
    for row in read_table(file, names):
        if row["judge"] not in ("yes", "no") or row["version"] not in map(str, range(1, 100)):
            raise WorldGaugeError(f"{file}: item {row['item']} is damaged", "draw the survey again")
        items.append(Item(**{**{name: row[name] for name in names}, "version": int(row["version"])}))  # type: ignore[arg-type]
    return items


def read_responses(files: Iterable[Path]) -> dict[str, dict[str, bool]]:
    """Respondent to item to yes or no; one filled version per file, named after its respondent."""
    found = {}
    for file in files:
        said = {row["item"]: yes_or_no(row["answer"], f"{file} item {row['item']}") for row in read_table(file, ASKED)}
        found[file.stem] = {item: answer for item, answer in said.items() if answer is not None}
    return found


def _item(bank: Bank, question: dict[str, Any], judge: str) -> Item:
    return Item(
        item="",
        version=0,
        scene=bank.scene,
        clip=bank.clip,
        question_id=str(question["ID"]),
        dimension=question["Dimension"],
        polarity=question["Dimension Polarity"],
        judge=judge,
        question=question["Question"],
    )


def _spread(items: list[Item], count: int) -> list[Item]:
    """So many items, taking dimensions and, within them, polarities in turn; by a digest, so that nobody chooses."""
    pools: dict[tuple[str, str], list[Item]] = {}
    for item in sorted(items, key=lambda i: hashlib.sha256(f"{i.clip}/{i.question_id}".encode()).digest()):
        pools.setdefault((item.dimension, item.polarity), []).append(item)
    chosen: list[Item] = []
    for turn in range(len(items)):
        for number, dimension in enumerate(DIMENSIONS):
            wanted = ("Positive", "Negative")[(turn + number) % 2]
            other = ("Positive", "Negative")[(turn + number + 1) % 2]
            pool = pools.get((dimension, wanted)) or pools.get((dimension, other))
            if pool and len(chosen) < count:
                chosen.append(pool.pop(0))
    return chosen


def _write(file: Path, rows: list[list[Any]]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return file
