"""`worldgauge env`: Python environments of their own, for networks whose packages do not go with ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from worldgauge.cli.options import Include, Offline
from worldgauge.core.environments import environments_folder, find_recipe, recipes, state_of
from worldgauge.core.weights import megabytes_in_words
from worldgauge.engine.environments import make_environment, megabytes_of, plan_environment, remove_environment
from worldgauge.engine.trial_import import include_tried as bring_in
from worldgauge.verbs import AsJson, print_json, print_pairs, print_table, say

app = typer.Typer(help="Python environments of their own, for networks that need them.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Name of a recipe; `env list` has them.", show_default=False)]


@app.command()
def make(
    name: Name,
    find_links: Annotated[
        Path | None, typer.Option("--find-links", envvar="WORLDGAUGE_FIND_LINKS", help="Folder of wheels.")
    ] = None,
    extra: Annotated[
        list[str] | None,
        typer.Option(
            "--with", envvar="WORLDGAUGE_WITH", help="A requirement more, or a closer pin: torch==2.13.0; repeatable."
        ),
    ] = None,
    python: Annotated[
        Path | None, typer.Option("--python", envvar="WORLDGAUGE_PYTHON", help="Interpreter to make it from.")
    ] = None,
    only_plan: Annotated[
        bool, typer.Option("--plan", envvar="WORLDGAUGE_PLAN", help="Print the plan, and stop.")
    ] = False,
    offline: Offline = False,
    include: Include = None,
) -> None:
    """Print what will be installed, from where and how large it is, then make the environment.

    It is a virtual environment below the folder that WORLDGAUGE_ENVIRONMENTS_FOLDER names, else in the user's cache.
    One that is there is made anew. With --offline packages come from --find-links alone.

    worldgauge env make depth-anything-3 --with torch==2.13.0
    """
    for file in include or []:
        bring_in(file)
    plan = plan_environment(
        find_recipe(name), python=python, offline=offline, find_links=find_links, extra=tuple(extra or ())
    )
    print_pairs(plan.lines)
    if only_plan:
        return
    folder = make_environment(plan, say)
    say(f"ready: {folder}, {megabytes_in_words(megabytes_of(folder))}")


@app.command("list")
def list_(include: Include = None, as_json: AsJson = False) -> None:
    """List the recipes, and which environments are made."""
    for file in include or []:
        bring_in(file)
    rows = []
    for name, recipe in recipes().items():
        folder, state = environments_folder() / name, state_of(recipe)
        size = megabytes_of(folder) if folder.is_dir() else recipe.megabytes
        rows.append(
            {"environment": name, "state": state, "megabytes": round(size, 1), "folder": str(folder)}
            | {"what": recipe.what, "licence": recipe.licence}
        )
    if as_json:
        print_json(rows)
        return
    sizes = [megabytes_in_words(float(str(row["megabytes"]))) for row in rows]
    told = [
        (str(row["environment"]), str(row["state"]), size, str(row["what"]))
        for row, size in zip(rows, sizes, strict=True)
    ]
    print_table(("environment", "state", "size", "what for"), told)


@app.command()
def remove(name: Name, include: Include = None) -> None:
    """Take an environment away."""
    for file in include or []:
        bring_in(file)
    find_recipe(name)
    say(f"{name}: {'removed' if remove_environment(name) else 'was not made'}")
