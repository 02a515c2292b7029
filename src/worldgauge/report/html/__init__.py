"""The HTML report: one folder that opens from disk, with no network and no external assets."""

from worldgauge.report.html.source import ReportSource
from worldgauge.report.html.write import write_report

__all__ = ["ReportSource", "write_report"]
