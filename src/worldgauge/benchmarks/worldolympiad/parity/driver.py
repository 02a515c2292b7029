"""Parity of the driver: whole runs of it replayed on files, with the stand-in scripts of the recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from worldgauge.benchmarks.worldolympiad.official import done_rules, manifest, summary

Answer = dict[str, Any]

STATES: dict[str, str | None] = {
    "absent": None,
    "empty": "",
    "one_byte": "x",
    "newline": "\n",
    "space": "  ",
    "truncated_json": '{"combined_score":',
    "null": "null",
    "valid": '{"combined_score": 0.4}',
    "zero_bytes": "\0\0",
}
SCRIPTS: dict[str, tuple[str | None, int]] = {
    "ok": ('{"combined_score": 0.5}', 0),
    "none": (None, 0),
    "fail": (None, 1),
    "failafter": ('{"combined_score": 0.5}', 3),
    "emptyout": ("", 0),
    "badjson": ("{", 0),
}
"""What a stand-in script writes, and its exit code."""


def done_rules_of(given: Answer, arrays: Mapping[str, Any]) -> Answer:
    with TemporaryDirectory() as name:
        return _PARTS[given["part"]](given, Path(name))


def _one_output(given: Answer, root: Path) -> Answer:
    output = _output(given, root)
    answer: Answer = {"driver_done": done_rules.driver_is_done(output)}
    try:
        return {**answer, "scheduler_skips": done_rules.scheduler_skips(output, given["force"])}
    except TypeError:
        return {**answer, "scheduler_skips_raises": "TypeError"}


def _output(given: Answer, root: Path) -> Any:
    state = given["state"]
    if "output_value" not in given:
        file = root / "out.json"
        if given["bytes"] is not None:
            file.write_bytes(bytes(given["bytes"]))
        return str(file)
    value = given["output_value"]
    if not isinstance(value, str) or not value.strip():
        return value
    file = root / value
    (root / "valid.json").write_text("{}", "utf-8")
    (root / "empty.json").write_text("", "utf-8")
    if state == "directory":
        file.mkdir()
    else:
        targets = {"link_to_valid": "valid.json", "link_to_empty": "empty.json"}
        file.symlink_to(root / targets.get(state, "nowhere.json"))
    return str(file)


def _lines(given: Answer, root: Path) -> list[done_rules.Line]:
    lines = []
    for k, state in enumerate(given["states"]):
        file = root / f"{k}.json"
        text = STATES.get(state)
        if text is not None:
            file.write_text(text, "utf-8")
        row = {"output": "" if state == "no_path" else str(file), "video": "v"}
        number = k + 1 + (k >= given["blank_line_before_row"])
        lines.append(done_rules.Line({"id": f"k{k}", **row} if given["has_id"][k] else row, number))
    return lines


def selected(
    rows: Sequence[done_rules.Row], pending_only: bool = True, force: bool = False, limit: int | None = None
) -> list[int]:
    """Numbers of the rows that are handed to the scheduler. A limit of 0 or less selects one."""
    wanted = [
        k for k, row in enumerate(rows) if force or not pending_only or not done_rules.driver_is_done(row.get("output"))
    ]
    return wanted if limit is None else wanted[: max(1, limit)]


def scheduled(
    rows: Sequence[done_rules.Row], score: Callable[[done_rules.Row], int], force: bool = False, dry_run: bool = False
) -> list[dict[str, Any]]:
    """What the scheduler writes, by id: an exit code of 0 is ok whatever was written, and a dry run is ok throughout.

    `score` evaluates a row and returns its exit code. A row without a name is called by its line.
    """
    found: list[dict[str, Any]] = []
    for line in (done_rules.Line(row, number) for number, row in enumerate(rows, start=1)):
        if done_rules.scheduler_skips(line.row.get("output"), force):
            found.append({"id": str(line.id), "status": "skipped"})
            continue
        code = 0 if dry_run else score(line.row)
        found.append({"id": str(line.id), "status": "failed" if code else "ok", "exit_code": code})
    return sorted(found, key=lambda one: one["id"])


def _selection(given: Answer, root: Path) -> Answer:
    rows = [line.row for line in _lines(given, root)]
    found = selected(rows, given["pending_only"], given["force"], given["limit"])
    return {"selected": len(found), "total": len(rows), "rows": found}


def _progress(given: Answer, root: Path) -> Answer:
    rows = done_rules.progress(_lines(given, root))
    return {"done": sum(row["status"] == "ok" for row in rows), "total": len(rows), "rows": rows}


def _manifest_check(given: Answer, root: Path) -> Answer:
    """One row that lacks a field stops the whole batch of the original."""
    for number, row in enumerate(given["rows"], start=1):
        if lacking := manifest.fields_lacking(row):
            raise ValueError(f"row {number} lacks {', '.join(lacking)}")
    return {"raises": None, "items": len(given["rows"])}


def _rows(items: Sequence[Mapping[str, str]], root: Path) -> list[dict[str, str]]:
    rows = []
    for item in items:
        file = root / f"{item['id']}.json"
        text = STATES[item["output_before"]]
        if text is not None:
            file.write_text(text, "utf-8")
        rows.append({"id": item["id"], "script": item["script"], "output": str(file)})
    return rows


def _script(row: Mapping[str, Any]) -> int:
    text, code = SCRIPTS[row["script"]]
    if text is not None:
        Path(row["output"]).write_text(text, "utf-8")
    return code


def _scheduler_run(given: Answer, root: Path) -> Answer:
    rows = _rows(given["items"], root)
    ran: list[str] = []

    def score(row: Mapping[str, Any]) -> int:
        ran.append(row["id"])
        return _script(row)

    found = scheduled(rows, score, given["force"], given["dry_run"])
    return {
        "exit_code": 0,
        "order_in_summary": [row["id"] for row in found],
        "rows": found,
        "output_bytes_after_is_zero": {
            row["id"]: Path(row["output"]).stat().st_size == 0 if Path(row["output"]).exists() else None for row in rows
        },
        "log_files": len(ran),
    }


def _driver_run_twice(given: Answer, root: Path) -> Answer:
    options = given["options"]
    force, dry = "--force" in options, "--dry-run" in options
    every = force or "--include-existing" in options
    limit = int(options[options.index("--limit") + 1]) if "--limit" in options else None
    rows = _rows(given["items"], root)
    name = f"general_longlive_{'selected' if every else 'pending'}{'' if limit is None else f'_limit{limit}'}.jsonl"
    runs = []
    for _ in range(2):
        chosen = [rows[k] for k in selected(rows, not every, force, limit)]
        scored = scheduled(chosen, _script, force, dry)
        progress = done_rules.progress([done_rules.Line(row, k + 1) for k, row in enumerate(rows)])
        run: Answer = {
            "exit_code": 0,
            "manifest_files": sorted(["general_longlive_all.jsonl", name]),
            "selected_ids": [row["id"] for row in chosen],
            "scheduler_rows": scored,
            "progress_rows": [[row["id"], row["status"], row["exit_code"]] for row in progress],
            "summary_items": None,
            "status_counts": None,
            "error_counts": None,
            "combined_n": None,
        }
        if not dry:
            told = [{**row, "output": rows[k]["output"]} for k, row in enumerate(progress)]
            total, _ = summary.summarise(told, root, "progress", include_non_ok=True)
            # Recorded with the messages cut off, so that of two the last is left.
            errors = {error.partition(":")[0]: count for error, count in total["error_counts"].items()}
            run |= {
                "summary_items": total["summary_items"],
                "status_counts": total["status_counts"],
                "error_counts": errors,
                "combined_n": total["scores"]["combined"]["count"],
            }
        runs.append(run)
    return {"runs": runs}


_PARTS = {
    "one_output": _one_output,
    "selection": _selection,
    "progress": _progress,
    "manifest_check": _manifest_check,
    "scheduler_run": _scheduler_run,
    "driver_run_twice": _driver_run_twice,
}

ITEMS = {"done_rules": done_rules_of}
