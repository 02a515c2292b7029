"""`make bench`: measure, print, and write docs/performance.md. Ratios are of one run on one machine."""

from __future__ import annotations

import json
import platform
import sys
import tempfile
from pathlib import Path

from bench import engine

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
START, END = "<!-- engine: start -->", "<!-- engine: end -->"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="worldgauge-bench-"))
    measured = {"overhead": engine.overhead(folder), "report": engine.report(folder)}
    print(json.dumps(measured, indent=1))
    overhead, report = measured["overhead"], measured["report"]
    rows = [
        ("engine, first run", f"{overhead['ms_per_record']:.2f} ms per record", "at most 1 ms"),
        ("engine, everything done", f"{overhead['ms_per_record_resumed']:.2f} ms per record", ""),
        ("share spent opening clips", f"{overhead['probing_share']:.0%}", ""),
        ("engine to a bare loop that writes lines", f"{overhead['times_a_bare_loop']:.0f}x", ""),
        ("report over 1,000,000 records", f"{report['seconds']:.0f} s", "at most 60 s"),
        ("its memory", f"{report['peak_gib']:.2f} GiB", "at most 2 GiB"),
        ("report to parsing the same lines", f"{report['times_parsing_alone']:.1f}x", ""),
    ]
    lines = ["| what | measured | wanted |", "| --- | ---: | --- |", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    table = "\n".join(lines) + "\n"
    python = platform.python_version()
    about = f"{engine.CASES:,} cases x {engine.METRICS} trivial metrics on 2 workers; Python {python}.\n\n"
    text = PAGE.read_text("utf-8")
    before, after = text.split(START)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{START}\n{about}{table}{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
