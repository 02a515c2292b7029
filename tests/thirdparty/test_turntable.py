"""A benchmark that lives in a package of its own gets everything ours get, by public names only."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import helpers
import worldgauge
from thirdparty import turntable_data

PROJECT = Path(__file__).with_name("turntable")
PACKAGE = PROJECT / "turntable"
SPEED_FORMULA = "def speed_errors(pixels: np.ndarray, degrees: np.ndarray, pixels_per_degree: float) -> np.ndarray:"


def test_it_uses_public_names_only() -> None:
    public = {"worldgauge": set(worldgauge.__all__)}
    public |= {name: set(importlib.import_module(name).__all__) for name in worldgauge._PUBLIC_MODULES}
    used: set[tuple[str, str]] = set()
    for file in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("worldgauge"):
                used |= {(str(node.module), alias.name) for alias in node.names}
            if isinstance(node, ast.Import):
                assert not [alias.name for alias in node.names if alias.name.startswith("worldgauge")], file
    assert len(used) > 20
    assert not [(module, name) for module, name in used if name not in public.get(module, set())]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package lies after `pip install`."""
    folder = tmp_path_factory.mktemp("turntable-site")
    command = ["install", "--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", str(folder)]
    # Copied first: a build leaves files beside what it builds.
    source = tmp_path_factory.mktemp("turntable-source") / "turntable"
    subprocess.run(["cp", "-r", str(PROJECT), str(source)], check=True)
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *command, str(source)], check=True)
    return folder


@pytest.fixture(params=["installed", "included"])
def door(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in: an entry point of an installed package, and a folder."""
    if request.param == "included":
        monkeypatch.setenv("WORLDGAUGE_INCLUDE", str(PACKAGE))
    else:
        site = request.getfixturevalue("site")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))
    return str(request.param)


def test_it_gets_what_ours_get(tmp_path: Path, door: str) -> None:
    data, videos = turntable_data.make_data(tmp_path / "data"), turntable_data.make_videos(tmp_path / "spinner2")
    here = ("-b", "turntable", "--data", data, "--json")
    turn, opencv, own = data / "tin-fast.turn", ("--to", "opencv", "-o"), ("--to", "turntable", "-o")
    told = helpers.worldgauge_many(
        ("list", "--json"),
        ("show", "speed"),
        ("validate", videos, *here),
        ("plan", videos, *here),
        # Workers of their own must find it too.
        ("run", videos, *here, "-o", "out", "-w", 2 if door == "included" else 1),
        ("run", videos, *here, "-o", "printed", "--protocol", "printed", "--instruments", "pocket", "-w", 1),
        ("report", "out", "--published", "--json"),
        ("report", "printed", "--published"),
        ("turntable", "worst", "out", "--json"),
        ("inputs", "turntable", "--data", data, "-o", "inputs"),
        ("parity", PROJECT / "parity", "--json"),
        ("cameras", "convert", turn, "--from", "opencv", *own, "own.npz"),
        ("cameras", "convert", "own.npz", "--from", "turntable", *opencv, "back.npz"),
    )
    listed, shown, validated, planned, run, _, beside, apart, worst, _, parity, *_ = told
    assert {"turntable/colour_return", "turntable/speed_error", "psnr"} <= {r["metric"] for r in json.loads(listed)}
    line = (PACKAGE / "formulas.py").read_text().splitlines().index(SPEED_FORMULA) + 1
    for text in ("turntable/speed", f"formulas.py:{line}", "the Turntable paper, Eq. 2.", "under printed"):
        assert text in shown
    assert json.loads(validated)["readable"] == 4
    assert json.loads(planned)["signals_to_compute"] == {"turntable/disc_motion": 4}
    # Where it takes long, its progress comes after it.
    scored, _ = json.JSONDecoder().raw_decode(run)
    assert scored["metrics"]["colour"]["statuses"] == scored["metrics"]["speed"]["statuses"] == {"ok": 4}
    assert scored["metrics"]["speed"]["value"] > 60, "the discs turn as asked"
    # The official instrument is the embedded one, so a run may stand in the printed table.
    (table,) = json.loads(beside)
    assert list(table["rows"]) == ["Spinner", "Wobbler", "spinner2"]
    assert table["rows"]["spinner2"]["total"] == scored["groups"]["total"]["value"]
    for text in (
        "Not comparable with the table above",
        "the printed table follows 'workshop', the run 'printed'",
        "turntable/disc_motion: dis instead of raft_large",
    ):
        assert text in apart
    assert json.loads(worst)["levels"] > 0
    assert [verdict["outcome"] for verdict in json.loads(parity)] == ["matched"] * 3
    poses = np.load("inputs/tin-fast/camera.npz")["poses"]
    assert poses.shape == (turntable_data.FRAMES, 4, 4)
    assert np.allclose(np.load("back.npz")["poses"], poses)
    assert not np.allclose(np.load("own.npz")["poses"], poses)


@pytest.mark.usefixtures("door")
def test_its_gauges_are_taken_up() -> None:
    """What `calibrate` would measure; the measurement itself is nightly."""
    code = (
        "import os, pathlib\n"
        "from worldgauge.calibration.gauges import choose_gauges\n"
        "from worldgauge.core.manifest import include\n"
        "for path in filter(None, [os.environ.get('WORLDGAUGE_INCLUDE')]):\n    include(pathlib.Path(path))\n"
        "print([(g.id, g.quality.value, g.use.use) for g in choose_gauges('fixed') if 'turntable' in g.id])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[('turntable/colour_return', 'lighting', 'turntable/colour_return')]"


@pytest.mark.nightly
@pytest.mark.usefixtures("door")
def test_calibrate() -> None:
    flags = ("--quick", "--worlds", "fixed", "-m", "turntable/colour_return", "--fault", "lighting_drift", "-w", 1)
    done = helpers.worldgauge("calibrate", *flags, "--json")
    (gauge,) = json.loads(done.stdout)["gauges"]
    (response,) = gauge["responses"]
    assert (gauge["metric"], response["fault"]) == ("turntable/colour_return", "lighting_drift")
    assert response["verdict"]["expects"] == "worse"
    # A known blind spot: shown, and no failure.
    assert response["verdict"]["holds"] is False
    assert "blind  turntable/colour_return x lighting_drift" in done.stderr
