"""The measurement of a local judge runs, on a tiny model."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from bench.judge_local import main


def test_patches_are_those_of_the_models_own_preparer() -> None:
    """Pictures that fit, that are resized, and that are too small and too large for it."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from PIL import Image
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    from worldgauge.judge.clients.patches import cut, opened

    preparer = Qwen2VLImageProcessorPil(
        patch_size=16, merge_size=2, temporal_patch_size=2, min_pixels=64 * 64, max_pixels=128 * 128
    )
    chance, files, pictures = np.random.default_rng(0), [], []
    for width, height in ((96, 64), (96, 64), (100, 70), (20, 30), (300, 200)):
        stream = io.BytesIO()
        Image.fromarray(chance.integers(0, 256, (height, width, 3), np.uint8)).save(stream, "JPEG")
        files.append(stream.getvalue())
        pictures.append(Image.open(io.BytesIO(files[-1])).convert("RGB"))
    theirs = preparer(images=pictures, return_tensors="pt")
    ours = cut([opened(data, preparer) for data in files], preparer, "cpu")
    assert ours["image_grid_thw"].tolist() == theirs["image_grid_thw"].tolist()
    np.testing.assert_allclose(ours["pixel_values"].numpy(), theirs["pixel_values"].numpy(), rtol=0, atol=2e-6)


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
