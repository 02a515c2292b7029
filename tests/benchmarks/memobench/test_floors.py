"""The true video and its floors, inputs of the ablation, and the figures: files that can be looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchmarks.memobench.released_layout import FRAMES, turn, write_dataset, write_frames
from worldgauge.api.building import build_job
from worldgauge.benchmarks.memobench.commands import app
from worldgauge.benchmarks.memobench.data.cases import read_dataset
from worldgauge.benchmarks.memobench.data.floors import FIRST, LAST, NAMES, TRUE
from worldgauge.benchmarks.memobench.data.importer import find_videos
from worldgauge.benchmarks.memobench.inputs import INDEX, fixed_cases, write_inputs
from worldgauge.benchmarks.memobench.inputs import app as inputs_app
from worldgauge.core.case import Case
from worldgauge.core.errors import WorldGaugeError
from worldgauge.engine.plan import make_plan
from worldgauge.engine.run import execute
from worldgauge.report import plots

CLIP = "Synthetic/Barnyard/Barnyard_001/frames"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = write_dataset(tmp_path)
    np.save(data / "Synthetic_processed" / "ZenGarden" / "ZenGarden_010" / "poses.npy", turn(FRAMES))
    return data


def picture(file: Path) -> np.ndarray:
    return np.asarray(Image.open(file).convert("RGB"))


def measure(videos: Path, data: Path, metrics: str, out: Path) -> None:
    """Run one clip with pocket instruments."""
    job = build_job(
        videos,
        benchmark="memobench",
        data=data,
        instruments="pocket",
        metrics=metrics,
        cases="Barnyard_001",
        store=out.parent / "store",
        out=out,
    )
    execute(job, make_plan(job))


def test_three_submissions_that_are_found(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "floors"
    printed = CliRunner().invoke(app, ["floors", str(data), "-o", str(out)]).stdout
    assert printed.count("6 clips") == 3
    for name in NAMES:
        assert len(find_videos(out / name, read_dataset(data)).videos) == 6
    reference = [picture(f) for f in sorted((data / "Synthetic_processed/Barnyard/Barnyard_001/RGB1").iterdir())]
    for name, expected in ((TRUE, reference), (FIRST, reference[:1] * FRAMES), (LAST, reference[-1:] * FRAMES)):
        shown = [picture(f) for f in sorted((out / name / CLIP).iterdir())]
        assert len(shown) == FRAMES
        assert np.array_equal(shown, expected), name


def test_a_models_length_and_size(data: Path, tmp_path: Path) -> None:
    arguments = ["floors", str(data), "-o", str(tmp_path / "floors"), "--frames", "5", "--size", "64x48"]
    CliRunner().invoke(app, arguments)
    shown = sorted((tmp_path / "floors" / TRUE / CLIP).iterdir())
    assert len(shown) == 5
    assert Image.open(shown[0]).size == (64, 48)


def test_the_true_video_has_nothing_to_improve(data: Path, tmp_path: Path) -> None:
    CliRunner().invoke(app, ["floors", str(data), "-o", str(tmp_path / "floors")])
    found = {}
    for name in NAMES:
        out = tmp_path / "runs" / name
        flags = {"benchmark": "memobench", "data": data, "store": tmp_path / "store", "out": out}
        metrics = "GT_ALL_PSNR,GT_R_PSNR,CameraControllability,house_camera_control"
        job = build_job(
            tmp_path / "floors" / name, metrics=metrics, instruments="pocket", cases="Barnyard_001", **flags
        )
        execute(job, make_plan(job))
        lines = [json.loads(line) for file in out.glob("records-*.jsonl") for line in file.read_text().splitlines()]
        found[name] = {record["metric"]: record.get("raw") for record in lines}
    assert found[TRUE]["GT_ALL_PSNR"] == 99.0
    assert found[FIRST]["GT_ALL_PSNR"] < 20
    assert found[LAST]["GT_R_PSNR"] > found[FIRST]["GT_R_PSNR"], "its last frame is right"


def test_camera_and_text_without_the_frame(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "ablation"
    entries = write_inputs(data, out, "ci2v", (64, 48), 5, with_frame=False, sample=3).entries
    assert len(entries) == 3
    assert not any("image" in entry for entry in entries)
    assert all((out / entry["camera"]).is_file() for entry in entries)
    assert not list(out.rglob("first.png"))
    assert entries == write_inputs(data, tmp_path / "again", "ci2v", (64, 48), 5, with_frame=False, sample=3).entries
    with pytest.raises(WorldGaugeError, match="prompt alone"):
        write_inputs(data, out, "i2v", (64, 48), 5, with_frame=False)


def test_a_sample_does_not_depend_on_the_order() -> None:
    cases = [Case(id=f"clip-{i}") for i in range(60)]
    drawn = fixed_cases(cases, 50)
    assert len(drawn) == 50
    assert {case.id for case in drawn} == {case.id for case in fixed_cases(cases[::-1], 50)}


def test_a_preset_says_how_a_model_was_run(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "wan"
    arguments = ["--data", str(data), "--preset", "wan2.2", "-o", str(out), "--sample", "1"]
    assert "ci2v models at 832x480, 81 frames" in CliRunner().invoke(inputs_app, arguments).stdout
    entry = json.loads((out / INDEX).read_text().splitlines()[0])
    assert (entry["frames"], entry["size"]) == (81, [832, 480])
    with pytest.raises(WorldGaugeError, match=r"Wan2\.2"):
        raise CliRunner().invoke(inputs_app, [*arguments[:3], "wan2.1", *arguments[4:]]).exception  # type: ignore[misc]
    assert CliRunner().invoke(app, ["presets"]).stdout.count("i2v") == 8, "five with cameras, three without"


def test_a_strip_shows_three_frames_of_each_phase(data: Path, tmp_path: Path) -> None:
    shades = np.arange(12, dtype=np.uint8)[:, None, None, None] * 20
    write_frames(tmp_path / "grey" / CLIP, np.broadcast_to(shades, (12, 24, 32, 3)).copy())
    job = build_job(
        tmp_path / "grey",
        benchmark="memobench",
        data=data,
        metrics="num_frames",
        out=tmp_path / "run",
        cases="Barnyard_001",
    )
    execute(job, make_plan(job))
    arguments = ["strip", str(tmp_path / "run"), "--case", "Barnyard_001", "-o", str(tmp_path / "strip.png")]
    CliRunner().invoke(app, arguments)
    strip = picture(tmp_path / "strip.png")
    # Frames of 32x24 become 128x96; the second row, below the reference, is the model's.
    middle = strip[14 + 96 + 4 + 48]
    left = strip.shape[1] - 9 * (128 + 4)
    shown = [int(middle[left + i * 132 + 64, 0]) // 20 for i in range(9)]
    assert shown == [0, 2, 3, 4, 6, 7, 8, 10, 11]
    with pytest.raises(WorldGaugeError, match="Barnyard_001"):
        raise CliRunner().invoke(app, [*arguments[:3], "Barnyard_01", *arguments[4:]]).exception  # type: ignore[misc]


def test_a_radar_of_the_printed_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: dict[str, Any] = {}
    monkeypatch.setattr(plots, "radar", lambda labels, models: drawn.update(labels=labels, models=models))
    monkeypatch.setattr(plots, "save", lambda figure, path: path.write_text("drawn"))
    out = tmp_path / "radar.svg"
    assert "10 models" in CliRunner().invoke(app, ["radar", "--printed", "-o", str(out)]).stdout
    assert out.read_text() == "drawn"
    assert len(drawn["labels"]) == 10
    shares = dict(zip(drawn["labels"], drawn["models"]["LTX-Video"], strict=True))
    assert shares["GT_ALL_LPIPS"] == pytest.approx(1 - 0.518)
    assert [shares["ORS"], shares["MotionSmoothness"]] == pytest.approx([0.33, 0.844])
    with pytest.raises(WorldGaugeError, match="nothing to draw"):
        raise CliRunner().invoke(app, ["radar", "-o", str(out)]).exception  # type: ignore[misc]
