"""Python environments of their own, for networks whose packages do not go with ours: recipes, and where they lie.

A package brings its recipes as a TOML file and names it in its manifest; an instrument names one.

    schema = 1

    [environments.map-anything]
    what = "MapAnything, the authors' package"
    python = ["3.10", "3.11", "3.12"]
    packages = ["torch>=2.6", "uniception==0.1.7"]
    alone = ["mapanything @ git+https://example.org/map-anything"]
    megabytes = 6000
    licence = "Apache-2.0"

`engine/environments.py` makes them.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.core.canonical import digest_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import manifests
from worldgauge.core.package_tables import united
from worldgauge.core.reading import read_toml_as
from worldgauge.core.registry import unknown_name
from worldgauge.core.user_folders import user_folder

READY = "ready.json"
"""In an environment's folder, written when it is whole."""
_VARIABLE = "WORLDGAUGE_ENVIRONMENTS"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Recipe(_Model):
    """What an environment is made of."""

    name: str = ""
    what: str = Field(min_length=1)
    """What it is for."""
    python: tuple[str, ...] = Field(min_length=1)
    """Versions of Python that its packages run on, as `3.11`."""
    packages: tuple[str, ...] = ()
    """Requirements with their pins, installed with all they ask for."""
    alone: tuple[str, ...] = ()
    """Requirements installed without what they ask for: of it only what is used is among `packages`."""
    megabytes: float = Field(gt=0)
    """On disk, about."""
    licence: str = Field(min_length=1)
    """Of the packages it is for."""
    remark: str = ""

    @property
    def digest(self) -> str:
        """What of it decides what is installed."""
        return digest_of({"python": self.python, "packages": self.packages, "alone": self.alone})


class RecipesFile(_Model):
    """`environments.toml`."""

    schema_version: Literal[1] = Field(alias="schema")
    environments: dict[str, Recipe]


def recipes() -> dict[str, Recipe]:
    """Every recipe of every package, by name."""
    return united([m.folder / m.environments for m in manifests() if m.environments], _read, "environment")


@functools.lru_cache(maxsize=16)
def _read(file: Path, changed: int) -> dict[str, Recipe]:
    known = read_toml_as(RecipesFile, file).environments
    return {name: recipe.model_copy(update={"name": name}) for name, recipe in known.items()}


def find_recipe(name: str) -> Recipe:
    """The recipe of that name; a wrong name is answered with the nearest ones."""
    known = recipes()
    if name not in known:
        raise unknown_name("environment", name, sorted(known))
    return known[name]


def environments_folder() -> Path:
    """Where they are made: what WORLDGAUGE_ENVIRONMENTS_FOLDER names, else a folder in the user's cache."""
    return user_folder("WORLDGAUGE_ENVIRONMENTS_FOLDER", "environments")


State = Literal["ready", "outdated", "unfinished", "not made"]


def state_of(recipe: Recipe) -> State:
    """Whether its environment is made, by the recipe as it is now."""
    folder = environments_folder() / recipe.name
    if not folder.is_dir():
        return "not made"
    try:
        made = json.loads((folder / READY).read_text("utf-8"))["recipe"]
    except (OSError, ValueError, KeyError, TypeError):
        return "unfinished"
    return "ready" if made == recipe.digest and python_in(folder).exists() else "outdated"


def python_in(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


@dataclass(frozen=True)
class Place:
    """An interpreter outside of this process."""

    python: Path
    own_child: Path | None = None
    """A program of somebody's own that answers in place of ours."""
    changed: int = 0
    """When it was made, for who remembers what is in it."""


def place_of(name: str) -> Place | None:
    """Where the environment of a recipe is: what the variable names for it, else the one that was made."""
    recipe = find_recipe(name)
    for item in os.environ.get(_VARIABLE, "").split():
        key, equals, text = item.partition("=")
        if not equals:
            raise WorldGaugeError(f"{_VARIABLE}: {item}: expected NAME=PATH")
        if find_recipe(key).name == name:
            return _named(item, Path(text).expanduser().absolute())
    if state_of(recipe) != "ready":
        return None
    folder = environments_folder() / name
    return Place(python_in(folder), changed=(folder / READY).stat().st_mtime_ns)


def _named(item: str, path: Path) -> Place:
    """An environment's folder, an interpreter, or a program that speaks the protocol itself."""
    if path.is_dir():
        path = python_in(path)
    if not path.is_file():
        raise WorldGaugeError(f"{_VARIABLE}: {item}: {path} is no file", "name an environment or its interpreter")
    changed = path.stat().st_mtime_ns
    return Place(Path(sys.executable), path, changed) if path.suffix == ".py" else Place(path, changed=changed)


def how_to_make(name: str) -> str:
    """What brings an environment, as far as it is not there."""
    again = {"unfinished": ", which was left unfinished", "outdated": ", which another version's recipe made"}
    return f"worldgauge env make {name}{again.get(state_of(find_recipe(name)), '')}"
