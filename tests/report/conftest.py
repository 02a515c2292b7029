"""A browser for the modules that have a `report` fixture: the folder of a written report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from report.browser import Watched, launched, watched_page


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with launched() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Any, report: Path) -> Iterator[Watched]:
    with watched_page(chromium) as watched:
        watched.open(report)
        yield watched
        # Whatever a test did: no console error, no network request.
        assert watched.problems == []
        assert watched.requests == []
