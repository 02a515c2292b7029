"""Deriving bounds: the z rule against the printed table, the shipped pocket table, and whose numbers it scales."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import helpers
import worldgauge.benchmarks.worldscore as package
from worldgauge.benchmarks.worldscore.bounds.derive import camera_rows, derive
from worldgauge.benchmarks.worldscore.bounds.files import as_json, rounded_values
from worldgauge.benchmarks.worldscore.bounds.from_blocks import bound_blocks, from_blocks
from worldgauge.benchmarks.worldscore.bounds.material import from_videos
from worldgauge.benchmarks.worldscore.bounds.runs import models_of_runs
from worldgauge.benchmarks.worldscore.bounds.values import (
    OF_MODELS,
    PAIR_FRAMES,
    PAIRED,
    SMOOTH,
    paired_values,
    pairs_of,
    smooth_values,
)
from worldgauge.benchmarks.worldscore.bounds.way import Way
from worldgauge.benchmarks.worldscore.formulas.empirical_bounds import morph, z_line
from worldgauge.blocks.paths import LAYOUTS
from worldgauge.blocks.write import case_id
from worldgauge.core.benchmark import read_benchmark_file, resolved_uses
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.published import read_published
from worldgauge.engine.definitions import choose_seats, resolve

FOLDER = Path(package.__file__).parent
SHIPPED = json.loads((FOLDER / "bounds.json").read_text())
TABLE = {row["column"]: row["from"] for row in SHIPPED["bounds"]}
POCKET = [*PAIRED, "smoothness_mse", "smoothness_ssim", "motion_accuracy", "motion_magnitude"]
"""Columns that the pocket set serves."""


def columns(protocol="paper", use=(), folder="worldscore"):
    uses = resolved_uses(read_benchmark_file(str(folder)), protocol)
    return {d.id: d for d in resolve(uses, choose_seats("pocket", use))}


@pytest.mark.parametrize(
    ("aspect", "column", "without", "mean", "deviation"),
    [
        ("content_alignment", "clip_score", ("4D-fy",), 26.6698, 0.8872),
        ("motion_magnitude", "motion_magnitude", (), 3.2420, 3.4506),
    ],
)
def test_the_z_rule_gives_the_released_line(aspect, column, without, mean, deviation):
    """Table 2 turned back into raw values: 18 models of content alignment, 12 video models of motion magnitude."""
    table = read_published(FOLDER).tables[0]
    scale = columns(folder=copied_without_bounds())[column].scale
    scores = {name: table.named(name)[aspect] for name in table.rows}
    video = [name for name in scores if table.named(name)["motion_smoothness"] > 0 and name != "4D-fy"]
    chosen = [s for n, s in scores.items() if n not in without] if without else [scores[name] for name in video]
    found = z_line([scale.inverse(score) for score in chosen])
    assert (round(found.mean, 4), round(found.deviation, 4)) == pytest.approx((mean, deviation), abs=2e-4)
    assert found.ends == pytest.approx(scale.source, abs=0.01)


def copied_without_bounds():
    """Our own file has derived bounds for the pocket set; the released ones stand in a folder without them."""
    import tempfile

    folder = Path(tempfile.mkdtemp())
    shutil.copyfile(FOLDER / "benchmark.toml", folder / "benchmark.toml")
    return folder


def test_a_motionless_camera():
    rows = {row.layout: (round(row.rotation, 3), round(row.translation, 3)) for row in camera_rows(50)}
    assert rows["push_in"] == (15.0, 0.5)
    assert rows["move_left"] == (15.0, 0.25)
    assert rows["pan_right"] == (15.0, 0.5)
    assert len(rows) == 8


def test_every_picture_meets_another():
    names = [f"p{k}" for k in range(7)]
    drawn = pairs_of(names)
    assert set(drawn) == set(names)
    assert all(name != other for name, other in drawn.items())
    assert drawn == pairs_of(names)
    assert drawn != pairs_of(names, seed=1)


def test_only_halving():
    picture = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(WorldGaugeError, match="18 frames cannot be made by halving"):
        morph(picture, picture, 18, lambda a, b: a)


def test_pocket_bounds_scale_pocket_numbers_alone():
    derived, released = columns(), columns(folder=copied_without_bounds())
    for column in POCKET:
        assert list(derived[column].scale.source) == TABLE[column]
        assert derived[column].unscaled == ""
        assert derived[column].fingerprint != released[column].fingerprint
    assert "worldscore bounds" in released["gram_matrix"].unscaled
    assert released["gram_matrix"].scale is None
    # How a column is scaled stays; only the ends differ.
    assert derived["motion_magnitude"].scale.level == "model"
    # Another setting is another instrument.
    other = columns(use=["interpolation=flow_midpoint:preset=fast"])
    assert other["smoothness_mse"].scale is None
    assert other["smoothness_ssim"].scale == released["smoothness_ssim"].scale
    assert other["gram_matrix"].scale == derived["gram_matrix"].scale
    # The released arithmetic keeps the released bounds.
    assert columns("released")["gram_matrix"].scale.source == (0.007, 0.0)


def test_the_shipped_table_is_what_a_run_takes():
    for row in SHIPPED["bounds"]:
        served = row["column"] in POCKET
        assert (row["from"] is not None) == served, row
        assert row["measured"] == columns()[row["column"]].measured
    assert SHIPPED["recipe"]["seeds"] == [block.seed for block in bound_blocks()]


def test_the_page_has_the_shipped_table():
    page = (Path(__file__).parents[3] / "docs" / "benchmarks" / "worldscore.md").read_text("utf-8")
    for column in POCKET:
        worst, best = TABLE[column]
        assert f"| {column} | {worst:g} | {best:g} |" in page


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Four of the 32 blocks, two pairs: a fixed camera with a moving one, and two moving ones."""
    names = {case_id(block): block for block in bound_blocks()}
    partner = pairs_of(list(names))
    fixed = next(n for n, b in names.items() if b.path == "fixed" and names[partner[n]].path != "fixed")
    moving = next(
        n for n, b in names.items() if {b.path, names[partner[n]].path} <= set(LAYOUTS) and fixed not in (n, partner[n])
    )
    chosen = [fixed, partner[fixed], moving, partner[moving]]
    return from_blocks(tmp_path_factory.mktemp("blocks"), [names[n] for n in chosen]), partner


def test_four_blocks_again(few, monkeypatch):
    material, partner = few
    monkeypatch.setattr("worldgauge.benchmarks.worldscore.bounds.values.pairs_of", lambda _: partner)
    reasons = {}
    for part in (
        paired_values(material, Way(), PAIR_FRAMES, reasons, lambda *_: None),
        smooth_values(material, Way(), reasons, lambda *_: None),
    ):
        for name, values in part:
            check(values, SHIPPED["clips"][name])


def check(found, shipped):
    for column, value in rounded_values(found).items():
        expected = shipped[column]
        assert value == (None if expected is None else pytest.approx(expected, rel=1e-3, abs=1e-6)), column


@pytest.mark.nightly
def test_all_blocks_again(tmp_path):
    derived = derive(from_blocks(tmp_path, bound_blocks()), Way())
    assert {row.column: None if row.source is None else list(row.source) for row in derived.rows} == TABLE
    assert as_json(derived)["recipe"] == SHIPPED["recipe"]
    for model, worlds in derived.models.items():
        for world, values in worlds.items():
            check(values, SHIPPED["models"][model][world])


def test_own_videos_and_a_run_with_their_bounds(tmp_path):
    videos = helpers.make_videos(tmp_path / "videos", cases=3, frames=5)
    out = tmp_path / "mine"
    told = helpers.worldgauge("worldscore", "bounds", videos, "-o", out).stdout
    assert "gram_matrix" in told
    assert "needs runs of two models" in told
    mine = columns(folder=out)
    shipped = columns()
    assert mine["gram_matrix"].scale != shipped["gram_matrix"].scale
    assert mine["gram_matrix"].unscaled == ""
    # Nobody derived that one, so it is as in the benchmark's own file.
    assert mine["motion_magnitude"].scale.source == (-5.9724053, 18.9650483)


def made_run(name, raws, weights, protocol="paper"):
    """What a run folder would tell of motion magnitude."""
    uses = resolved_uses(read_benchmark_file("worldscore"), protocol)
    (use,) = [use for use in uses if use.id == "motion_magnitude"]
    (definition,) = resolve([use], choose_seats("pocket"))
    column = SimpleNamespace(raws=np.array(raws), weights=np.array(weights))
    file = SimpleNamespace(definitions=[definition.to_file()])
    return SimpleNamespace(name=name, file=file, columns=lambda: {"motion_magnitude": column})


def test_runs_as_models(tmp_path, monkeypatch):
    with pytest.raises(WorldGaugeError, match="is not a run"):
        models_of_runs([tmp_path], Way())
    made = {
        "a": made_run("a", [1.0, 4.0, np.nan], [1.0, 2.0, 5.0]),
        "b": made_run("b", [2.0, np.nan, np.nan], [1.0, 1.0, 1.0]),
        "c": made_run("c", [2.0], [1.0], protocol="released"),
    }
    monkeypatch.setattr("worldgauge.benchmarks.worldscore.bounds.runs.Run", lambda folder: made[folder.name])
    found = models_of_runs([Path("a"), Path("b")], Way())
    # Every pair of frames counts alike under `paper`; a clip that was not measured does not count.
    assert found == {"a": {"": {"motion_magnitude": 3.0}}, "b": {"": {"motion_magnitude": 2.0}}}
    with pytest.raises(WorldGaugeError, match="given twice"):
        models_of_runs([Path("a"), Path("a")], Way())
    # Magnitude is told no protocol: what the two measure is the same.
    assert models_of_runs([Path("c")], Way()) == {"c": {"": {"motion_magnitude": 2.0}}}
    with pytest.raises(WorldGaugeError, match="measured with other instruments"):
        models_of_runs([Path("a")], Way(overrides=("flow=dis:preset=fast",)))


def test_bad_requests(tmp_path):
    with pytest.raises(WorldGaugeError, match="cannot be derived on 5 blocks"):
        bound_blocks(5)
    with pytest.raises(WorldGaugeError, match="1 pictures make no pair"):
        pairs_of(["a"])
    with pytest.raises(WorldGaugeError, match="is not a folder"):
        from_videos(tmp_path / "none", None, None)
    with pytest.raises(WorldGaugeError, match="models without a difference"):
        z_line([1.0, 1.0])


def test_every_column_has_a_rule():
    ruled = {*PAIRED, *SMOOTH, *OF_MODELS}
    known = {use.id for use in read_benchmark_file("worldscore").metrics}
    # Camera bounds belong to the path, the share of objects found lies between 0 and 1.
    assert known - ruled == {
        "camera_rotation",
        "camera_translation",
        "camera_control",
        "camera_literal",
        "object_control",
    }
