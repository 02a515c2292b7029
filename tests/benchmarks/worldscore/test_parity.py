"""A subset of the recorded calls of the released code; `worldgauge parity FOLDER` runs all of them."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from worldgauge.benchmarks.worldscore.official.aspects import PARTS
from worldgauge.benchmarks.worldscore.parity.vectors import vectors
from worldgauge.cli.parity import app
from worldgauge.core.errors import WorldGaugeError
from worldgauge.parity import ParityFolder, judge_vector, run_parity

GOLDEN = Path(__file__).parent / "data" / "parity"
VECTORS = list(vectors(ParityFolder(GOLDEN)))


@pytest.mark.parametrize("vector", VECTORS, ids=[v.id for v in VECTORS])
def test_recorded_call(vector):
    verdict = judge_vector(vector)
    assert verdict.outcome == "matched", verdict.detail


def test_crashes_of_the_original_get_a_status():
    statuses = {v.id: v.detail for v in run_parity(GOLDEN)}
    assert statuses["aepe_08"] == ""  # nothing left after the crop: NaN in the original, which scores 0, as here
    assert statuses["aepe_video_no_pair"] == "invalid"
    assert statuses["smooth_09"] == "invalid"  # aborts the official run
    assert statuses["obj_03"] == ""  # division by zero, stored as -100, as here
    assert statuses["camerr_24"] == "error"  # NaN pose
    assert statuses["fail_frame_count"] == "invalid"  # aborts the official run
    assert statuses["camerr_06"] == ""


@pytest.fixture
def tampered(tmp_path):
    """The golden folder with one recorded number moved by ten times its tolerance."""
    shutil.copytree(GOLDEN, tmp_path / "parity")
    file = tmp_path / "parity" / "index.json"
    index = json.loads(file.read_text())
    item = next(i for i in index["items"] if i["id"] == "camerr_06")
    item["outputs"]["trans_error"] += 10 * item["tolerance"]["trans_error_abs"]
    file.write_text(json.dumps(index))
    return tmp_path / "parity"


def test_a_wrong_number_is_seen(tampered):
    differing = [v for v in run_parity(tampered) if v.outcome == "differing"]
    assert [v.id for v in differing] == ["camerr_06"]
    assert "translation error" in differing[0].detail


def test_command(tampered):
    good = CliRunner().invoke(app, [str(GOLDEN)])
    assert good.exit_code == 0, good.output
    assert len(VECTORS) == 77
    bad = CliRunner().invoke(app, [str(tampered), "--json"])
    assert bad.exit_code == 1
    assert sum(v["outcome"] == "differing" for v in json.loads(bad.stdout)) == 1


def test_both_events_of_every_metric():
    """A metric that raises is stored as the sentinel, one that returns NaN with what clipping makes of NaN."""
    index = json.loads((GOLDEN / "index.json").read_text())["items"]
    events = {(i["inputs"]["metric"], i["inputs"]["event"]) for i in index if "event" in i.get("inputs", {})}
    both = {"metric raises RuntimeError", "metric returns NaN (all components)"}
    assert events == {(metric, event) for metric in PARTS for event in both} and len(PARTS) == 11


@pytest.mark.parametrize(
    ("vector", "event", "reason"),
    [
        ("fail_nan_clip_score", "metric raises RuntimeError", "stored score"),
        ("fail_gram_matrix", "metric returns NaN (all components)", "stored score"),
        ("fail_nan_optical_flow", "metric returns a list", "the event 'metric returns a list' is not known"),
    ],
)
def test_the_recorded_event_is_read(tmp_path, vector, event, reason):
    shutil.copytree(GOLDEN, tmp_path / "parity")
    index = json.loads((GOLDEN / "index.json").read_text())
    next(item for item in index["items"] if item["id"] == vector)["inputs"]["event"] = event
    (tmp_path / "parity" / "index.json").write_text(json.dumps(index))
    differing = {v.id: v.detail for v in run_parity(tmp_path / "parity") if v.outcome == "differing"}
    assert differing.keys() == {vector} and reason in differing[vector]


def test_folder_without_index(tmp_path):
    with pytest.raises(WorldGaugeError, match=r"holds no index\.json"):
        run_parity(tmp_path)
