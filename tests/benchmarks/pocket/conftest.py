"""The browser of the report's tests, for the demo's own report."""

from report.conftest import browser, chromium

__all__ = ["browser", "chromium"]
