"""With an instrument in every seat all aspects are scored, and the official file has no hole."""

import importlib.util
import json
from pathlib import Path

import pytest

import helpers
from benchmarks.worldscore.toy_dataset import make_dataset
from instruments.spacy_pipelines import packed, written_pipeline
from worldgauge.benchmarks.worldscore.data.cases import read_dataset
from worldgauge.benchmarks.worldscore.official.aspects import normalised
from worldgauge.benchmarks.worldscore.official.files import official_result
from worldgauge.core.run_folder import Run
from worldgauge.media.encoder import write_video

STUBS = Path(__file__).parent / "stub_networks.py"
SEATS = {
    "detector": "stub_detector",
    "text_image": "stub_text_image",
    "image_quality": "stub_quality",
    "aesthetic": "stub_aesthetic",
    "perceptual_distance": "stub_distance",
}
METRICS = (
    "object_control,clip_score,optical_flow_aepe,gram_matrix,clip_iqa,clip_aesthetic,"
    "motion_accuracy,motion_magnitude,smoothness_mse,smoothness_ssim,smoothness_lpips"
)


def dataset_and_model(folder):
    """The toy data set, and a clip for each of its cases below `model`."""
    data = make_dataset(folder / "data")
    for case in read_dataset(data):
        file = folder / "model" / f"{case.id}.mkv"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_video(file, helpers.moving_texture(7, 96, 64), fps=10)
    return data


@pytest.mark.parametrize("protocol", ["released", "paper"])
def test_every_seat(tmp_path, protocol):
    data = dataset_and_model(tmp_path)
    uses = [item for seat, name in SEATS.items() for item in ("--use", f"{seat}={name}")]
    arguments = ("run", tmp_path / "model", "-b", "worldscore", "--data", data, "--protocol", protocol, "-m", METRICS)
    helpers.worldgauge(
        *arguments, "--instruments", "pocket", "--include", STUBS, *uses, "-w", 1, "-o", tmp_path / "run"
    )
    run = Run(tmp_path / "run")
    raws = {metric: columns.raws for metric, columns in run.columns().items()}
    counts = {metric: {str(k): v for k, v in c.count().items()} for metric, c in run.columns().items()}
    # One of the three static worlds begins with push_in, which the released code does not judge by its text.
    assert counts["clip_score"] == ({"ok": 2, "skipped": 3} if protocol == "released" else {"ok": 3, "skipped": 2})
    assert counts["object_control"] == {"ok": 3, "skipped": 2}
    # Two objects are asked for in every scene and the stub finds the first.
    assert [raw for raw in raws["object_control"] if raw == raw] == [0.5, 0.5, 0.5]
    if protocol == "released":
        scores = official_result(run).scores
        assert scores["object_control"] == 50.0
        assert scores["content_alignment"] == round(100 * normalised("clip_score", 27.0), 2)
        quality = (normalised("clip_iqa+", 0.6) + normalised("clip_aesthetic", 5.5)) / 2
        assert scores["subjective_quality"] == pytest.approx(100 * quality, abs=0.006)
        empty = [aspect for aspect, score in scores.items() if score is None]
        # Two were not asked for, so no total is told.
        assert empty == ["camera_control", "3d_consistency", "WorldScore-Static", "WorldScore-Dynamic"]
        zeros = official_result(run, absent_as_zero=True).scores
        assert [aspect for aspect, score in zeros.items() if score == 0] == empty[:2]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["instruments"]["detector"] == "stub_detector"


def object_control(folder, command, *options):
    data = dataset_and_model(folder)
    arguments = (folder / "model", "-b", "worldscore", "--data", data, "-m", "object_control", "--include", STUBS)
    return helpers.worldgauge(command, *arguments, "--use", "detector=stub_detector", *options)


def test_without_spacys_pipeline_the_plan_names_the_command(tmp_path):
    """The official tagger is a library and a file: the plan has a command for each that is missing."""
    printed = object_control(tmp_path, "plan").stdout
    assert "worldgauge fetch spacy_en_core_web_sm" in printed
    installed = importlib.util.find_spec("spacy") is not None
    assert ("install the extra 'worldgauge[models]'" in printed) == (not installed)
    why = "are not on this machine; worldgauge fetch" if installed else "spacy is not installed"
    assert any(line.startswith("object_control") and why in line for line in printed.splitlines())


def test_the_official_tagger_is_the_pipeline_of_the_table(tmp_path):
    pytest.importorskip("spacy")
    wheel = packed(written_pipeline(tmp_path / "pipeline"), tmp_path / "own.whl")
    places = f"spacy_en_core_web_sm={wheel}"
    object_control(tmp_path, "run", "--weights", places, "-w", 1, "-o", tmp_path / "run")
    assert [record["status"] for record in helpers.records(tmp_path / "run")].count("ok") == 3
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    (definition,) = (d for d in told["definitions"] if d["id"] == "object_control")
    assert '"pipeline": "en_core_web_sm 3.8.0"' in json.dumps(definition), "the version stands in the record"
