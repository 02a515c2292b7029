"""Which rules apply to which case, asked once and kept with the data: every model then answers the same questions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import read_json

FILE_NAME = "relevance.json"


def frozen_relevance(root: Path) -> dict[str, dict[str, bool]]:
    """Case to rule to whether it applies, out of `relevance.json` of the data set; empty where nobody froze any."""
    file = root / FILE_NAME
    if not file.is_file():
        return {}
    content = read_json(file)
    cases = content.get("cases") if isinstance(content, dict) else None
    if not isinstance(cases, dict) or not all(_is_table(table) for table in cases.values()):
        raise WorldGaugeError(f"{file} holds no table of rules by case", "write it with 'worldolympiad relevance'")
    return {str(case): dict(table) for case, table in cases.items()}


def write_relevance(root: Path, cases: Mapping[str, Mapping[str, bool]], judge: str) -> Path:
    """Freeze what a judge answered; `judge` says who it was."""
    file = root / FILE_NAME
    content = {"schema": 1, "judge": judge, "cases": {case: dict(table) for case, table in sorted(cases.items())}}
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return file


def _is_table(table: Any) -> bool:
    return isinstance(table, dict) and all(isinstance(value, bool) for value in table.values())
