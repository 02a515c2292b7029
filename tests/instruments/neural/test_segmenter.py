"""SAM 3: equal to transformers called plainly; phrase, size, threshold and masks as the authors have them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from instruments.neural.rule import image
from worldgauge.core.instrument import INSTRUMENTS

pytest.importorskip("transformers")
from transformers import Sam3Model

from instruments.neural import tiny_transformers as tiny
from instruments.neural.weight_folder import PAIRS, WORDS
from worldgauge.instruments.neural.networks.sam3 import Segmenter, sam3_from
from worldgauge.instruments.neural.sam3 import Sam3

FRAMES = np.stack([image("object", 45, 60, 2 * k, k) for k in range(2)])
PHRASE = "the cat(subject)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sam3")
    tiny.saved(tiny.sam3(), folder)
    (folder / "words.txt.gz").write_bytes(gzip.compress("\n".join(("#version", *PAIRS)).encode()))
    return folder


@pytest.fixture
def placed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Sam3:
    places = f"sam3={folder / 'model.safetensors'} clip_words={folder / 'words.txt.gz'}"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", places)
    return Sam3()


def test_it_is_transformers_called_plainly(folder: Path, placed: Sam3) -> None:
    assert INSTRUMENTS.get("sam3") is Sam3 and placed.unavailable() is None
    (masks, scores), _ = placed.segment(FRAMES, [PHRASE, "a cat"], 0.0)
    _, words = placed.network
    tokens = torch.from_numpy(words.tokens([PHRASE], 32, "keep_end"))
    count = int((tokens[0] == WORDS - 1).nonzero()[0]) + 1
    pixels = torch.from_numpy(FRAMES[:1].copy()).permute(0, 3, 1, 2).float()
    squashed = functional.interpolate(pixels, (112, 112), mode="bilinear", antialias=True).round().clamp(0, 255)
    plain = Sam3Model.from_pretrained(folder).eval()
    with torch.inference_mode():
        told = plain(
            pixel_values=squashed / 127.5 - 1,
            input_ids=tokens,
            attention_mask=(torch.arange(32) < count).long()[None],
        )
        wanted = (told.pred_logits.sigmoid() * told.presence_logits.sigmoid())[0]
        large = functional.interpolate(told.pred_masks, (45, 60), mode="bilinear", align_corners=False)[0]
    assert len(scores) == len(masks) == 20, "at a threshold of 0 every query is kept"
    assert np.allclose(scores, wanted.numpy(), atol=1e-5)
    assert (masks ^ (large.sigmoid() > 0.5).numpy()).mean() < 1e-4
    assert masks.shape == (20, 45, 60) and masks.dtype == np.bool_ and 0.05 < masks.mean() < 0.95


def test_the_threshold_is_strict_and_rows_are_alone(placed: Sam3) -> None:
    everything = placed.segment(FRAMES, [PHRASE, PHRASE], 0.0)
    limit = float(np.sort(everything[0][1])[10])
    masks, scores = placed.segment(FRAMES[:1], [PHRASE], limit)[0]
    kept = everything[0][1] > limit
    assert kept.sum() == 9
    assert np.array_equal(scores, everything[0][1][kept]) and np.array_equal(masks, everything[0][0][kept])
    assert np.array_equal(placed.segment(FRAMES[1:], [PHRASE], 0.0)[0][0], everything[1][0])
    none, told = placed.segment(FRAMES[:1], [PHRASE], 2.0)[0]
    assert none.shape == (0, 45, 60) and told.shape == (0,)


def test_another_phrase_is_another_answer_and_a_long_one_is_cut(placed: Sam3) -> None:
    (_, first), (_, second) = placed.segment(np.stack([FRAMES[0]] * 2), ["cat", "the hat"], 0.0)
    assert not np.allclose(first, second)
    long = " ".join(["cat"] * 60)
    assert len(placed.segment(FRAMES[:1], [long], 0.0)[0][1]) == 20


def test_numbers_are_resized_before_the_limit() -> None:
    masks = torch.tensor([[[9.0, -1.0]]])
    found = Segmenter.enlarged(Segmenter.__new__(Segmenter), masks, 1, 4)
    # -1 and 9 meet at 1.5 and 6.5: three pixels are above 0. Their sigmoids would meet above a half in two.
    assert found[0, 0].tolist() == [True, True, True, False]


def test_a_file_that_holds_the_side_for_videos_too(folder: Path) -> None:
    from worldgauge.instruments.neural.pretrained import config_beside
    from worldgauge.instruments.neural.read_state import read_state

    file = folder / "model.safetensors"
    state = {
        f"detector_model.{name.removeprefix('detector_model.')}": value for name, value in read_state(file).items()
    }
    both = {**state, "tracker_model.x": torch.zeros(1), "tracker_neck.y": torch.zeros(1)}
    network = sam3_from(both, {"model_type": "sam3_video", "detector_config": config_beside(file)})
    assert network.config.detr_decoder_config.num_queries == 20
