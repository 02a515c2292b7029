"""Best and worst clip of every aspect, of runs written by hand with videos of one colour."""

import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.worldscore.test_files import DYNAMIC, FIXED, INDOOR, STATIC, write_run
from worldgauge.benchmarks.worldscore.analyses.examples import typical
from worldgauge.benchmarks.worldscore.commands import app
from worldgauge.benchmarks.worldscore.official.aspects import ASPECTS
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.sources import write_sources
from worldgauge.core.submission import ModelCard, Submission
from worldgauge.core.video import Video
from worldgauge.media.encoder import write_video

SHADES = {"static/a": 40, "static/b": 120, "static/c": 200, "dynamic/d": 80}


def make_run(folder, name, errors, seen=tuple(SHADES)):
    """`errors`: photometric error of each static case; `seen`: cases whose videos are on disk."""
    cases = {case: (INDOOR, STATIC | {"optical_flow_aepe": error}) for case, error in errors.items()}
    cases["dynamic/d"] = (FIXED, DYNAMIC)
    run = write_run(folder, cases, card=ModelCard(name=name))
    videos = {}
    for case in seen:
        file = folder / f"{case.replace('/', '-')}.mkv"
        write_video(file, np.full((5, 32, 48, 3), SHADES[case], np.uint8), fps=8)
        videos[case] = Video(file)
    write_sources(folder, [Case(id=case) for case in cases], Submission(ModelCard(name=name), videos))
    return run


@pytest.fixture
def runs(tmp_path):
    return [
        make_run(tmp_path / "one", "one", {"static/a": 0.1, "static/b": 0.5, "static/c": 0.3}),
        make_run(tmp_path / "two", "two", {"static/a": 0.1, "static/b": 0.2, "static/c": 0.9}),
    ]


def test_the_ends_of_every_aspect(runs):
    pairs = {pair.aspect: pair for pair in typical(runs)}
    assert list(pairs) == list(ASPECTS)
    photometric = pairs["photometric_consistency"]
    # Of two clips with the same score the first is shown.
    assert (photometric.good.model, photometric.good.case) == ("one", "static/a")
    assert (photometric.bad.model, photometric.bad.case) == ("two", "static/c")
    assert photometric.good.score == pytest.approx(100 * (1 - 0.1 / 1.192))
    assert photometric.bad.score == pytest.approx(100 * (1 - 0.9 / 1.192))
    assert pairs["camera_control"].good is None, "all are alike"


def test_a_clip_that_is_not_on_disk_is_no_example(tmp_path):
    errors = {"static/a": 0.1, "static/b": 0.5, "static/c": 0.9}
    run = make_run(tmp_path / "one", "one", errors, ("static/a", "static/b"))
    pair = next(pair for pair in typical([run]) if pair.aspect == "photometric_consistency")
    assert (pair.good.case, pair.bad.case) == ("static/a", "static/b")


def test_good_left_and_bad_right(runs, tmp_path):
    out = tmp_path / "sheets" / "examples.png"
    folders = [str(run.folder) for run in runs]
    done = CliRunner().invoke(app, ["examples", *folders, "-o", str(out)], catch_exceptions=False)
    assert "1 of 10 aspects" in done.stdout
    sheet = np.asarray(Image.open(out).convert("L")).astype(int)
    middle = sheet[sheet.shape[0] // 2]
    # The first frame of each half; video coding may shift a level a little.
    assert abs(middle[20] - SHADES["static/a"]) < 6
    assert abs(middle[-20] - SHADES["static/c"]) < 6
    told = json.loads(CliRunner().invoke(app, ["examples", *folders, "--json"], catch_exceptions=False).stdout)
    assert [row["aspect"] for row in told if row["good"]] == ["photometric_consistency"]


def test_nothing_to_show(tmp_path):
    run = make_run(tmp_path / "one", "one", {"static/a": 0.1, "static/b": 0.5, "static/c": 0.3}, ())
    done = CliRunner().invoke(app, ["examples", str(run.folder), "-o", str(tmp_path / "x.png")])
    assert isinstance(done.exception, WorldGaugeError)
    assert "no aspect has two clips" in str(done.exception)
    assert not (tmp_path / "x.png").exists()
