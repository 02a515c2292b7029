"""pytest plugin for the map: starts coverage in child processes and writes how long every passed test took."""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from pathlib import Path

import pytest

CHILD_SETTINGS = "WORLDGAUGE_CHILD_COVERAGE"
SECONDS = "WORLDGAUGE_TEST_SECONDS"

_SECONDS: defaultdict[str, float] = defaultdict(float)


def pytest_configure() -> None:
    # Not set by whoever starts pytest: this process is measured by pytest-cov already.
    os.environ["COVERAGE_PROCESS_START"] = os.environ[CHILD_SETTINGS]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SECONDS[report.nodeid] += report.duration if report.passed else math.nan


def pytest_sessionfinish() -> None:
    passed = {test: seconds for test, seconds in _SECONDS.items() if math.isfinite(seconds)}
    Path(os.environ[SECONDS]).write_text(json.dumps(passed), "utf-8")
