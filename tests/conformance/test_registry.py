"""Every registered metric, signal and instrument keeps the promises that the engine and the reports rely on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import helpers
from worldgauge.core.cameras import CameraPath
from worldgauge.core.case import Case, Condition, Phases, Reference, Target
from worldgauge.core.case_file import write_cases
from worldgauge.core.instrument import INSTRUMENTS, SEATS, Instrument
from worldgauge.core.metric import METRICS
from worldgauge.core.signal import SIGNALS
from worldgauge.media.encoder import write_video

BUILT_IN = [name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("worldgauge.")]


@pytest.mark.parametrize("name", BUILT_IN)
def test_metric_is_documented(name: str) -> None:
    metric = METRICS.get(name)
    assert metric.summary.endswith("."), "the docstring's first paragraph is the definition people read"
    assert len(metric.summary) > 20
    low, high = metric.bounds
    assert low < high
    assert metric.name == name
    for use in metric.needs:
        assert SIGNALS.get(use.signal)


@pytest.mark.parametrize("name", SIGNALS.names())
def test_signal_is_documented(name: str) -> None:
    signal = SIGNALS.get(name)
    assert signal.summary.endswith(".")
    assert signal.name == name
    assert signal.cost >= 0


@pytest.mark.parametrize("name", INSTRUMENTS.names())
def test_instrument_identity_is_plain_data(name: str) -> None:
    kind = INSTRUMENTS.get(name)
    assert issubclass(kind, Instrument)
    assert kind.name == name
    assert kind.seat in SEATS
    assert kind.__doc__
    assert json.loads(json.dumps(kind().identity()))["name"] == name


def full_case(folder: Path, case_id: str, subject: np.ndarray, reference: np.ndarray) -> Case:
    """A case with everything a metric may ask for."""
    count, height, width = reference.shape[:3]
    write_video(folder / f"{case_id}.mkv", reference, fps=12)
    mask = np.zeros((height, width), np.uint8)
    mask[10:30, 20:44] = 255
    Image.fromarray(mask).save(folder / f"{case_id}-mask.png")
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 0.2, count)
    intrinsics = np.array([[width, 0, width / 2], [0, width, height / 2], [0, 0, 1.0]])
    CameraPath(poses, intrinsics, (width, height)).save(folder / f"{case_id}.npz")
    (folder / "videos").mkdir(exist_ok=True)
    write_video(folder / "videos" / f"{case_id}.mkv", subject, fps=12)
    third = max(1, count // 3)
    return Case(
        id=case_id,
        condition=Condition(prompt="a texture that moves", camera=f"{case_id}.npz", frames=count, fps=12),
        reference=Reference(
            video=f"{case_id}.mkv",
            camera=f"{case_id}.npz",
            target=Target(name="grey patch", box=(20, 10, 44, 30), mask=f"{case_id}-mask.png"),
            phases=Phases(gone=third, back=max(third, 2 * third)),
        ),
    )


@pytest.fixture(scope="module")
def difficult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clips that break careless code: two frames, black, frozen, noise, a cut."""
    folder = tmp_path_factory.mktemp("difficult")
    moving = helpers.moving_texture(6, 96, 64)
    noise = np.random.default_rng(3).integers(0, 256, moving.shape, dtype=np.uint8)
    cut = np.concatenate([moving[:3], helpers.moving_texture(3, 96, 64, seed=9)])
    subjects = {
        "plain": moving,
        "two-frames": moving[:2],
        "black": np.zeros_like(moving),
        "frozen": np.repeat(moving[:1], 6, axis=0),
        "noise": noise,
        "cut": cut,
        "shorter": moving[:4],
        "other-size": helpers.moving_texture(6, 80, 48),
    }
    cases = [full_case(folder, name, subject, moving) for name, subject in subjects.items()]
    write_cases(folder / "cases.jsonl", cases)
    # As columns of a benchmark: a metric that is named must have a value, and many of these need a network.
    columns = "".join(f"[[metric]]\nid = '{name}'\n" for name in BUILT_IN)
    (folder / "benchmark.toml").write_text(f"schema = 2\nname = 'difficult'\n{columns}")
    return folder


def run_all(folder: Path, out: Path, workers: int, store: Path) -> list[dict[str, object]]:
    flags = ["-b", folder, "-o", out, "--store", store, "-w", workers]
    helpers.worldgauge("run", folder / "videos", *flags, check=False)
    return helpers.records(out)


@pytest.mark.slow
def test_every_metric_survives_difficult_clips_and_is_deterministic(difficult: Path, tmp_path: Path) -> None:
    """No error record, every value within bounds, the same records with one and two workers and fresh stores."""
    first = run_all(difficult, tmp_path / "a", 1, tmp_path / "store-a")
    assert len(first) == 8 * len(BUILT_IN)
    errors = [(r["case"], r["metric"], r.get("reason")) for r in first if r["status"] == "error"]
    assert not errors
    for record in first:
        if record["status"] == "ok":
            low, high = METRICS.get(str(record["metric"])).bounds
            assert low <= float(record["raw"]) <= high  # type: ignore[arg-type]
        else:
            assert record["reason"], record
    second = run_all(difficult, tmp_path / "b", 2, tmp_path / "store-b")
    assert second == first
