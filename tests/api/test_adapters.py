"""Trackers get the numbers: recording fakes here, the real clients writing to a folder in the nightly run."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import worldgauge as wg
from worldgauge.adapters.mlflow_tracking import log_to_mlflow
from worldgauge.adapters.numbers import finite_numbers
from worldgauge.adapters.tensorboard_events import log_to_tensorboard
from worldgauge.adapters.weights_and_biases import log_to_wandb
from worldgauge.core.manifest import include

TOLD = {"psnr": 31.5, "psnr/coverage": 1.0, "ssim": math.nan, "ssim/coverage": 0.0, "bench/psnr": 12.0}


class Recorder:
    """Stands for a client and writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def log(self, numbers: dict[str, float], step: int | None = None) -> None:
        self.told.append((numbers, step))

    log_metrics = log

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.told.append((name, value, step))


def test_what_each_client_is_told() -> None:
    recorders = [Recorder() for _ in range(3)]
    log_to_wandb(TOLD, step=7, run=recorders[0])
    log_to_mlflow(TOLD, step=7, client=recorders[1])
    log_to_tensorboard(TOLD, recorders[2], step=7)
    # ssim has no value: absent is not zero.
    kept = {"psnr": 31.5, "psnr/coverage": 1.0, "ssim/coverage": 0.0, "bench/psnr": 12.0}
    assert recorders[0].told == [(kept, 7)]
    assert recorders[1].told == [({name.replace("/coverage", ".coverage"): v for name, v in kept.items()}, 7)]
    assert recorders[2].told == [(name, value, 7) for name, value in kept.items()]


UNDECIDED = """
from worldgauge import Measurement, Unscored, metric

@metric(unit="", higher_is_better=True, bounds=(0, 1))
def undecided(case) -> Measurement:
    '''Never decides.'''
    raise Unscored("nothing to go by")
"""


def test_a_run_is_told_with_its_coverage(videos: Path, tmp_path: Path) -> None:
    (videos / "case-02.mkv").write_text("broken")
    (tmp_path / "undecided.py").write_text(UNDECIDED)
    include(tmp_path / "undecided.py")
    run = wg.evaluate(videos, metrics=["psnr", "undecided"])
    numbers = finite_numbers(run)
    value = run.summary().metrics["psnr"].value
    assert value is not None
    assert numbers == {
        "psnr": value,
        "psnr/coverage": pytest.approx(2 / 3),
        # A broken video could have been anything from 0 to 99 dB.
        "psnr/lowest": pytest.approx(2 * value / 3),
        "psnr/highest": pytest.approx((2 * value + 99) / 3),
        "undecided/coverage": 0.0,
        "undecided/lowest": 0.0,
        "undecided/highest": 1.0,
    }


@pytest.mark.nightly
def test_wandb_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb
    from wandb.proto.wandb_internal_pb2 import Record

    with pytest.raises(wg.WorldGaugeError, match="no Weights & Biases run is active"):
        log_to_wandb(TOLD)
    monkeypatch.setenv("WANDB_SILENT", "true")
    wandb.init(mode="offline", dir=str(tmp_path), project="test")
    log_to_wandb(TOLD, step=7)
    wandb.finish()
    found: dict[str, Any] = {}
    for data in _chunks(next(tmp_path.rglob("*.wandb")).read_bytes()):
        record = Record()
        record.ParseFromString(data)
        found |= {"/".join(i.nested_key) or i.key: json.loads(i.value_json) for i in record.history.item}
    assert {name: found[name] for name in finite_numbers(TOLD)} == finite_numbers(TOLD)
    assert found["_step"] == 7
    assert "ssim" not in found


def _chunks(log: bytes) -> Iterator[bytes]:
    """The records of a log file: blocks of 32 KB; checksum, length and kind before each part of a record."""
    position, record = 7, b""
    while position + 7 <= len(log):
        left = 32768 - position % 32768
        if left < 7:
            position += left
            continue
        _, length, kind = struct.unpack_from("<IHB", log, position)
        record += log[position + 7 : position + 7 + length]
        position += 7 + length
        # 1 is a whole record, 4 the last part of one.
        if kind in (1, 4):
            yield record
            record = b""


@pytest.mark.nightly
def test_mlflow_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "tracked").as_uri())
    with mlflow.start_run() as active:
        log_to_mlflow(TOLD, step=7)
    logged = mlflow.get_run(active.info.run_id).data.metrics
    assert logged == {n.replace("/coverage", ".coverage"): v for n, v in finite_numbers(TOLD).items()}
    assert mlflow.MlflowClient().get_metric_history(active.info.run_id, "psnr")[0].step == 7


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["folder", "SummaryWriter"])
def test_tensorboard_in_a_folder(how: str, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    if how == "folder":
        log_to_tensorboard(TOLD, tmp_path, step=7)
    else:
        from torch.utils.tensorboard import SummaryWriter

        with SummaryWriter(str(tmp_path)) as writer:
            log_to_tensorboard(TOLD, writer, step=7)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert set(events.Tags()["scalars"]) == set(finite_numbers(TOLD))
    assert [(e.step, e.value) for e in events.Scalars("psnr")] == [(7, 31.5)]
