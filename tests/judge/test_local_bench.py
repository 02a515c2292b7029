"""The measurement of a local judge runs, on a tiny model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.judge_local import main


def test_the_measurement_runs_on_a_tiny_model(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    file = tmp_path / "figures.json"
    arguments = ["--size", "tiny", "--seconds", "0.1", "--batches", "1,3", "--pictures", "2", "--side", "64"]
    found = main([*arguments, "--tokens", "4", "--json", str(file)])
    assert json.loads(file.read_text()) == found
    lines = found["measured"]
    assert [(line["mode"], line["batch"]) for line in lines] == [(m, b) for m in ("logits", "words") for b in (1, 3)]
    assert all(line["questions_per_second"] > 0 and line["questions"] >= line["batch"] for line in lines)
    assert {line["tokens_out"] for line in lines} == {1, 4}
    # Two pictures of 64 pixels are four places each, and there are more words than places.
    assert all(line["tokens_in"] > 100 for line in lines)
