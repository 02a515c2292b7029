"""`worldgauge compare`: two models on the same cases."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.run_places import known_run
from worldgauge.verbs import AsJson, StorePath, default_store, print_json, print_note, print_table, say

if TYPE_CHECKING:
    from worldgauge.api.comparing import Comparison
    from worldgauge.report.difference import Difference
    from worldgauge.report.joint import Joint

app = typer.Typer()


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A run folder.", parser=known_run, metavar="RUN", show_default=False)],
    second: Annotated[
        Path,
        typer.Argument(
            help="Another run folder of the same benchmark.", parser=known_run, metavar="RUN", show_default=False
        ),
    ],
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", envvar="WORLDGAUGE_METRIC", help="List cases by this metric.")
    ] = None,
    cases: Annotated[
        int, typer.Option("--cases", "-n", min=0, envvar="WORLDGAUGE_CASES", help="Cases listed at either end.")
    ] = 5,
    html: Annotated[
        Path | None, typer.Option("--html", envvar="WORLDGAUGE_HTML", help="Also write a report into this folder.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Paired differences with intervals and tests, and the cases where the two differ most.

    \b
    Examples:
      worldgauge compare runs/blocks/model-a runs/blocks/model-b
      worldgauge compare runs/blocks/model-a runs/blocks/model-b --metric psnr --html report/
    """
    from worldgauge.api.comparing import compare as compare_runs
    from worldgauge.core.registry import unknown_name

    comparison = compare_runs(first, second)
    joint, differences = comparison.joint, comparison.differences
    ids = [d.id for d in joint.definitions]
    if metric is not None and metric not in ids:
        raise unknown_name("metric", metric, ids)
    chosen = metric or next((i for i in ids if i not in comparison.unpaired), None)
    ends = _ends(joint, ids.index(chosen), cases) if chosen is not None else []
    if as_json:
        print_json(_json(joint, differences, chosen, ends))
    else:
        _print(comparison, chosen, ends)
    if html is not None:
        from worldgauge.calibration.for_report import shipped_calibration
        from worldgauge.engine.evidence import stored_evidence
        from worldgauge.engine.store import Store
        from worldgauge.report.html import ReportSource, write_report

        evidence = stored_evidence(Store(store or default_store()))
        page = write_report(ReportSource(joint.runs, evidence=evidence, calibration=shipped_calibration), html)
        if not as_json:
            say(f"report: {page}#/compare/0/1")


def _ends(joint: Joint, m: int, number: int) -> list[tuple[str, float, float]]:
    """The cases where the two differ most, from where the first is better to where the second is: id, first, second.

    Where neither way is better, the largest difference comes first.
    """
    import numpy as np

    from worldgauge.core.aggregate import case_direction

    a, b = joint.values[:, m]
    shared = np.flatnonzero(np.isfinite(a - b))
    sign = 1 if case_direction(joint.definitions[m]) is False else -1
    order = shared[np.argsort(sign * (a - b)[shared], kind="stable")]
    kept = order if len(order) <= 2 * number else np.concatenate([order[:number], order[len(order) - number :]])
    return [(joint.cases[i], float(a[i]), float(b[i])) for i in kept]


def _print(comparison: Comparison, metric: str | None, ends: list[tuple[str, float, float]]) -> None:
    from worldgauge.core.aggregate import case_direction

    joint, table = comparison.joint, comparison.table()
    names = comparison.names
    if not table.rows:
        raise WorldGaugeError(
            f"{' and '.join(str(run.folder) for run in joint.runs)} have no case with a number in both",
            "compare runs over the same cases with the same metrics",
        )
    print_table(table.header, table.rows, numeric=range(1, len(table.header)))
    print_note(f"difference: {names[0]} minus {names[1]}, paired over shared cases; scenes resampled and sign-flipped")
    print_note("↑ larger is better, ↓ smaller is; better: at 5 % after Holm; p of groups: Student's t, resampled error")
    if _uneven(joint):
        print_note("scores: each over all cases of its run, so they need not differ by what shared cases differ by")
    for note in comparison.notes:
        print_note(note)
    print_note("detectable: the true difference that this many scenes would show with 80 % power")
    if metric is not None and ends:
        definition = next(d for d in joint.definitions if d.id == metric)
        top = "largest first" if case_direction(definition) is None else f"first those where {names[0]} is better"
        say()
        say(f"cases by difference in {metric}, {top}")
        listed = [(case, f"{a:.5g}", f"{b:.5g}", f"{a - b:+.5g}") for case, a, b in ends]
        print_table(("case", *names, "difference"), listed, numeric=(1, 2, 3))


def _uneven(joint: Joint) -> bool:
    """Whether some case is scored in one of the runs only."""
    import numpy as np

    first, second = np.isfinite(joint.values)
    return bool((first != second).any())


def _json(
    joint: Joint, differences: dict[str, Difference], metric: str | None, ends: list[tuple[str, float, float]]
) -> dict[str, Any]:
    return {
        "first": joint.runs[0].name,
        "second": joint.runs[1].name,
        "clusters": len(joint.cluster_names),
        "differences": {key: asdict(d) for key, d in differences.items()},
        "metric": metric,
        "cases": [{"case": case, "first": a, "second": b} for case, a, b in ends],
    }
