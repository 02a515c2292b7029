"""Chromium for tests: found on the machine, never downloaded; without it the tests are skipped and say so."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@dataclass
class Watched:
    """A page, and everything it complained about or asked the network for."""

    page: Any
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, report: Path, address: str = "#/") -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{report.as_uri()}/index.html{address}")
        self.ready(address)

    def until(self, condition: str, seconds: float = 20.0) -> None:
        """Wait for a condition in the page. Playwright's own waiting needs `eval`, which the page's policy forbids."""
        deadline = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, f"never came true: {condition}"
            self.page.wait_for_timeout(20)

    def ready(self, address: str) -> None:
        """Wait until the view of that address is drawn."""
        self.until(f"(document.body.dataset.ready || '').startsWith({json.dumps(address)})")

    def go(self, address: str) -> None:
        self.page.evaluate("a => { location.hash = a }", address)
        self.ready(address)


@contextmanager
def launched() -> Iterator[Any]:
    """The browser, headless."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched_page(browser: Any, **settings: Any) -> Iterator[Watched]:
    """A fresh page of that browser."""
    context = browser.new_context(**({"viewport": {"width": 1360, "height": 900}} | settings))
    page = context.new_page()
    watched = Watched(page)
    page.on("console", lambda m: watched.problems.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: watched.problems.append(str(error)))
    page.on("dialog", lambda dialog: (watched.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    local = ("file:", "data:", "about:")
    page.on("request", lambda r: None if r.url.startswith(local) else watched.requests.append(r.url))
    yield watched
    context.close()
