"""Tables of runs and of published numbers: by domain, under other choices, by family, claims of the paper."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from worldgauge.verbs import AsJson, RunFolders, StorePath, default_store, print_json, print_note, print_table, say


def domains(
    runs: RunFolders,
    columns: Annotated[list[str] | None, typer.Option("--column", help="Only this column; repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Every column by domain and model, with cases, judgements and intervals, and on the cases all models have.

    worldgauge worldolympiad domains runs/longlive runs/wow --column All --column gravity
    """
    from worldgauge.benchmarks.worldolympiad.analyses.domain_tables import COMBINED, domain_cells
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run
    from worldgauge.core.registry import unknown_name

    opened = [opened_run(run) for run in runs]
    known = [use.id for use in opened[0].file.benchmark.metrics] + [g.id for g in opened[0].file.benchmark.groups]
    known.append(COMBINED)
    for column in columns or ():
        if column not in known:
            raise unknown_name("column", column, known)
    cells = domain_cells(opened, columns or ())
    if as_json:
        print_json([cell.to_json() for cell in cells])
        return
    rows = [
        [
            cell.domain,
            cell.column,
            cell.model,
            _number(cell.value),
            _interval(cell.interval),
            str(cell.cases),
            "" if cell.judgements is None else f"{cell.judgements:.0f}",
            _number(cell.common),
            str(cell.common_cases),
        ]
        for cell in cells
        if cell.value is not None
    ]
    head = ["domain", "column", "model", "score", "95 %", "cases", "verdicts", "common", "common cases"]
    print_table(head, rows, range(3, len(head)), keys=3)
    empty = len({cell.column for cell in cells} - {cell.column for cell in cells if cell.value is not None})
    if empty:
        print_note(f"{empty} columns have no score in any domain; --json has them")


def sensitivity(runs: RunFolders, store: StorePath = None, as_json: AsJson = False) -> None:
    """How the ranking changes with lambda, tau, pooling and the physical definition, from stored answers alone.

    worldgauge worldolympiad sensitivity runs/longlive runs/wow runs/cosmos
    """
    from worldgauge.benchmarks.worldolympiad.analyses.sensitivity import Parts
    from worldgauge.benchmarks.worldolympiad.analyses.sensitivity import sensitivity as vary
    from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run

    rows = vary([Parts.of_run(opened_run(run), store or default_store()) for run in runs])
    if as_json:
        print_json(rows)
        return
    names = list(rows[0]["totals"])
    table = [
        [row["knob"], row["setting"], *(_number(row["totals"][name]) for name in names), _number(row["kendall"])]
        for row in rows
    ]
    print_table(["knob", "setting", *names, "Kendall"], table, range(2, len(names) + 3), keys=2)
    changed = [row for row in rows if row["order"] != rows[0]["order"]]
    for row in changed:
        print_note(f"another order with {row['setting']}: {', '.join(row['order'])}")
    say("the order is the same under every setting" if not changed else f"{len(changed)} settings change the order")
    absent = sorted({name for row in rows[:1] for one in row["columns"].values() for name in one if one[name] is None})
    if absent:
        print_note(f"no {', '.join(absent)} in these runs: the total is the mean of the rest")


def claims(as_json: AsJson = False) -> None:
    """What the paper says about its tables, held against them: numbers of cases and the widest intervals."""
    from worldgauge.benchmarks.worldolympiad.analyses.claims import claims as checked

    found = checked()
    if as_json:
        print_json([asdict(claim) for claim in found])
        return
    print_table(
        ["claim", "holds", "at the worse end", "value", "95 % at the widest", "n"],
        [
            [
                claim.says,
                "yes" if claim.holds else "no",
                "yes" if claim.certain else "no",
                _number(claim.value),
                _interval(claim.interval),
                str(claim.n),
            ]
            for claim in found
        ],
        [3, 4, 5],
    )
    for claim in found:
        if claim.note:
            print_note(f"{claim.says}: {claim.note}")


def families(as_json: AsJson = False) -> None:
    """The published rows by family of models, with how many of the 1,000 cases each rests on, domain by domain."""
    from worldgauge.benchmarks.worldolympiad.analyses.claims import family_rows

    rows = family_rows()
    if as_json:
        print_json(rows)
        return
    head = list(rows[0])
    print_table(head, [[_cell(row[name]) for name in head] for row in rows], range(2, len(head)), keys=2)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(ends: Any) -> str:
    return "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
