"""Reading and writing `cases.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json_lines, validated

FILE_NAME = "cases.jsonl"


def read_cases(path: Path) -> list[Case]:
    """Every case of a `cases.jsonl` (or of the folder that holds one), in file order."""
    file = path / FILE_NAME if path.is_dir() else path
    cases: dict[str, Case] = {}
    for number, content in read_json_lines(file, missing="name the folder that holds cases.jsonl"):
        case = validated(Case, content, f"{file} line {number}").at(file.parent)
        if case.id in cases:
            raise WorldGaugeError(f"{file} line {number}: case id '{case.id}' stands there twice", "ids must be unique")
        cases[case.id] = case
    if not cases:
        raise WorldGaugeError(f"{file} holds no case")
    return list(cases.values())


def write_cases(file: Path, cases: Iterable[Case]) -> None:
    """Write one case a line, complete or not at all."""
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text("".join(json.dumps(c.to_json(), ensure_ascii=False) + "\n" for c in cases), "utf-8")
    partial.replace(file)
