"""Action clips are pure turns: what `plan`, the records and our own total say of them."""

from __future__ import annotations

import numpy as np
import pytest

import helpers
from benchmarks.mbench.released_tree import add_sample, write_rows
from benchmarks.mbench.test_formulas import yaw
from benchmarks.mbench.test_returns import FOCAL, HEIGHT, OUT, WIDTH, filmed
from worldgauge.core.benchmark import read_benchmark_file
from worldgauge.media.encoder import write_video

FRAMES = len(OUT)
COLUMNS = "a_epipolar,a_reprojection,a_epipolar_turning,a_reprojection_turning"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One environment clip that turns on the spot, whose stored poses are off by a thousandth of the scene's depth."""
    folder = tmp_path_factory.mktemp("turning")
    data, rows, rng = folder / "MBench-A", [], np.random.default_rng(0)
    data.mkdir()
    (data / "dataset.yaml").write_text("dataset_id: mbencha\n")
    lens = np.array([[FOCAL, 0, WIDTH / 2], [0, FOCAL, HEIGHT / 2], [0, 0, 1]])
    for seed, (name, noise) in enumerate({"noisy": 1e-3, "exact": 0.0}.items()):
        add_sample(data, "environment", name)
        condition = "right_then_left_10s"
        rows.append({"item_id": f"environment:{name}:{condition}"})
        place = folder / "model" / "outputs" / "environment" / name / condition
        place.mkdir(parents=True)
        write_video(place / "video.mp4", filmed(seed, OUT, lambda k: True)[:, :, :WIDTH], fps=FRAMES / 10)
        poses = yaw(np.degrees(np.arctan2(OUT, FOCAL)))
        poses[:, :3, 3] = noise * rng.normal(size=(FRAMES, 3))
        file = folder / "artifacts" / "environment" / name / condition / "da3" / "results.npz"
        file.parent.mkdir(parents=True)
        np.savez(file, extrinsics=poses[:, :3], intrinsics=np.tile(lens, (FRAMES, 1, 1)))
    write_rows(data / "mapping.jsonl", rows)
    return folder


def flags(made, protocol):
    stored = f"poses=mbench_stored_poses:folder={made / 'artifacts'},convention=camera_to_world"
    return (
        made / "model", "-b", "mbench", "--data", made / "MBench-A", "--protocol", protocol, "-m", COLUMNS,
        "--instruments", "pocket", "--use", stored, "-o", made / f"run-{protocol}", "--store", made / "store",
    )  # fmt: skip


def test_plan_says_that_pure_turns_have_no_number_by_our_own_limit(made):
    paper = helpers.worldgauge("plan", *flags(made, "paper")).stdout
    assert "a_epipolar, a_reprojection: 2 of 2 cases are pure turns" in " ".join(paper.split())
    assert "our own limit (least_baseline), the paper prints none (4.3.1)" in " ".join(paper.split())
    assert "a_total_turning" in paper
    assert "pure turns" not in helpers.worldgauge("plan", *flags(made, "table2")).stdout
    (remark,) = helpers.run_json("plan", *flags(made, "paper"))["remarks"]
    assert remark.startswith("a_epipolar, a_reprojection: 2 of 2")


@pytest.fixture(scope="module")
def records(made):
    found = {}
    for protocol in ("paper", "table2"):
        # Columns that are named and have no value end with 1.
        helpers.worldgauge("run", *flags(made, protocol), check=False)
        for line in helpers.records(made / f"run-{protocol}"):
            found[protocol, line["metric"], line["case"].split("/")[1]] = line
    return found


def test_the_record_keeps_the_literal_value(records):
    """What `table2` measures all the same stands in the record under `paper`."""
    for column in ("a_epipolar", "a_reprojection"):
        paper, table = records["paper", column, "noisy"], records["table2", column, "noisy"]
        assert (paper["status"], paper["code"]) == ("unscored", "baseline")
        assert "pairs have a baseline below 0.02, which is our own limit; without it the score is" in paper["reason"]
        assert float(paper["reason"].split("the score is ")[1].split()[0]) == pytest.approx(table["raw"], rel=1e-3)
        assert records["paper", f"{column}_turning", "noisy"]["status"] == "ok"


def test_without_any_baseline_the_reason_is_true(records):
    for protocol, told in (
        ("paper", "pairs have a baseline below 0.02, which is our own limit; without it the error is 0/0"),
        ("table2", "no pair of views has an error: without any distance between its two cameras it is 0/0"),
    ):
        record = records[protocol, "a_epipolar", "exact"]
        assert (record["status"], record["code"]) == ("unscored", "baseline")
        assert told in record["reason"]


def test_the_total_for_turns_has_the_members_that_exist_for_turns():
    file = read_benchmark_file("mbench")
    groups = {group.id: group for group in file.groups}
    uses = {use.id: use for use in file.metrics}
    leaves, pending = set(), ["a_total_turning"]
    while pending:
        name = pending.pop()
        pending += groups[name].of if name in groups else []
        leaves |= set() if name in groups else {name}
    of_views = {name for name in leaves if uses[name].use in ("epipolar", "reprojection")}
    assert of_views and all(uses[name].parameters == {"degenerate": "rotation"} for name in of_views)
    assert {name for name in leaves if name.startswith("a_action")} == {"a_action_turning"}
    assert len([name for name in leaves if "trigger" not in name]) == 11
    shown = helpers.worldgauge("show", "mbench").stdout
    assert "Total for pure turns, action (ours; compare it with no other total)" in shown
