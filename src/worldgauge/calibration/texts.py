"""Pieces of text that the pages of calibration have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worldgauge.calibration.result import Response, must


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def verdict_text(response: Response) -> str:
    verdict = response.verdict
    if verdict is None:
        return ""
    return f"must {must(verdict)}: {'holds' if verdict.holds else 'not judged' if verdict.holds is None else 'FAILS'}"


def number(value: float | None, form: str = ".3g") -> str:
    return "-" if value is None else format(value, form)
