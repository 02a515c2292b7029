"""Derived bounds as files: a benchmark folder that a run can be given, and the values behind the table."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

from worldgauge.benchmarks.worldscore.bounds.derive import Derived, Row, rounded
from worldgauge.benchmarks.worldscore.bounds.values import Values
from worldgauge.core.benchmark import FILE_NAME as BENCHMARK_FILE
from worldgauge.core.bounds import FILE_NAME as BOUNDS_FILE
from worldgauge.core.errors import CannotWrite
from worldgauge.core.instrument import Instrument

VALUES_FILE: Final = "bounds.json"
VALUE_DIGITS: Final = 6


def write_bounds(derived: Derived, out: Path) -> None:
    """Write `benchmark.toml`, `bounds.toml` and `bounds.json`: the folder is what `--benchmark` takes."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        own = Path(__file__).parents[1] / BENCHMARK_FILE
        if own.resolve() != (out / BENCHMARK_FILE).resolve():
            shutil.copyfile(own, out / BENCHMARK_FILE)
        (out / BOUNDS_FILE).write_text(as_toml(derived), "utf-8")
        (out / VALUES_FILE).write_text(json.dumps(as_json(derived), indent=1) + "\n", "utf-8")
    except OSError as error:
        raise CannotWrite(f"cannot write to {out} ({error.strerror})", "choose another folder") from error


def as_toml(derived: Derived) -> str:
    """`bounds.toml`; a column without a bound is left out."""
    lines = [
        f"# Derived by 'worldgauge worldscore bounds'; {VALUES_FILE} beside it has the values of every clip.",
        "schema = 1",
        'benchmark = "worldscore"',
        "",
        "[recipe]",
        *(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in derived.recipe.items()),
    ]
    for row in derived.rows:
        if row.source is not None:
            lines += ["", "[[bound]]", *_bound(row, derived.way.protocol)]
    return "\n".join(lines) + "\n"


def _bound(row: Row, protocol: str) -> list[str]:
    assert row.source is not None
    fields = {
        "column": row.column,
        "protocol": protocol,
        "measured": row.measured,
        "from": list(row.source),
        "instruments": list(row.instruments),
    }
    return [f"{key} = {json.dumps(value)}" for key, value in fields.items()]


def as_json(derived: Derived) -> dict[str, Any]:
    """The table, how it was made, and the values it rests on, to six digits."""
    return {
        "schema": 1,
        "benchmark": "worldscore",
        "protocol": derived.way.protocol,
        "recipe": dict(derived.recipe),
        "instruments": {seat: _identity(i) for seat, i in sorted(derived.way.seats.instruments.items())},
        "bounds": [row_as_json(row) for row in derived.rows],
        "cameras": [
            {"layout": row.layout, "rotation": rounded(row.rotation), "translation": rounded(row.translation)}
            for row in derived.cameras
        ],
        "clips": {name: rounded_values(values) for name, values in derived.clips.items()},
        "models": {
            model: {world: rounded_values(values) for world, values in worlds.items()}
            for model, worlds in derived.models.items()
        },
    }


def row_as_json(row: Row) -> dict[str, Any]:
    return {
        "column": row.column,
        "from": None if row.source is None else list(row.source),
        "measured": row.measured,
        "instruments": list(row.instruments),
        "counted": row.counted,
        "of": row.of,
        "how": row.how,
        "reason": row.reason,
    }


def rounded_values(values: Values) -> Values:
    """To six digits."""
    return {name: None if value is None else rounded(value, VALUE_DIGITS) for name, value in values.items()}


def _identity(instrument: Instrument) -> dict[str, Any]:
    return instrument.identity()
