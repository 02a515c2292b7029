"""SAM 3 over a clip: equal to transformers called plainly with the same overlap rules, and pixels that two claim."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn import functional

from instruments.neural.rule import image
from worldgauge.core.instrument import INSTRUMENTS

pytest.importorskip("transformers")
from transformers import Sam3VideoConfig, Sam3VideoInferenceSession, Sam3VideoModel

from instruments.neural import tiny_transformers as tiny
from instruments.neural.weight_folder import PAIRS
from worldgauge.instruments.neural.networks import mask_tools
from worldgauge.instruments.neural.networks.sam3_video import PhraseFollowing
from worldgauge.instruments.neural.sam3 import Sam3, Sam3Video, phrase_tokens

FRAMES = np.stack([image("phrase", 40, 60, 2 * k, k) for k in range(4)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sam3_video")
    tiny.saved(tiny.sam3_video(), folder)
    (folder / "words.txt.gz").write_bytes(gzip.compress("\n".join(("#version", *PAIRS)).encode()))
    return folder


@pytest.fixture(autouse=True)
def _placed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = f"sam3={folder / 'model.safetensors'} clip_words={folder / 'words.txt.gz'}"
    monkeypatch.setenv("WORLDGAUGE_WEIGHTS", places)


def test_it_is_transformers_called_plainly(folder: Path) -> None:
    instrument = Sam3Video()
    assert INSTRUMENTS.get("sam3_video") is Sam3Video and instrument.unavailable() is None
    own = list(instrument.followed_phrase(FRAMES, "the cat"))
    tokens, lengths = phrase_tokens(instrument.network[1], ["the cat"], 32)

    config = Sam3VideoConfig.from_pretrained(folder)
    config.image_size = 112
    plain = Sam3VideoModel.from_pretrained(folder, config=config).eval()
    pixels = torch.from_numpy(FRAMES.copy()).permute(0, 3, 1, 2).float()
    video = functional.interpolate(pixels, (112, 112), mode="bilinear", antialias=True).round().clamp(0, 255)
    session = Sam3VideoInferenceSession(video / 127.5 - 1, *FRAMES.shape[1:3], dtype=torch.float32)
    number = session.add_prompt("the cat")
    session.prompt_input_ids[number] = torch.from_numpy(tokens)
    session.prompt_attention_masks[number] = (torch.arange(32) < int(lengths[0])).long()[None]
    with torch.inference_mode():
        told = list(plain.propagate_in_video_iterator(session))
    assert len(own) == len(told) == 4 and any(own), "something is followed"
    for found, one in zip(own, told, strict=True):
        for object_id, (mask, score) in found.items():
            low = one.obj_id_to_mask[object_id][:, None].float()
            wanted = functional.interpolate(low, (40, 60), mode="bilinear", align_corners=False)[0, 0] > 0
            # A pixel may have gone to another object.
            assert (mask & ~wanted.numpy()).mean() < 1e-3
            assert score == pytest.approx(float(one.obj_id_to_score[object_id]), abs=1e-5)


def test_the_same_file_serves_single_frames() -> None:
    masks, scores = Sam3().segment(FRAMES[:1], ["the cat"], 0.0)[0]
    assert masks.shape == (20, 40, 60) and scores.shape == (20,)


def test_a_pixel_that_two_claim_goes_to_the_one_followed_more_surely() -> None:
    left, right, gone = (torch.full((1, 2, 4), -1.0) for _ in range(3))
    left[..., :3], right[..., 1:] = 1.0, 1.0
    told = SimpleNamespace(
        obj_id_to_mask={4: right, 2: left, 5: gone, 7: left, 8: left},
        obj_id_to_score={2: 0.9, 4: 0.5, 5: 0.9, 7: 1.0, 8: 1.0},
        obj_id_to_tracker_score={2: 0.3, 4: 0.8, 7: 1.0},
        suppressed_obj_ids={7},
    )
    session = SimpleNamespace(hotstart_removed_obj_ids={8})
    shown = PhraseFollowing._shown(PhraseFollowing.__new__(PhraseFollowing), session, told, 2, 4)
    assert {number: (mask[0].tolist(), score) for number, (mask, score) in shown.items()} == {
        2: ([True, False, False, False], 0.9),
        4: ([False, True, True, True], 0.5),
    }


def test_regions_connect_by_their_corners() -> None:
    masks = torch.tensor([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]], dtype=torch.uint8)[None, None]
    labels, counts = mask_tools.cc_2d(masks)
    assert counts[0, 0].tolist() == [[2, 0, 0, 2], [0, 2, 0, 2], [0, 0, 0, 0]]
    assert labels[0, 0, 0, 0] == labels[0, 0, 1, 1] != labels[0, 0, 0, 3]


def test_of_overlapping_masks_the_surest_stays() -> None:
    overlaps = torch.tensor([[1, 0.5, 0.2], [0.5, 1, 0.6], [0.2, 0.6, 1]])
    scores = torch.tensor([0.9, 0.8, 0.7])
    # The third overlaps the second, which is gone.
    assert mask_tools.generic_nms(overlaps, scores, 0.4).tolist() == [0, 2]
    assert mask_tools.generic_nms(overlaps, scores, 0.5).tolist() == [0, 1]
