"""Runs side by side as Markdown, CSV, JSON or LaTeX. Columns are comparable or the table is refused."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from worldgauge.core.aggregate import Tree, score_unit
from worldgauge.report.comparable import check_comparable
from worldgauge.report.constants import constant_rows
from worldgauge.report.fit import fit_matrix
from worldgauge.report.folded import folded
from worldgauge.report.notes import FLAWED, RANK_DEPENDS, number_of_table, table_notes
from worldgauge.report.places import CONSTANT, Place, Ranks, contestants, places, possible_ranks, ranks_in_words
from worldgauge.report.plain import csv_text, json_text, markdown_text, plain
from worldgauge.report.summary import Score, Summary
from worldgauge.report.unofficial import UNOFFICIAL, unofficial_columns

ARROWS = {True: " ↑", False: " ↓", None: ""}
"""Behind a name: which way is better, where one is."""


@dataclass(frozen=True)
class Column:
    """A metric or a group."""

    id: str
    unit: str
    higher_is_better: bool | None
    known_flaw: str = ""
    """What it ranks too high, where its benchmark knows; the heading is marked."""
    not_official: tuple[str, ...] = ()
    """What is not official about the instruments of a row; the heading is marked."""

    @property
    def marks(self) -> str:
        """What stands behind the name; a note below the table explains each."""
        return (FLAWED if self.known_flaw else "") + (UNOFFICIAL if self.not_official else "")

    @property
    def heading(self) -> str:
        arrow = ARROWS[self.higher_is_better]
        return f"{self.id}{self.marks}{arrow}" + (f" [{self.unit}]" if self.unit else "")


@dataclass(frozen=True)
class Row:
    """A model's scores."""

    model: str
    scores: dict[str, Score]
    """By the id of the column."""
    baseline: str = ""
    """What the row stands for (oracle, frozen, ...) when it is no model under test."""


@dataclass(frozen=True)
class Table:
    """Models by columns."""

    columns: list[Column]
    rows: list[Row]
    notes: list[str]
    folded: tuple[Column, ...] = ()
    """Columns about none of the cases: in files for programs, not in tables for people."""

    @cached_property
    def ranks(self) -> dict[tuple[int, str], Ranks]:
        """Number of a row and id of a column to the ranks it can have there, among those that compete."""
        ranked = contestants([row.baseline for row in self.rows])
        found: dict[tuple[int, str], Ranks] = {}
        for column in self.columns:
            scores = {k: self.rows[k].scores.get(column.id) for k in ranked}
            ends = {k: score.ends if score else None for k, score in scores.items()}
            of_column = possible_ranks(ends, column.higher_is_better)
            found |= {(k, column.id): ranks for k, ranks in of_column.items()}
        return found


def build_table(summaries: list[Summary]) -> Table:
    """One row per run. Raises when two runs mean different things by the same name."""
    check_comparable([s.run for s in summaries])
    files = [s.run.file for s in summaries]
    columns: dict[str, Column] = {}
    known = {d.id: d for file in files for d in file.definitions}
    tree = Tree(files[0].benchmark, list(known.values()))
    for file in files:
        for group in file.benchmark.groups:
            columns.setdefault(group.id, Column(group.id, "", tree.higher_is_better(group.id)))
    for file in files:
        for d in file.definitions:
            columns.setdefault(d.id, Column(d.id, score_unit(d), tree.higher_is_better(d.id)))
    rows = [Row(s.run.name, {**s.groups, **s.metrics}, s.run.file.model.stands_for) for s in summaries]
    rows += [Row(name, scores, CONSTANT) for name, scores in constant_rows(summaries).items()]
    ranks = Table(list(columns.values()), rows, []).ranks
    flaws, ranked = files[0].benchmark.known_flaws, {column for _, column in ranks}
    others = unofficial_columns([s.run for s in summaries])
    marked = [
        replace(c, known_flaw=flaws.get(c.id, "") if c.id in ranked else "", not_official=tuple(others.get(c.id, ())))
        for c in columns.values()
    ]
    hidden = set(folded(summaries))
    return Table(
        [column for column in marked if column.id not in hidden],
        rows,
        table_notes(summaries, ranks),
        tuple(column for column in marked if column.id in hidden),
    )


def terminal_cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """Header and rows for a terminal: score, half width of the interval, coverage where it is not full, and a mark
    where the rank depends on what could not be measured."""
    rows = [
        [row.model, *(_plain(row.scores.get(c.id), table.ranks.get((k, c.id))) for c in table.columns)]
        for k, row in enumerate(table.rows)
    ]
    return ["model", *(c.heading for c in table.columns)], rows


def to_text(table: Table) -> str:
    """As a terminal shows it, for a file."""
    return "\n".join([*fit_matrix(*terminal_cells(table)), "", *map(plain, table.notes)]) + "\n"


def to_markdown(table: Table) -> str:
    """A GitHub table; notes below."""
    header, rows = terminal_cells(table)
    named = [[markdown_text(row[0]), *row[1:]] for row in rows]
    heads = [markdown_text(c.id) + c.heading.removeprefix(c.id).replace("|", "\\|") for c in table.columns]
    lines = [[header[0], *heads], ["---", *["---:"] * len(table.columns)], *named]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return text + "\n" + "".join(f"\n{_sentence(note)}\n" for note in table.notes)


def to_csv(table: Table) -> str:
    """One line per model; per column its value, interval, bounds and coverage; last, which baseline it is."""
    stream, columns = io.StringIO(), [*table.columns, *table.folded]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            "model",
            *(csv_text(plain(f"{column.id}{part}")) for column in columns for part in _CSV_PARTS),
            "baseline",
        ]
    )
    for k, row in enumerate(table.rows):
        cells: list[object] = [csv_text(plain(row.model))]
        for column in columns:
            cells += _csv_cells(row.scores.get(column.id), column, table.ranks.get((k, column.id)))
        writer.writerow([*cells, csv_text(plain(row.baseline))])
    return stream.getvalue()


_CSV_PARTS = (
    *("", ".low", ".high", ".if_worst", ".if_best", ".spread"),
    *(".scored", ".expected", ".as_worst", ".rank", ".last_rank", ".not_official"),
)
"""Value, 95 % interval, bounds, spread between takes, coverage, clips that count as worst, first and last rank, and
what is not official about the instruments of the column."""


def _csv_cells(score: Score | None, column: Column, ranks: Ranks | None) -> list[object]:
    if score is None:
        return [""] * len(_CSV_PARTS)
    bounds: list[object] = ["", ""]
    if score.bounds is not None:
        bounds = ["unbounded" if end is None else end for end in score.bounds]
    if column.higher_is_better is False:
        bounds.reverse()
    numbers = (score.value, *(score.interval or (None, None)), *bounds, score.spread)
    shown = ("" if number is None else number for number in numbers)
    others = csv_text(plain("; ".join(column.not_official)))
    return [*shown, score.scored, score.expected, score.as_worst, *(ranks or ("", "")), others]


def to_json(table: Table) -> str:
    """Every score with its interval, coverage and statuses."""
    content = {
        "columns": [
            {"id": c.id, "unit": c.unit, "higher_is_better": c.higher_is_better}
            | ({"known_flaw": c.known_flaw} if c.known_flaw else {})
            | ({"not_official": list(c.not_official)} if c.not_official else {})
            for c in (*table.columns, *table.folded)
        ],
        "models": [
            {
                "model": row.model,
                "baseline": row.baseline,
                "scores": {
                    key: score.to_json() | {"ranks": table.ranks.get((k, key))} for key, score in row.scores.items()
                },
            }
            for k, row in enumerate(table.rows)
        ],
        "notes": table.notes,
    }
    return json_text(json.dumps(content, indent=1, ensure_ascii=False)) + "\n"


def to_latex(table: Table, intervals: bool = False) -> str:
    """A booktabs table: best in bold, second underlined; on demand with half the 95 % interval behind each score.

    Baselines stand below a rule of their own and are not ranked. A raised `1--3` tells between which ranks a score
    lies, whatever clips without a score are worth.

    Names in scripts that pdfLaTeX does not know need a Unicode engine (XeLaTeX, LuaLaTeX).
    """
    header = " & ".join(["Model", *(_tex(c.id) + _flaw(c) + _arrow(c) for c in table.columns)])
    lines = [r"\begin{tabular}{l" + "r" * len(table.columns) + "}", r"\toprule", header + r" \\", r"\midrule"]
    ranked = contestants([row.baseline for row in table.rows])
    apart = [k for k in range(len(table.rows)) if k not in ranked]
    medals = {c.id: places({k: _value(table.rows[k], c) for k in ranked}, c.higher_is_better) for c in table.columns}
    for k in [*ranked, *apart]:
        if apart and k == apart[0]:
            lines.append(r"\midrule")
        row = table.rows[k]
        cells = [_tex(row.model)]
        for column in table.columns:
            score = row.scores.get(column.id)
            if score is None or score.value is None:
                cells.append("--")
                continue
            text = number_of_table(score.value)
            medal = medals[column.id].get(k)
            if medal is not None:
                text = rf"\{_MEDALS[medal]}{{{text}}}"
            if intervals and score.interval:
                text += rf" {{\scriptsize $\pm$ {_half_width(score.interval)}}}"
            if score.scored != score.expected:
                text += rf" {{\scriptsize ({score.coverage_in_words})}}"
            if depends := ranks_in_words(table.ranks.get((k, column.id)), "--"):
                text += rf"\textsuperscript{{{depends}}}"
            cells.append(text)
        lines.append(" & ".join(cells) + r" \\")
    # A line break inside a note would end the comment.
    notes = "".join(f"% {plain(' '.join(note.split()))}\n" for note in table.notes)
    return notes + "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


_MEDALS: dict[Place, str] = {"best": "textbf", "second": "underline"}
FORMATS: dict[str, Callable[[Table], str]] = {"md": to_markdown, "csv": to_csv, "json": to_json, "tex": to_latex}


def _value(row: Row, column: Column) -> float | None:
    score = row.scores.get(column.id)
    return score.value if score else None


def _sentence(note: str) -> str:
    """A note with names in it, as Markdown: no tag and no line of its own may come out of a name."""
    return plain(note).replace("&", "&amp;").replace("<", "&lt;")


def _plain(score: Score | None, ranks: Ranks | None) -> str:
    if score is None or score.value is None:
        return "-"
    text = number_of_table(score.value)
    if score.interval:
        text += f" ± {_half_width(score.interval)}"
    depends = ranks_in_words(ranks)
    remark = score.coverage_in_words if score.scored != score.expected else ""
    remark += RANK_DEPENDS if depends else ""
    return f"{text} ({remark})" if remark else text


def _half_width(interval: tuple[float, float]) -> str:
    return number_of_table((interval[1] - interval[0]) / 2)


def _flaw(column: Column) -> str:
    signs = (r"\dag" if column.known_flaw else "") + (r"\ddag" if column.not_official else "")
    return rf"\textsuperscript{{{signs}}}" if signs else ""


def _arrow(column: Column) -> str:
    return {True: r" $\uparrow$", False: r" $\downarrow$", None: ""}[column.higher_is_better]


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': "''"}
_TEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_TEX |= {c: "\\" + c for c in "&%$#_{}"}
# A row that begins with one of these would be read as an argument of the line break before it.
_TEX |= {c: "{" + c + "}" for c in "[]*"}


def _tex(text: str) -> str:
    """Any text as LaTeX that prints it; line breaks become blanks, marks that print nothing are dropped.

    >>> _tex("[50%] a_b\\u200f")
    '{[}50\\\\%{]} a\\\\_b'
    """
    printed = "".join(c for c in " ".join(text.split()) if unicodedata.category(c)[0] != "C")
    # Two hyphens would become a dash.
    return "".join(_TEX.get(character, character) for character in printed).replace("--", "-{}-")
