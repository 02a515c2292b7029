"""`worldgauge worldscore consistency`."""

from __future__ import annotations

from worldgauge.verbs import AsJson, print_json, print_table, say


def consistency(as_json: AsJson = False) -> None:
    """Does the paper's Table 2 hold together? Totals from aspects, raw numbers behind scaled columns, remarks."""
    from worldgauge.benchmarks.worldscore.analyses.table_consistency import CONSTANTS
    from worldgauge.benchmarks.worldscore.analyses.table_consistency import consistency as worked_out

    found = worked_out()
    if as_json:
        print_json(found.to_json())
        return
    header = ["model", "static", "again", "dynamic", "again", *(f"{name} raw" for name in CONSTANTS)]
    rows = [
        [
            row.model,
            *(f"{value:.2f}" for value in (row.static, row.static_again, row.dynamic, row.dynamic_again)),
            *("-" if value is None else f"{value:.2f}" for value in row.raw.values()),
        ]
        for row in found.rows
    ]
    print_table(header, rows, range(1, len(header)))
    say("")
    columns = [
        [c.column, str(c.models), *(f"{v:.4f}" for v in (c.mean, c.deviation, c.code_mean, c.code_deviation))]
        for c in found.columns
    ]
    titles = ["column, inverted", "models", "mean", "deviation", "mean in code", "deviation in code"]
    print_table(titles, columns, range(1, len(titles)))
    say("")
    holding = sum(row.holds for row in found.rows)
    say(f"{holding} of {len(found.rows)} rows: both totals follow from the aspects, to the rounding of the table")
    for remark in found.remarks:
        say(f"- {remark}")
