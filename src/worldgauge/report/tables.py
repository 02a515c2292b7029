"""Runs side by side as Markdown, CSV, JSON or LaTeX. Columns are comparable or the table is refused."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldgauge.core.aggregate import Tree, score_unit
from worldgauge.report.comparable import check_comparable, unlike_cases
from worldgauge.report.fit import fit_matrix
from worldgauge.report.places import Place, contestants, places
from worldgauge.report.plain import csv_text, json_text, markdown_text, plain
from worldgauge.report.summary import Score, Summary
from worldgauge.report.unofficial import unofficial_notes


@dataclass(frozen=True)
class Column:
    """A metric or a group."""

    id: str
    unit: str
    higher_is_better: bool | None

    @property
    def heading(self) -> str:
        arrow = {True: " ↑", False: " ↓", None: ""}[self.higher_is_better]
        return f"{self.id}{arrow}" + (f" [{self.unit}]" if self.unit else "")


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
    return Table(list(columns.values()), rows, _notes(summaries))


def terminal_cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """Header and rows for a terminal: score, half width of the interval, coverage where it is not full."""
    rows = [[row.model, *(_plain(row.scores.get(c.id)) for c in table.columns)] for row in table.rows]
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
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            "model",
            *(csv_text(plain(f"{column.id}{part}")) for column in table.columns for part in _CSV_PARTS),
            "baseline",
        ]
    )
    for row in table.rows:
        cells: list[object] = [csv_text(plain(row.model))]
        for column in table.columns:
            cells += _csv_cells(row.scores.get(column.id))
        writer.writerow([*cells, csv_text(plain(row.baseline))])
    return stream.getvalue()


_CSV_PARTS = ("", ".low", ".high", ".if_worst", ".if_best", ".spread", ".scored", ".expected")
"""Value, 95 % interval, bounds of what could not be measured, spread between takes, coverage."""


def _csv_cells(score: Score | None) -> list[object]:
    if score is None:
        return [""] * len(_CSV_PARTS)
    numbers = [score.value, *(score.interval or (None, None)), *(score.bounds or (None, None)), score.spread]
    return [*("" if number is None else number for number in numbers), score.scored, score.expected]


def to_json(table: Table) -> str:
    """Every score with its interval, coverage and statuses."""
    content = {
        "columns": [{"id": c.id, "unit": c.unit, "higher_is_better": c.higher_is_better} for c in table.columns],
        "models": [
            {
                "model": row.model,
                "baseline": row.baseline,
                "scores": {key: score.to_json() for key, score in row.scores.items()},
            }
            for row in table.rows
        ],
        "notes": table.notes,
    }
    return json_text(json.dumps(content, indent=1, ensure_ascii=False)) + "\n"


def to_latex(table: Table, intervals: bool = False) -> str:
    """A booktabs table: best in bold, second underlined; on demand with half the 95 % interval behind each score.

    Baselines stand below a rule of their own and are not ranked.

    Names in scripts that pdfLaTeX does not know need a Unicode engine (XeLaTeX, LuaLaTeX).
    """
    header = " & ".join(["Model", *(_tex(c.id) + _arrow(c) for c in table.columns)])
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
            text = _number(score.value)
            medal = medals[column.id].get(k)
            if medal is not None:
                text = rf"\{_MEDALS[medal]}{{{text}}}"
            if intervals and score.interval:
                text += rf" {{\scriptsize $\pm$ {_half_width(score.interval)}}}"
            if score.scored != score.expected:
                text += rf" {{\scriptsize ({score.scored}/{score.expected})}}"
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


def _notes(summaries: list[Summary]) -> list[str]:
    file = summaries[0].run.file
    sets = sorted({", ".join(f"{seat}={name}" for seat, name in s.run.file.instruments.items()) for s in summaries})
    cases = sorted({s.run.file.cases for s in summaries})
    samples = {s.run.file.sample.model_dump_json() if s.run.file.sample else "" for s in summaries}
    count = f"{cases[0]} cases" if len(cases) == 1 else f"{cases[0]} to {cases[-1]} cases"
    notes = [
        f"{file.benchmark.title or file.benchmark.name}, protocol {file.protocol}, {count}. "
        f"Value ± half of the 95 % interval (cluster bootstrap); (scored/expected) where coverage is not full.",
        *(f"Instruments: {names}." for names in sets if names),
        *unofficial_notes([summary.run for summary in summaries]),
        *unlike_notes(summaries),
    ]
    if file.sample is not None and len(samples) == 1:
        notes.append(f"A sample: {file.cases} of {file.sample.of} cases, drawn with seed {file.sample.seed}.")
    spreads = [s.spread for summary in summaries for s in summary.scores.values() if s.spread is not None]
    if spreads:
        notes.append("Several takes of each case, joined case by case; JSON and CSV have the spread between takes.")
    baselines = [s.run.name for s in summaries if s.run.file.model.stands_for]
    if baselines:
        notes.append(f"Baselines, not ranked: {', '.join(baselines)}.")
    notes += _policy(summaries)
    notes += _reasons(summaries)
    notes += _bounds(summaries)
    notes += [f"{s.run.name}: {sentence}" for s in summaries for sentence in s.run.left_out.sentences()]
    return notes


def unlike_notes(summaries: Sequence[Summary]) -> list[str]:
    """What keeps rows of one table from being compared without care, one line each."""
    files = [summary.run.file for summary in summaries]
    unlike = unlike_cases([file.cases for file in files], [summary.cases for summary in summaries])
    notes = [f"{unlike}; 'compare' takes those in common."] if unlike else []
    if len({file.sample.model_dump_json() if file.sample else "" for file in files}) > 1:
        notes.append("Some runs are of a sample, others of more: their scores are over different cases.")
    return notes


def _policy(summaries: list[Summary]) -> list[str]:
    """Absent videos that count, so that nobody takes the score for one of what the model made."""
    models: dict[str, list[str]] = {}
    for summary in summaries:
        for note in summary.policy_notes():
            models.setdefault(note, []).append(summary.run.name)
    return [f"{note}{_of(names, summaries)}." for note, names in models.items()]


def _reasons(summaries: list[Summary]) -> list[str]:
    """Why scores are missing, one line per column and reason."""
    models: dict[tuple[str, str], list[str]] = {}
    for summary in summaries:
        for score in summary.scores.values():
            if score.value is None and score.reason:
                models.setdefault((score.id, score.reason), []).append(summary.run.name)
    return [f"{column}: {reason}{_of(names, summaries)}." for (column, reason), names in models.items()]


def _bounds(summaries: list[Summary]) -> list[str]:
    """Between which numbers a score lies, whatever the clips are worth that could not be measured."""
    found: dict[str, list[str]] = {}
    for summary in summaries:
        for score in summary.scores.values():
            if score.bounds is not None:
                low, high = ("unbounded" if end is None else _number(end) for end in score.bounds)
                found.setdefault(score.id, []).append(f"{summary.run.name} {low} to {high}")
    lines = [f"{column}: {', '.join(of_models)}." for column, of_models in found.items()]
    return ["If unscored clips counted as worst or best:", *lines] if lines else []


def _sentence(note: str) -> str:
    """A note with names in it, as Markdown: no tag and no line of its own may come out of a name."""
    return plain(note).replace("&", "&amp;").replace("<", "&lt;")


def _of(names: list[str], summaries: list[Summary]) -> str:
    return "" if len(names) == len(summaries) else f" ({', '.join(names)})"


def _plain(score: Score | None) -> str:
    if score is None or score.value is None:
        return "-"
    text = _number(score.value)
    if score.interval:
        text += f" ± {_half_width(score.interval)}"
    return text if score.scored == score.expected else f"{text} ({score.scored}/{score.expected})"


def _half_width(interval: tuple[float, float]) -> str:
    return _number((interval[1] - interval[0]) / 2)


def _number(value: float) -> str:
    """Two decimals from 10 up, three below: as many as the field's tables show."""
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}"


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
