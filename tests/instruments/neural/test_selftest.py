"""`doctor --selftest` with small networks for interpolation, detection, masks and faces: each is tried and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgauge.core.instrument import INSTRUMENTS
from worldgauge.engine.selftest import selftest

pytest.importorskip("onnxruntime")
pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("worldgauge.benchmarks.worldscore")
pytest.importorskip("worldgauge.benchmarks.memobench")

NAMES = ["buffalo_l", "colour_followed", "flow_carried", "grounding_dino_t", "sam2_hiera_b_plus", "sam3", "vfimamba"]


@pytest.mark.nightly
def test_each_is_tried_and_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from instruments.neural.weight_folder import write_weights

    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", write_weights(tmp_path))
    monkeypatch.setattr(INSTRUMENTS, "names", lambda: NAMES)
    found = {tried.instrument: (tried.status, tried.told) for tried in selftest()}
    assert {name: status for name, (status, _) in found.items()} == dict.fromkeys(NAMES, "ok"), found
