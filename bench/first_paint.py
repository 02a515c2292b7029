"""First paint of the leaderboard over 100,000 records, against the same page without rows and against an empty page.

The empty page has the head of the real one: the same style sheet and scripts, and one word in its body.

`python -m bench.first_paint` needs Chromium; a wall-clock figure, so a measurement and not a test.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from pathlib import Path

from worldgauge.core.run_folder import Run
from worldgauge.report.html import ReportSource, write_report

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from report.browser import launched, watched_page
from report.synthetic import SKILL, write_run

LOADS = 61


def main() -> None:
    """Print the median first contentful paint of each page in milliseconds, pages taken in turn, and the ratios."""
    root = Path(tempfile.mkdtemp(prefix="worldgauge-paint-"))
    out = root / "report"
    runs = [Run(write_run(root / model, model, cases=5000, frames=40)) for model in SKILL]
    write_report(ReportSource(runs), out)
    page = (out / "index.html").read_text("utf-8")
    table = re.search(r"<thead>.*?</tbody>", page, re.DOTALL)
    assert table is not None
    (out / "no-rows.html").write_text(page.replace(table.group(0), "<thead></thead><tbody></tbody>"), "utf-8")
    empty = re.sub(r"<body.*</body>", "<body>.</body>", page, flags=re.DOTALL)
    (out / "empty.html").write_text(empty, "utf-8")
    times: dict[str, list[float]] = {"index.html": [], "no-rows.html": [], "empty.html": []}
    script = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    with launched() as chromium:
        for _ in range(LOADS):
            for name, found in times.items():
                with watched_page(chromium) as watched:
                    watched.page.goto(f"{out.as_uri()}/{name}")
                    watched.until(f"{script} !== undefined")
                    found.append(watched.page.evaluate(script))
    medians = {name: statistics.median(found) for name, found in times.items()}
    for name, milliseconds in medians.items():
        ratio = medians["index.html"] / milliseconds
        print(f"{name:12s} {milliseconds:6.0f} ms   leaderboard to this page: {ratio:.2f}")


if __name__ == "__main__":
    main()
