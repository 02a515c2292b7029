"""Run folders of older versions, brought into the present form for reading."""

from __future__ import annotations

from typing import Any

_PROTOCOLS = ("released", "paper")
"""The two there were."""


def brought_up(content: dict[str, Any]) -> dict[str, Any]:
    """`run.json` of any older schema as the present one."""
    if content.get("schema") == 1:
        content = _from_schema_1(content)
    # Schema 2 did not say where a submission was read from, nor which list of cases it was about.
    return content | {"schema": 3}


def _from_schema_1(content: dict[str, Any]) -> dict[str, Any]:
    """`run.json` of schema 1 as schema 2: protocols are named by the benchmark, differences stand under them."""
    benchmark = dict(content["benchmark"])
    for gone in ("cases", "importer", "protocol"):
        benchmark.pop(gone, None)
    first = content["protocol"]
    benchmark |= {
        "schema": 2,
        "protocols": [first, *(name for name in _PROTOCOLS if name != first)],
        "metric": [_under(item) for item in benchmark.get("metric", ())],
        "deviation": [_under(item) for item in benchmark.get("deviation", ())],
    }
    return content | {"schema": 2, "benchmark": benchmark}


def _under(item: dict[str, Any]) -> dict[str, Any]:
    differences = {name: item[name] for name in _PROTOCOLS if item.get(name)}
    return {key: value for key, value in item.items() if key not in _PROTOCOLS} | {"under": differences}
