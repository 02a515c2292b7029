"""Environments, categories and processes: the hand-made table against the counts that the paper prints."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import helpers
from benchmarks.memobench.released_layout import write_csv, write_dataset, write_frames
from worldgauge.benchmarks.memobench.analyses.breakdown import breakdown
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.data.tags import UNKNOWN, process_tags, tag_table, with_category
from worldgauge.blocks.processes import ALL_PROCESSES
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run

CLIPS_OF_SCENE = {
    "Miami": 22, "NYstreet": 20, "OldFactory": 20, "NYC_East": 19, "ZenGarden": 17, "Barnyard": 15, "Nordic": 14,
    "CityPark": 12, "Havana": 12, "WinterTown": 12, "HongKong": 11, "Japanese_Street": 11, "Middle_Age": 7,
    "CityStreet": 4,
}  # fmt: skip
"""Of the released metadata table."""


@pytest.fixture(scope="module")
def scored_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("tags")
    write_dataset(root)
    rng = np.random.default_rng(2)
    for number in (1, 2, 7):
        write_frames(
            root / "model" / "Real" / f"{number:03d}" / "frames", rng.integers(0, 256, (9, 24, 32, 3), np.uint8)
        )
    flags = ["-b", "memobench", "--data", root, "-o", root / "run", "--store", root / "store", "-w", 1]
    helpers.worldgauge("run", root / "model", *flags, "-m", "GT_ALL_PSNR", check=False)
    return Run(root / "run")


def test_the_table_has_the_figures_that_the_paper_prints() -> None:
    table = tag_table()
    assert set(table.environment) == set(CLIPS_OF_SCENE)
    assert sum(CLIPS_OF_SCENE.values()) == 196
    assert len(set(table.environment.values())) == 5
    assert len(table.category) == 30
    assert len(set(table.category.values())) == 7
    assert len(table.process) == 164
    assert set(table.process.values()) - {UNKNOWN} <= set(table.category)
    tags = [process_tags(clip) for clip in table.process]
    open_ = [of_clip for of_clip in tags if of_clip["process"] == UNKNOWN]
    assert (len(tags) - len(open_), len(open_)) == (144, 20)
    assert sum(of_clip["category"] != UNKNOWN for of_clip in open_) == 7


def test_the_wheel_s_areas_are_the_clips_of_the_environments() -> None:
    # Figure S1a draws angles in proportion to clips: read off the wheel, in degrees, to within five.
    angles = {"Urban Street": 163, "Rural/Nature": 85, "Urban Park": 62, "Industrial": 37, "Historical": 13}
    of = tag_table().environment
    for environment, angle in angles.items():
        clips = sum(count for scene, count in CLIPS_OF_SCENE.items() if of[scene] == environment)
        assert clips / 196 * 360 == pytest.approx(angle, abs=5)


def test_no_clip_has_two_processes_and_doubt_names_real_ones() -> None:
    text = resources.files("worldgauge.benchmarks.memobench.data").joinpath("tags.toml").read_text("utf-8")
    data = tomllib.loads(text)
    listed = [clip for clips in data["processes"].values() for clip in clips]
    listed += [clip for entry in data["unsure"] for clip in entry["clips"]]
    assert len(listed) == len(set(listed)) == 164
    for entry in data["unsure"]:
        assert len(entry["names"]) > 1
        assert set(entry["names"]) <= set(tag_table().category)
        assert entry["why"]


def test_what_the_prompt_leaves_open_is_unknown() -> None:
    assert process_tags(1) == {"category": UNKNOWN, "process": UNKNOWN}
    assert process_tags(84) == {"category": "Combustion & Heat", "process": UNKNOWN}
    assert process_tags(100_000) == {"category": UNKNOWN, "process": UNKNOWN}


def test_clips_carry_the_tags_and_a_table_that_states_its_own_wins(tmp_path: Path) -> None:
    data = write_dataset(tmp_path)
    cases = {case.id: case for case in read_dataset(data)}
    assert cases["Barnyard_001"].tags["environment"] == "Rural/Nature"
    assert "category" not in cases["Barnyard_001"].tags
    assert cases["real_007"].tags["process"] == "Powder Dissolve"
    assert cases["real_007"].tags["category"] == "Dissolution"
    assert cases["real_001"].tags["process"] == UNKNOWN
    header = ["video_id", "subject", "prompt", "category", "process"]
    write_csv(data / "sam3_metadata" / "real_metadata.csv", [header, [7, "a cup", "A cup.", "Viscous Flow", "Pouring"]])
    stated = {case.id: case for case in read_dataset(data)}["real_007"].tags
    assert (stated["category"], stated["process"]) == ("Viscous Flow", "Pouring")


def test_every_block_named_in_the_table_exists() -> None:
    assert set(tag_table().of_block) <= set(ALL_PROCESSES)
    assert with_category({"process": "crushing"}) == {"process": "crushing"}


def test_a_run_is_broken_down_by_category(scored_run: Run) -> None:
    whole = {row["value"]: row for row in breakdown(scored_run, ("category",), ("GT_ALL_PSNR",))}
    assert set(whole) == {"Dissolution", UNKNOWN}
    values = {r["case"]: r.get("value") for r in scored_run.records() if r["metric"] == "GT_ALL_PSNR"}
    assert whole["Dissolution"]["GT_ALL_PSNR"] == pytest.approx(values["real_007"])
    assert whole[UNKNOWN]["GT_ALL_PSNR"] == pytest.approx((values["real_001"] + values["real_002"]) / 2)
    with pytest.raises(WorldGaugeError, match="no column 'Nonsense'"):
        breakdown(scored_run, ("category",), ("Nonsense",))
    with pytest.raises(WorldGaugeError, match="has a tag weather"):
        breakdown(scored_run, ("weather",))
