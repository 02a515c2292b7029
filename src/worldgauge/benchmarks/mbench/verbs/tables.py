"""Commands that read runs: tables by subset, trigger curves, the board's files, published numbers, sweeps, votes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.core.run_folder import Run
from worldgauge.verbs import (
    AsJson,
    RunFolder,
    RunFolders,
    StorePath,
    Unofficial,
    default_store,
    print_json,
    print_note,
    print_table,
    say,
)


def subsets(
    run: RunFolder,
    by: Annotated[list[str] | None, typer.Option("--by", help="A tag of the cases; repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Reliability, trigger rate, M-Score and counts by subset, way of hiding and direction."""
    from worldgauge.benchmarks.mbench.analyses.subsets import TAGS, subset_table

    lines = subset_table(Run(run), by or TAGS)
    if as_json:
        print_json([line.to_json() for line in lines])
        return
    header = ["tag", "value", "score", "reliability", "trigger rate", "M-Score", "scored", "triggered", "cases"]
    rows = [[_cell(value) for value in line.to_json().values()] for line in lines]
    print_table(header, rows, range(3, len(header)), keys=3)


def segments(run: RunFolder, as_json: AsJson = False) -> None:
    """Scores that are means over frames by segment: of the captions, or of the action script."""
    from worldgauge.benchmarks.mbench.analyses.segments import segment_table

    lines = segment_table(Run(run))
    if as_json:
        print_json([line.to_json() for line in lines])
        return
    header = ["score", "segment", "mean", "clips"]
    print_table(header, [[_cell(value) for value in line.to_json().values()] for line in lines], [2, 3], keys=2)


def triggers(run: RunFolder, as_json: AsJson = False) -> None:
    """Trigger rate, reliability and M-Score of text clips over the confidence a judge must have."""
    from worldgauge.benchmarks.mbench.analyses.confidence import confidence_curve

    rows = confidence_curve(Run(run))
    if as_json:
        print_json(rows)
        return
    header = ["score", "cut", "triggered", "of", "trigger rate", "reliability", "M-Score"]
    print_table(header, [[_cell(value) for value in row.values()] for row in rows], range(1, len(header)), keys=1)


def board(
    run: Annotated[Path, typer.Argument(help="Run folder, or with --read a ZIP.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="ZIP to write.")] = None,
    link: Annotated[str, typer.Option("--link", help="Where the model is described: the board asks for it.")] = "",
    setting: Annotated[str, typer.Option("--setting", help="t or a, where a run has both.")] = "",
    read: Annotated[bool, typer.Option("--read", help="Check a ZIP by the board's rules instead.")] = False,
    unofficial: Unofficial = False,
    as_json: AsJson = False,
) -> None:
    """Write the board's submission of a run, with items and units behind it; or check one.

    A run that is not official is refused with the reasons.
    """
    from worldgauge.benchmarks.mbench.official.board import read_board
    from worldgauge.benchmarks.mbench.official.from_run import write_submission
    from worldgauge.core.errors import WorldGaugeError

    if read:
        found = read_board(run)
    elif out is None or not link:
        raise WorldGaugeError("the board's files need --out and --link", "write --link https://... -o submission.zip")
    else:
        found = write_submission(Run(run), out, link, setting, allow_unofficial=unofficial)
    if as_json:
        print_json(found.submission)
        return
    print_table(["field", "value"], [[key, _cell(value)] for key, value in found.submission.items()], [1], keys=1)
    for name, rows in sorted(found.files.items()):
        say(f"verification/{name}: {len(rows)}")
    for line in found.note.splitlines():
        print_note(line)


def published(
    run: Annotated[Path | None, typer.Argument(help="A run to show as well.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """The paper's Tables 2 and 3; a run beside them where that is fair, else in a block of its own with the reasons."""
    from worldgauge.core.published import published_tables
    from worldgauge.report.beside_published import held_against
    from worldgauge.report.published_print import print_published
    from worldgauge.report.summary import summarise

    summaries = [] if run is None else [summarise(Run(run))]
    held = [held_against(table, summaries if table.protocol else ()) for table in published_tables("mbench")]
    print_published(held, "json" if as_json else "terminal")


def consistency(as_json: AsJson = False) -> None:
    """Do the paper's Tables 2 and 3 hold together? Totals from columns, and what contradicts the formulas."""
    from worldgauge.benchmarks.mbench.analyses.table_consistency import consistency as worked_out

    found = worked_out()
    if as_json:
        print_json(found.to_json())
        return
    header = ["model", "setting", "entity", "environment", "causal", "total", "printed"]
    rows = [[_cell(value) for value in asdict(row).values()] for row in found.rows]
    print_table(header, rows, range(2, len(header)), keys=2)
    say(f"{sum(row.holds for row in found.rows)} of {len(found.rows)} totals follow from the columns")
    for remark in found.remarks:
        say(f"- {remark}")


def sweep(
    runs: RunFolders,
    of: Annotated[str, typer.Option("--of", help="What to vary, for example lighting.tau.")],
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """How the ranking of models depends on an open choice: scores computed again from stored signals."""
    from worldgauge.benchmarks.mbench.analyses.sweeps import LEAST_MODELS
    from worldgauge.benchmarks.mbench.analyses.sweeps import sweep as swept

    found = swept([Run(run) for run in runs], store or default_store(), of)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    models = list(found[0].means)
    header = ["column", of, *models, "tau", "flips"]
    rows = [
        [
            one.column,
            f"{one.value}{' (run)' if one.default else ''}",
            *(_cell(one.means.get(model)) for model in models),
            _cell(one.tau),
            "; ".join(f"{a} / {b}" for a, b in one.flips) or "-",
        ]
        for one in found
    ]
    print_table(header, rows, range(2, 3 + len(models)), keys=2)
    if len(models) < LEAST_MODELS:
        print_note(f"a rank correlation over {len(models)} models says little; take {LEAST_MODELS} or more")


def votes(
    file: Annotated[Path, typer.Argument(help="Votes in the released form, JSON or JSON lines.", show_default=False)],
    runs: Annotated[list[Path] | None, typer.Argument(help="Runs of the models.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """People's votes: majorities, win ratios, and their agreement with the scores and triggers of runs."""
    from worldgauge.benchmarks.mbench.analyses.study import study

    found = study(file, [Run(run) for run in runs or ()])
    if as_json:
        print_json(found)
        return
    say(f"votes {found['records']}, pairs {found['pairs']}, without a majority {found['split']}")
    rows = [
        [
            one["dimension"],
            one["setting"],
            _cell(one["pairs"]),
            _cell(one["rho"]),
            _ends(one["rho_interval"]),
            _cell(one["tau"]),
            _ends(one["tau_interval"]),
        ]
        for one in found["agreement"]
    ]
    if rows:
        print_table(["dimension", "setting", "pairs", "rho", "95 %", "tau", "95 %"], rows, range(2, 7), keys=2)
    for ratios in found["win_ratios"]:
        models = ", ".join(f"{model} {ratio:.2f}" for model, ratio in ratios["models"].items())
        say(f"{ratios['dimension']} ({ratios['setting']}): {models}")
    if found["triggers"]:
        labels = [[_cell(value) for value in row.values()] for row in found["triggers"]]
        print_table(["subset", "clips", "accuracy", "precision", "recall", "F1"], labels, range(1, 6), keys=1)


def _ends(ends: tuple[float, float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
