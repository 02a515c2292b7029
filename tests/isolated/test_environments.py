"""`worldgauge env`: environments by recipe, out of wheels that the test makes; each has what the other cannot have."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from isolated.gone import wait_until_gone
from weights.conftest import Command, command  # noqa: F401  a fixture
from worldgauge.core import manifest
from worldgauge.core.environments import find_recipe, place_of, recipes, state_of
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine import environments
from worldgauge.instruments.isolated import child
from worldgauge.instruments.isolated.process import Child

PYTHON = ".".join(map(str, sys.version_info[:2]))
RECIPES = f"""
schema = 1
[environments.older]
what = "a package that needs an older part"
python = ["{PYTHON}"]
packages = ["older-world==1.0"]
megabytes = 1
licence = "MIT"

[environments.newer]
what = "a package that needs a newer part"
python = ["{PYTHON}"]
packages = ["tiny-part==2.0"]
alone = ["newer-world==1.0"]
megabytes = 1
licence = "MIT"

[environments.both]
what = "two that do not go together"
python = ["{PYTHON}"]
packages = ["older-world==1.0", "tiny-part==2.0"]
megabytes = 1
licence = "MIT"

[environments.ancient]
what = "what needs a Python that is not here"
python = ["2.7"]
packages = ["older-world"]
megabytes = 1
licence = "MIT"
"""
PART = """
PACKAGES = (("{0}-world", "{0}_world"), ("tiny-part", "tiny_part"))

def load(files, settings, device):
    import {0}_world
    return Network({0}_world.value())

class Network:
    def __init__(self, value):
        self.value = value

    def answer(self, arrays, options):
        import struct
        x = arrays["x"]
        return {{"x": type(x)(x.dtype, x.shape, struct.pack("<d", self.value))}}
"""


def write_wheel(folder: Path, name: str, version: str, code: str, needs: tuple[str, ...] = ()) -> None:
    """A wheel with one module, as small as pip takes it."""
    module = name.replace("-", "_")
    about = f"{module}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}", *(f"Requires-Dist: {n}" for n in needs)]
    files = {
        f"{module}.py": code,
        f"{about}/METADATA": "\n".join(metadata) + "\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
        for path, content in (files | {f"{about}/RECORD": record}).items():
            wheel.writestr(path, content)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    write_wheel(folder, "tiny-part", "1.0", "def value():\n    return 1.0\n")
    write_wheel(folder, "tiny-part", "2.0", "def value():\n    return 2.0\n")
    write_wheel(folder, "older-world", "1.0", "from tiny_part import value\n", ("tiny-part==1.0",))
    asked = ("tiny-part==2.0", "half-a-world>=7")
    write_wheel(folder, "newer-world", "1.0", "from tiny_part import value\n", asked)
    return folder


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that brings recipes, and a folder for environments."""
    folder = tmp_path / "recipe_package"
    folder.mkdir()
    code = "from worldgauge import Manifest\nMANIFEST = Manifest(package=__name__, environments='environments.toml')\n"
    (folder / "__init__.py").write_text(code)
    (folder / "environments.toml").write_text(RECIPES)
    manifest.include(folder)
    monkeypatch.setenv("WORLDGAUGE_ENVIRONMENTS_FOLDER", str(tmp_path / "environments"))
    yield folder
    name = f"{manifest.INCLUDED_PREFIX}recipe_package"
    manifest._found.pop(name, None)
    sys.modules.pop(name, None)


def made(name: str, wheels: Path) -> Path:
    plan = environments.plan_environment(find_recipe(name), offline=True, find_links=wheels)
    return environments.make_environment(plan)


def answer_of(name: str, folder: Path) -> tuple[dict[str, str | None], float]:
    """What an environment has, and the number that its package gives through a child in it."""
    part = folder / f"{name}.py"
    part.write_text(PART.format(name))
    place = place_of(name)
    assert place is not None
    started = Child([str(place.python), "-I", str(child.__file__), str(part)], name)
    started.load({}, {}, "cpu", 20)
    found = started.ask({"x": np.zeros(1)}, {}, {"x": ("<f8", (1,))}, 20)["x"]
    started.stop()
    wait_until_gone(started.pid)
    return dict(started.hello.packages), float(found[0])


def test_packages_that_conflict_each_run_in_their_own(
    wheels: Path,
    tmp_path: Path,
    command: Command,  # noqa: F811
) -> None:
    """Nothing of ours is seen in them: not even numpy, which the child does without."""
    code, out, _ = command("env", "make", "older", "--offline", "--find-links", wheels)
    assert code == 0
    lines = out.splitlines()
    assert lines.index(next(line for line in lines if line.startswith("size "))) < lines.index("python -m venv")
    assert lines[-1].startswith(f"ready: {tmp_path / 'environments' / 'older'}, ")
    made("newer", wheels)
    assert answer_of("older", tmp_path) == ({"older-world": "1.0", "tiny-part": "1.0"}, 1.0)
    assert answer_of("newer", tmp_path) == ({"newer-world": "1.0", "tiny-part": "2.0"}, 2.0)
    assert state_of(find_recipe("older")) == state_of(find_recipe("newer")) == "ready"
    assert environments.remove_environment("older") and not environments.remove_environment("older")
    assert state_of(find_recipe("older")) == "not made"


@pytest.mark.nightly
def test_what_does_not_go_together_is_one_line(wheels: Path) -> None:
    with pytest.raises(WorldGaugeError, match="environment 'both' was not made: ERROR: ") as refused:
        made("both", wheels)
    assert "\n" not in str(refused.value) and "both.log" in str(refused.value)
    assert state_of(find_recipe("both")) == "unfinished"


def test_a_killed_making_is_done_again(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between two steps: the folder is there, the mark is not, and nobody takes it for whole."""
    run = environments._run

    def killed(plan: environments.MakePlan, words: list[str]) -> None:
        if "install" in words:
            raise KeyboardInterrupt
        run(plan, words)

    monkeypatch.setattr(environments, "_run", killed)
    with pytest.raises(KeyboardInterrupt):
        made("newer", wheels)
    assert state_of(find_recipe("newer")) == "unfinished" and place_of("newer") is None
    # What pip does is shown above, and takes a second.
    monkeypatch.setattr(environments, "_run", lambda plan, words: None if "install" in words else run(plan, words))
    folder = made("newer", wheels)
    assert state_of(find_recipe("newer")) == "ready"
    mark = json.loads((folder / "ready.json").read_text())
    (folder / "ready.json").write_text(json.dumps(mark | {"recipe": "of another version"}))
    assert state_of(find_recipe("newer")) == "outdated" and place_of("newer") is None


def test_two_do_not_make_the_same(wheels: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environments"
    folder.mkdir()
    with FileLock(folder / ".older.lock"), pytest.raises(WorldGaugeError, match="being made by another process"):
        made("older", wheels)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("older", "--offline"), "packages would come from the network, which --offline refuses; give a folder of"),
        (("older", "--find-links", "nowhere"), "--find-links nowhere is no folder"),
        (("olde",), "unknown environment 'olde'; did you mean older?"),
        (("ancient",), f"needs Python 2.7, {sys.executable} is {PYTHON}; name another interpreter with --python"),
        (("older", "--python", "/no/python"), "/no/python cannot be run"),
    ],
)
def test_what_cannot_be_made_is_one_line(command: Command, words: tuple[str, ...], told: str) -> None:  # noqa: F811
    code, out, err = command("env", "make", *words)
    assert code == 2 and told in err and out == "" and err.count("\n") == 1


def test_a_full_disk_is_told_before(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments.shutil, "disk_usage", lambda folder: type("", (), {"free": 5e5})())
    with pytest.raises(WorldGaugeError, match=r"needs 1 MB, .* has 0\.5 MB free"):
        made("older", wheels)


def test_the_plan_is_all_that_is_asked_for(command: Command, tmp_path: Path) -> None:  # noqa: F811
    code, out, _ = command("env", "make", "older", "--plan", "--with", "tiny-part==1.0")
    assert code == 0 and "older-world==1.0, tiny-part==1.0" in out and "about 1 MB" in out and "MIT" in out
    assert not (tmp_path / "environments").exists()
    code, out, _ = command("env", "list", "--json")
    listed = {row["environment"]: row["state"] for row in json.loads(out)}
    assert listed["older"] == "not made" and "map-anything" in listed
    assert command("env", "remove", "older")[1] == "older: was not made\n"


@pytest.mark.parametrize("name", ["map-anything", "depth-anything-3", "vggt"])
def test_our_recipes_name_what_their_parts_ask_for(name: str) -> None:
    """Pins of the authors' packages, and nothing under the GPL."""
    from worldgauge.instruments.authors.home import PARTS

    recipe = find_recipe(name)
    asked = [distribution for distribution, _ in child.read_part(str(PARTS / f"{name.replace('-', '_')}.py")).PACKAGES]
    wanted = [*recipe.packages, *recipe.alone]
    for distribution in asked:
        assert any(line.startswith(distribution) for line in wanted), distribution
    assert all("==" in line or "@" in line for line in recipe.alone)
    assert not [line for line in wanted if line.startswith(("evo", "moviepy", "ultralytics"))]


def test_two_packages_with_one_recipe_are_refused(package: Path) -> None:
    (package / "environments.toml").write_text(RECIPES.replace("environments.older", "environments.vggt"))
    with pytest.raises(WorldGaugeError, match="environment 'vggt' stands in another package's table too"):
        recipes()
