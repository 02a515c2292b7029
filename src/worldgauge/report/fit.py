"""Plain text tables that fit a width. Numbers stay whole, text wraps at words, what is left moves to a next block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldgauge.report.wrap import clean, longest_piece, text_width, wrap

GAP = "  "
HEADING_PIECE = 16
"""A heading over numbers is cut into pieces no shorter than this where it has no place to break."""
TIGHT, EASY = 20, 40
"""Least width of a text column: its longest word, at most TIGHT places; a long one at its ease has EASY places."""


@dataclass(frozen=True)
class _Column:
    heading: str
    cells: list[str]
    is_number: bool
    least: int
    whole: int
    """Width of its widest cell."""
    natural: int
    """With the heading."""


def fit_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = (), width: int = 120, keys: int = 1
) -> list[str]:
    """Lines of a table at most `width` wide.

    Columns in `numeric` are right-aligned and never broken: a number that does not fit makes its line too long
    rather than lose a digit. Other columns wrap. Columns that find no place move to a second block (a third, ...),
    and every block begins with the first `keys` columns. A table stays one block where squeezing its text columns
    allows that, unless two blocks are shorter by a third.

    >>> print("\\n".join(fit_table(["model", "psnr ↑", "remark"], [["a", "9.1", "good at turns"]], [1], 22)))
    model  psnr ↑  remark
    ──────────────────────
    a         9.1  good at
                   turns
    >>> print("\\n".join(fit_table(["model", "psnr", "ssim"], [["a", "30.25", "0.125"]], [1, 2], 14)))
    model   psnr
    ────────────
    a      30.25
    <BLANKLINE>
    model   ssim
    ────────────
    a      0.125
    """
    body = [[clean(cell) for cell in row] for row in rows]
    tight = _lines(_columns(header, body, numeric, width, keys, at_ease=False), width, keys)
    if 3 * len(body) >= 2 * len(tight):
        return tight
    easy = _lines(_columns(header, body, numeric, width, keys, at_ease=True), width, keys)
    return easy if 3 * len(easy) < 2 * len(tight) else tight


def _lines(columns: list[_Column], width: int, keys: int) -> list[str]:
    lines: list[str] = []
    for block in _blocks(columns, width, keys):
        lines += [""] if lines else []
        lines += _draw(block, _widths(block, width))
    return lines


def fit_matrix(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int = 120, turned: str = "metric"
) -> list[str]:
    """Lines of a table of numbers, turned on its side where that needs fewer blocks.

    Few models with many metrics read better with metrics down and models across. `turned` is what the first
    column is then called.

    >>> print("\\n".join(fit_matrix(["model", "psnr", "ssim", "flow"], [["Aurora", "30.25", "0.125", "1.5"]], 22)))
    metric  Aurora
    ──────────────
    psnr     30.25
    ssim     0.125
    flow       1.5
    """
    sideways = [turned, *(row[0] for row in rows)]
    body = [[name, *(row[i] for row in rows)] for i, name in enumerate(header) if i]
    ways = [(header, rows)] if len(header) == 1 else [(header, rows), (sideways, body)]
    head, lines = min(ways, key=lambda way: _count_blocks(way[0], way[1], width))
    return fit_table(head, lines, range(1, len(head)), width)


def _count_blocks(header: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> int:
    columns = _columns(header, [[*row] for row in rows], range(1, len(header)), width, 1, at_ease=False)
    return len(_blocks(columns, width, 1))


def align_numbers(cells: Sequence[str]) -> list[str]:
    """Cells like `12.50 ± 0.25 (3/4)`, padded so that equal parts stand below one another.

    >>> align_numbers(["9.5 ± 0.25 (3/4)", "12.5 ± 10.0", "-"])
    [' 9.5 ± 0.25 (3/4)', '12.5 ± 10.0      ', '   -             ']
    """
    parts = [_parts(cell) for cell in cells]
    sizes = [max((text_width(row[i]) for row in parts), default=0) for i in range(3)]
    return [
        _pad(value, sizes[0], True) + _pad(half, sizes[1], True) + _pad(coverage, sizes[2], False)
        for value, half, coverage in parts
    ]


def _parts(cell: str) -> tuple[str, str, str]:
    rest, bracket, coverage = cell.partition(" (")
    value, sign, half = rest.partition(" ± ")
    return value, f" ± {half}" if sign else "", f" ({coverage}" if bracket else ""


def _columns(
    header: Sequence[str], body: Sequence[Sequence[str]], numeric: Iterable[int], width: int, keys: int, at_ease: bool
) -> list[_Column]:
    right = set(numeric)
    columns = []
    for i, heading in enumerate(map(clean, header)):
        # The arrow that says which way is better stays with the name's end.
        heading = heading.replace(" ↑", "\N{NO-BREAK SPACE}↑").replace(" ↓", "\N{NO-BREAK SPACE}↓")
        cells = [row[i] for row in body]
        if i in right:
            cells = _aligned(cells)
        whole = max(map(text_width, set(cells)), default=0)
        natural = max(whole, text_width(heading))
        if i in right:
            least = max(whole, min(longest_piece(heading), HEADING_PIECE))
        elif i < keys:
            # A row is found by its key, so a key is broken only where it would take the place of the table.
            least = width // (keys + 2)
        else:
            words = max(map(longest_piece, {heading, *cells}))
            least = EASY if at_ease and natural > EASY else min(words, TIGHT)
        columns.append(_Column(heading, cells, i in right, min(least, natural), whole, natural))
    return columns


def _aligned(cells: list[str]) -> list[str]:
    return align_numbers(cells) if any(" ± " in cell for cell in cells) else cells


def _blocks(columns: list[_Column], width: int, keys: int) -> list[list[_Column]]:
    """Columns shared out over as few blocks as possible, each about equally wide."""
    first, rest = columns[:keys], columns[keys:]
    room = width - sum(c.least + len(GAP) for c in first)
    shared = _share(rest, room)
    while room > 0 and len(narrower := _share(rest, room - 1)) == len(shared):
        shared, room = narrower, room - 1
    return [[*first, *block] for block in shared]


def _share(columns: list[_Column], room: int) -> list[list[_Column]]:
    """As many columns to a block as its room allows, at least one."""
    blocks: list[list[_Column]] = [[]]
    for column in columns:
        taken = sum(c.least + len(GAP) for c in blocks[-1])
        if blocks[-1] and taken + column.least > room:
            blocks.append([])
        blocks[-1].append(column)
    return blocks


def _widths(block: list[_Column], width: int) -> list[int]:
    """Every column gets what it needs; what is left goes, place by place, to the one that wraps most."""
    room = width - len(GAP) * (len(block) - 1)
    widths = [c.least for c in block]
    for _ in range(room - sum(widths)):
        wanting = [i for i, c in enumerate(block) if widths[i] < c.natural]
        if not wanting:
            break
        widths[max(wanting, key=lambda i: block[i].natural / max(widths[i], 1))] += 1
    # What a column does not use, because it wraps all the same, may spare others the wrapping: cells before headings.
    widths = [max(map(text_width, _wrapped(c, w))) for c, w in zip(block, widths, strict=True)]
    for i in sorted(range(len(block)), key=lambda i: (block[i].whole <= widths[i], block[i].natural - widths[i])):
        if sum(widths) + block[i].natural - widths[i] <= room:
            widths[i] = block[i].natural
    return widths


def _wrapped(column: _Column, width: int) -> list[str]:
    """All lines of a column."""
    cells = column.cells if column.is_number else [line for cell in set(column.cells) for line in wrap(cell, width)]
    return [*wrap(column.heading, width), *cells]


def _draw(block: list[_Column], widths: list[int]) -> list[str]:
    headings = [wrap(c.heading, w) for c, w in zip(block, widths, strict=True)]
    height = max(map(len, headings))
    # Headings stand on the rule, cells hang from it.
    lines = _join([[""] * (height - len(h)) + h for h in headings], block, widths)
    lines.append("─" * (sum(widths) + len(GAP) * (len(block) - 1)))
    for row in range(len(block[0].cells)):
        cells = [[c.cells[row]] if c.is_number else wrap(c.cells[row], w) for c, w in zip(block, widths, strict=True)]
        lines += _join(cells, block, widths)
    return lines


def _join(cells: list[list[str]], block: list[_Column], widths: list[int]) -> list[str]:
    lines = []
    for k in range(max(map(len, cells))):
        parts = [
            _pad(cell[k] if k < len(cell) else "", w, c.is_number)
            for cell, c, w in zip(cells, block, widths, strict=True)
        ]
        lines.append(GAP.join(parts).rstrip().replace("\N{NO-BREAK SPACE}", " "))
    return lines


def _pad(text: str, width: int, right: bool) -> str:
    """`str.rjust` and `str.ljust` by the places that characters take on a terminal."""
    blanks = " " * (width - text_width(text))
    return blanks + text if right else text + blanks
