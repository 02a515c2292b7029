"""A machine that has torch and may lack the rest: the package is found where its source lies."""

from __future__ import annotations

import sys
import tarfile
import tempfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make_known() -> None:
    """Let the package's entry points be found where it is not installed, and its source and tests be imported."""
    for folder in (ROOT / "src", ROOT / "tests"):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    _bring_along()
    if metadata.entry_points(group="worldgauge"):
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    place = Path(tempfile.mkdtemp(prefix="worldgauge-known-"))
    info = place / f"worldgauge-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: worldgauge\nVersion: {project['version']}\n")
    lines = [f"{name} = {target}" for name, target in project["entry-points"]["worldgauge"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[worldgauge]", *lines, ""]))
    sys.path.insert(0, str(place))


def _bring_along() -> None:
    """Packages carried as wheels in build/wheels stand in for those that are not installed."""
    carried = ROOT / "build" / "wheels"
    if not carried.is_dir():
        return
    place = Path(tempfile.gettempdir()) / "worldgauge-carried"
    if not place.is_dir():
        place.mkdir()
        for wheel in carried.glob("*.whl"):
            with zipfile.ZipFile(wheel) as opened:
                opened.extractall(place)
        for archive in carried.glob("*.tar.xz"):
            with tarfile.open(archive) as packed:
                packed.extractall(place, filter="data")
    # Last, so that what is installed wins.
    sys.path.append(str(place))


def parts() -> dict[str, object]:
    """What the benchmarks bring for these measurements, by name."""
    from worldgauge.core.manifest import benchmarks

    found = {}
    for name, manifest in benchmarks().items():
        if (manifest.folder / "bench" / "neural.py").is_file():
            found[name] = manifest.resolve(".bench.neural")
    return found
