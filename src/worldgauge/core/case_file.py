"""Reading and writing `cases.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.submission import first_problem

FILE_NAME = "cases.jsonl"


def read_cases(path: Path) -> list[Case]:
    """Every case of a `cases.jsonl` (or of the folder that holds one), in file order."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        lines = file.read_text("utf-8").rstrip("\n").split("\n")
    except FileNotFoundError as error:
        raise WorldGaugeError(f"{file} does not exist", "name the folder that holds cases.jsonl") from error
    except (OSError, UnicodeDecodeError) as error:
        raise WorldGaugeError(f"{file} cannot be read ({error})") from error
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = Case.model_validate(json.loads(line)).at(file.parent)
        except json.JSONDecodeError as error:
            raise WorldGaugeError(f"{file} line {number} is not valid JSON ({error.msg})") from error
        except ValidationError as error:
            raise WorldGaugeError(f"{file} line {number}: {first_problem(error)}") from error
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
