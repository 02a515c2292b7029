"""100,000 records: work and memory of the build, size of the page. First paint is measured in bench/first_paint.py."""

import subprocess
import sys

import pytest

from helpers import PEAK_MEMORY
from report.browser import launched, watched_page
from report.synthetic import SKILL, write_run

BUILD = f"""
import sys, time
from pathlib import Path
from worldgauge.core.run_folder import Run
from worldgauge.report.html import ReportSource, write_report
started = time.process_time()
write_report(ReportSource([Run(Path(f)) for f in sys.argv[2:]]), Path(sys.argv[1]))
print(time.process_time() - started, {PEAK_MEMORY})
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("scale")
    folders = [write_run(root / model, model, cases=5000, frames=40) for model in SKILL]
    out = root / "report"
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(out), *map(str, folders)], capture_output=True, text=True, check=True
    )
    seconds, memory = map(float, done.stdout.split())
    return out, seconds, memory


@pytest.mark.nightly
def test_build_is_quick_and_small(built):
    out, seconds, memory = built
    assert seconds <= 60
    assert memory <= 1.5 * 2**30
    assert (out / "index.html").stat().st_size <= 2e6
    # What the first page needs beyond index.html.
    assert (out / "data" / "index.js").stat().st_size <= 2e6


@pytest.mark.nightly
def test_cases_of_a_large_report_are_paged(built):
    with launched() as chromium, watched_page(chromium) as watched:
        watched.open(built[0], "#/cases")
        assert watched.page.locator("table.cases tbody tr").count() == 50
        loaded = watched.page.evaluate(
            "performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/data/')).length"
        )
        assert loaded <= 4
        watched.page.locator("#search").fill("case-04321")
        watched.until("document.querySelectorAll('table.cases tbody tr').length === 1")
        assert watched.problems == []
