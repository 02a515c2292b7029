"""Are two runs, or two parity reports, equal value for value, to the bit?

    python tools/same_numbers.py RUN_BEFORE RUN_AFTER
    python tools/same_numbers.py parity-before.json parity-after.json

For a change that must not move a number: make a run with either version and compare. Records are matched by case and
column; status, value, raw value and curve must be the same. Names of metrics, and so fingerprints, may differ.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

COMPARED = ("status", "value", "raw", "curve", "video")


def records(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The latest record of every case and column, by its position in the files."""
    found = {}
    for file in sorted(folder.glob("records-*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            found[record["case"], record["metric"]] = {key: record.get(key) for key in COMPARED}
    return found


def verdicts(file: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What became of every parity vector."""
    return {(v["kind"], v["id"]): {"outcome": v["outcome"]} for v in json.loads(file.read_text("utf-8"))}


def main(before: Path, after: Path) -> int:
    read = records if before.is_dir() else verdicts
    a, b = read(before), read(after)
    different = [key for key in sorted({*a, *b}) if a.get(key) != b.get(key)]
    for key in different[:20]:
        print("differs:", *key, a.get(key), b.get(key))
    print(f"{len(a)} before, {len(b)} after, {len(different)} different: {before} {after}")
    return 1 if different or not a else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
