"""Small plain tables, as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from worldgauge.report.plain import plain

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class TextTable:
    """A header, rows of text and a line or two below. `print` and a notebook show it."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> TextTable:
        return cls(tuple(header), tuple(tuple(row) for row in rows), tuple(notes))

    def __str__(self) -> str:
        lines = [[plain(cell) for cell in line] for line in (self.header, *self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.header))]
        # Names to the left, numbers to the right.
        text = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
        return "\n".join([*text, *map(plain, self.notes)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def to_pandas(self) -> pandas.DataFrame:
        """The cells as text."""
        import pandas

        return pandas.DataFrame(list(self.rows), columns=list(self.header))


def need_more(excluded: Mapping[str, str]) -> list[str]:
    """
    >>> need_more({"psnr": "needs a reference video"})
    ['1 metric needs more: .excluded says what']
    """
    count = len(excluded)
    return [f"{count} {'metric needs' if count == 1 else 'metrics need'} more: .excluded says what"] if count else []


def number(value: float | None) -> str:
    """
    >>> number(12.34567), number(None)
    ('12.35', '-')
    """
    return "-" if value is None else f"{value:.4g}"


def interval(ends: tuple[float, float] | None) -> str:
    return f"[{number(ends[0])}, {number(ends[1])}]" if ends else ""
