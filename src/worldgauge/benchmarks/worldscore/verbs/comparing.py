"""`worldgauge worldscore observations`, `subdomains` and `twins`: what is seen over several runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.verbs import AsJson, RunFolders, print_json, print_table, say


def observations(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Run folders; without any, the paper's Table 2.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The paper's observations (4.1): motion against smoothness and accuracy, 3D against video, T2V against I2V, open
    against closed; of runs also small against large worlds."""
    from worldgauge.benchmarks.worldscore.analyses import observations as module
    from worldgauge.benchmarks.worldscore.analyses.subdomains import small_against_large

    opened = [Run(folder) for folder in runs or ()]
    models = module.run_models(opened) if opened else module.published_models()
    found = {
        "correlations": module.correlations(models),
        "contrasts": module.contrasts(models),
        "small against large": small_against_large(opened) if opened else [],
    }
    if as_json:
        print_json(found)
        return
    say(f"{len(models)} models" + ("" if opened else " of arXiv 2504.00983, Table 2"))
    for title, rows in found.items():
        if rows:
            say("")
            say(title)
            _print([row | {"p": _p_value(row["p"])} if "p" in row else row for row in rows], keys=2)
    if not found["contrasts"]:
        say("no contrast: the cards state no type (Video, 3D, 4D), ability (T2V, I2V) or accessibility (open, closed)")


def subdomains(
    runs: RunFolders,
    column: Annotated[str, typer.Option("--column", help="Metric or group.")] = "static",
    as_json: AsJson = False,
) -> None:
    """WorldScore-Static by scene, style, size of the world, style x scene and category, model by model (Figure 7)."""
    from worldgauge.benchmarks.worldscore.analyses.subdomains import FIGURE, static_by_subdomain

    _show(static_by_subdomain([Run(folder) for folder in runs], FIGURE, column), as_json, keys=2)


def twins(runs: RunFolders, as_json: AsJson = False) -> None:
    """Photorealistic worlds against their stylised twins: the same scenes, difference with a 95 % interval."""
    from worldgauge.benchmarks.worldscore.analyses.subdomains import twins as compared

    rows = compared([Run(folder) for folder in runs])
    if not rows:
        raise WorldGaugeError(
            "no scene has a score both as a photorealistic world and as its stylised twin",
            "twins need runs over worlds of both styles, with scores in each",
        )
    _show(rows, as_json, keys=2)


def _show(rows: Sequence[dict[str, Any]], as_json: bool, keys: int) -> None:
    if as_json:
        print_json(list(rows))
    else:
        _print(rows, keys)


def _print(rows: Sequence[dict[str, Any]], keys: int) -> None:
    header = list(dict.fromkeys(key for row in rows for key in row))
    texts = {name for row in rows for name, value in row.items() if isinstance(value, str)}
    numeric = [i for i, name in enumerate(header) if name not in texts]
    print_table(header, [[_cell(row.get(name)) for name in header] for row in rows], numeric, keys=keys)


def _p_value(value: float | None) -> str | None:
    return None if value is None else f"{value:.2g}"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " .. ".join(f"{end:.2f}" for end in value)
    return f"{value:.2f}" if isinstance(value, float) else str(value)
