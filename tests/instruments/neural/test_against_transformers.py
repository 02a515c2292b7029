"""The same random weights, saved by transformers and read by us: transformers called plainly gives the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.rule import image
from worldgauge.instruments.neural.networks.clip import clip_from
from worldgauge.instruments.neural.networks.clip_encoder import ClipEncoder
from worldgauge.instruments.neural.networks.depth_anything import DepthEncoder, depth_anything_from
from worldgauge.instruments.neural.networks.dinov2 import Dinov2Encoder, dinov2_from
from worldgauge.instruments.neural.preparing import least_scaled_size, resized, squares
from worldgauge.instruments.neural.read_state import read_state
from worldgauge.instruments.neural.words import ClipWords, RewardWords

transformers = pytest.importorskip("transformers")

FRAMES = np.stack([image(f"frame{k}", 56, 84) for k in range(2)])
PATCHES = {"hidden_size": 128, "num_attention_heads": 2, "num_hidden_layers": 4, "image_size": 56, "patch_size": 14}
TEXT = "Two  RED cats' &  one caf\u00e9 \u2603 at 12:30!!"


def saved(model: Any, folder: Path) -> dict[str, torch.Tensor]:
    """A model with parameters large enough to matter, through its directory on disk."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.eval().parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    model.save_pretrained(folder)
    return read_state(folder / "model.safetensors")


@pytest.mark.parametrize("activation", ["quick_gelu", "gelu"])
def test_clip(activation: Any, tmp_path: Path) -> None:
    both = {"hidden_size": 128, "num_attention_heads": 2, "num_hidden_layers": 2, "hidden_act": activation}
    config = transformers.CLIPConfig(
        text_config={**both, "vocab_size": 600, "eos_token_id": 599, "bos_token_id": 598},
        vision_config={**both, "image_size": 28, "patch_size": 14},
        projection_dim=64,
    )
    model = transformers.CLIPModel(config)
    encoder = ClipEncoder(clip_from(saved(model, tmp_path), activation), batch=1)
    tokens = np.zeros((2, 77), np.int64)
    tokens[0, :5], tokens[1] = [598, 3, 4, 5, 599], [598, *range(76)]
    frames = squares(FRAMES, 28, 28)
    processor = transformers.CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    pixels = processor(list(frames), return_tensors="pt")["pixel_values"]
    with torch.no_grad():
        images = model.get_image_features(pixel_values=pixels).pooler_output.numpy()
        texts = model.get_text_features(input_ids=torch.from_numpy(tokens)).pooler_output.numpy()
    assert encoder.images(FRAMES) == pytest.approx(images, abs=2e-5)
    assert encoder.texts(tokens) == pytest.approx(texts, abs=2e-5)


def test_dinov2(tmp_path: Path) -> None:
    model = transformers.Dinov2Model(transformers.Dinov2Config(**PATCHES))
    network = dinov2_from(saved(model, tmp_path))
    encoder = Dinov2Encoder(network, "transformers", batch=1)
    with torch.no_grad():
        pixels = torch.stack([normalised(frame) for frame in FRAMES])
        expected = model(pixels).last_hidden_state.numpy()
    assert encoder.tokens(FRAMES) == pytest.approx(expected, abs=5e-5)
    assert np.abs(Dinov2Encoder(network, "hub", batch=1).tokens(FRAMES) - expected).max() > 1e-3


def test_depth_anything(tmp_path: Path) -> None:
    backbone = transformers.Dinov2Config(
        **PATCHES, out_indices=[1, 2, 3, 4], apply_layernorm=True, reshape_hidden_states=False
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone, reassemble_hidden_size=128, neck_hidden_sizes=[12, 24, 48, 96], fusion_hidden_size=16,
        head_hidden_size=8,
    )  # fmt: skip
    model = transformers.DepthAnythingForDepthEstimation(config)
    network = depth_anything_from(saved(model, tmp_path))
    with torch.no_grad():
        expected = model(torch.stack([normalised(frame) for frame in FRAMES])).predicted_depth.numpy()
    assert expected.std() > 1e-3
    assert DepthEncoder(network, "transformers", batch=1).depths(FRAMES) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("size", [(64, 36), (90, 160), (50, 50)])
def test_sizes_of_the_depth_processor(size: tuple[int, int]) -> None:
    frame = image("processor", size[1], size[0])
    processor = transformers.DPTImageProcessorPil(
        size={"height": 518, "width": 518}, keep_aspect_ratio=True, ensure_multiple_of=14, do_rescale=False,
        do_normalize=False,
    )  # fmt: skip
    pixels = processor(frame, return_tensors="np")["pixel_values"][0]
    assert np.array_equal(pixels.transpose(1, 2, 0), resized(frame[None], least_scaled_size(*size))[0])


def normalised(frame: np.ndarray) -> torch.Tensor:
    values = (frame / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    return torch.from_numpy(values.transpose(2, 0, 1).astype(np.float32))


def test_words_of_clip(tmp_path: Path) -> None:
    pairs = ["t w", "tw o</w>", "r e", "re d</w>", "c a", "ca t", "cat s</w>", "\u00c3 \u00a9</w>", "o n", "on e</w>"]
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *pairs]), "utf-8")
    words = ClipWords(tmp_path / "merges.txt")
    assert words.size == 512 + len(pairs) + 2
    plain = transformers.CLIPTokenizer.from_pretrained(saved_words(words, tmp_path))
    ids = plain(TEXT)["input_ids"]
    found = words.tokens([TEXT, TEXT * 9], 77, "lose_end")
    assert found[0, : len(ids)].tolist() == ids
    assert not found[0, len(ids) :].any()
    assert found[1].tolist() == plain(TEXT * 9)["input_ids"][:77], "cut, and the end token is lost"
    kept = words.tokens([TEXT * 9], 77, "keep_end")[0]
    assert kept.tolist() == plain(TEXT * 9, truncation=True, max_length=77)["input_ids"]


def saved_words(words: Any, folder: Path) -> Path:
    vocabulary = words._tokenizer.get_vocab()
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    return folder


def test_words_of_a_reward(tmp_path: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "two", "red", "cat", "##s", "&", "one", "cafe", "!", "'"]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    tokens, mask = RewardWords(tmp_path / "vocab.txt").tokens([TEXT, TEXT * 9])
    assert tokens[0, :9].tolist() == [2, 5, 6, 7, 8, 13, 9, 10, 11], "lower case, no accents, words in pieces"
    assert tokens.shape == mask.shape == (2, 35)
    assert tokens[1, -1] == 3, "the cut text ends with [SEP]"
    assert mask[1].all()
    assert mask[0].sum() == (tokens[0] != 0).sum() < 35
