"""`worldgauge compare`: two models on the same cases."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldgauge.verbs import AsJson, StorePath, default_store, print_json, print_note, print_table

if TYPE_CHECKING:
    from worldgauge.report.html.column import Column
    from worldgauge.report.joint import Difference, Joint

app = typer.Typer()


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Another run folder of the same benchmark.", show_default=False)],
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
    from worldgauge.core.registry import unknown_name
    from worldgauge.core.run_folder import Run
    from worldgauge.report.html.column import columns_of
    from worldgauge.report.joint import Joint

    joint = Joint([Run(first), Run(second)])
    ids = [d.id for d in joint.definitions]
    if metric is not None and metric not in ids:
        raise unknown_name("metric", metric, ids)
    differences = joint.difference(0, 1)
    columns = columns_of(joint)
    chosen = metric or (ids[0] if ids else None)
    ends = _ends(joint, ids.index(chosen), cases) if chosen is not None else []
    if as_json:
        print_json(_json(joint, differences, chosen, ends))
    else:
        _print(joint, columns, differences, chosen, ends)
    if html is not None:
        from worldgauge.calibration.for_report import shipped_calibration
        from worldgauge.engine.evidence import stored_evidence
        from worldgauge.engine.store import Store
        from worldgauge.report.html import ReportSource, write_report

        evidence = stored_evidence(Store(store or default_store()))
        page = write_report(ReportSource(joint.runs, evidence=evidence, calibration=shipped_calibration), html)
        if not as_json:
            typer.echo(f"report: {page}#/compare/0/1")


def _ends(joint: Joint, m: int, number: int) -> list[tuple[str, float, float]]:
    """The cases with the largest and the smallest difference: id, first, second."""
    import numpy as np

    a, b = joint.values[:, m]
    shared = np.flatnonzero(np.isfinite(a - b))
    order = shared[np.argsort(-(a - b)[shared], kind="stable")]
    kept = order if len(order) <= 2 * number else np.concatenate([order[:number], order[len(order) - number :]])
    return [(joint.cases[i], float(a[i]), float(b[i])) for i in kept]


def _print(
    joint: Joint,
    columns: list[Column],
    differences: dict[str, Difference],
    metric: str | None,
    ends: list[tuple[str, float, float]],
) -> None:
    names = [run.name for run in joint.runs]
    rows = []
    for i, column in enumerate(columns):
        d = differences[column.id]
        scores = [column.number(s) if s == s else "-" for s in joint.scores[:, i]]
        interval = f"[{column.number(d.interval[0])}, {column.number(d.interval[1])}]" if d.interval else ""
        value = "-" if d.value is None else f"{d.value:+.{column.digits}f}"
        detectable = "" if d.detectable is None else column.number(d.detectable)
        counts = f"{d.wins}/{d.losses} of {d.cases}" if d.cases else ""
        rows.append((column.id, *scores, value, interval, _p(d.p_value), _p(d.adjusted), counts, detectable))
    header = ("metric", *names, "difference", "95 % interval", "p", "p (Holm)", "larger/smaller", "detectable")
    print_table(header, rows, numeric=range(1, len(header)))
    print_note(f"difference: {names[0]} minus {names[1]}, paired over shared cases; scenes resampled and sign-flipped")
    print_note("p of groups: Student's t with the resampled error")
    if _uneven(joint):
        print_note("scores: each over all cases of its run, so they need not differ by what shared cases differ by")
    print_note("detectable: the true difference that this many scenes would show with 80 % power")
    if metric is not None and ends:
        typer.echo(f"\ncases by difference in {metric}")
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


def _p(value: float | None) -> str:
    return "" if value is None else "<0.001" if value < 0.001 else f"{value:.3f}"
