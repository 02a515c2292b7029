"""Grounding DINO out of the authors' own file: their names, and the numbers their code gave on such a checkpoint."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.flow_and_style import expanded
from instruments.neural.rule import fill, image
from worldgauge.core.errors import WorldGaugeError

pytest.importorskip("transformers")
from transformers import BertConfig, GroundingDinoConfig, SwinConfig

from worldgauge.instruments.neural.networks.grounding_dino import Grounding, grounding_dino_from
from worldgauge.instruments.neural.networks.grounding_dino_layout import renamed_parts
from worldgauge.instruments.neural.pretrained import config_beside
from worldgauge.instruments.neural.read_state import read_state

FILE = Path(__file__).with_name("grounding_dino.json")
HEADS = re.compile(r"^(transformer\.decoder\.)?bbox_embed\.\d+")
"""One head under several names."""
State = dict[str, torch.Tensor]


@cache
def known() -> dict[str, Any]:
    return json.loads(FILE.read_text("utf-8"))


@cache
def checkpoint() -> State:
    """Filled by the rule under the authors' names, with what their file holds for training alone."""
    state = {"label_enc.weight": torch.zeros(3, 256), "bert.embeddings.position_ids": torch.arange(512)[None]}
    for key, shape in known()["layout"].items():
        for name in expanded(key):
            if name.endswith("relative_position_index"):
                state[name] = torch.zeros(*shape, dtype=torch.long)
            else:
                state[name] = torch.from_numpy(np.array(fill(HEADS.sub("bbox_embed.0", name), tuple(shape), "A", 1.5)))
    return {f"module.{name}": value for name, value in state.items()}


@cache
def small() -> GroundingDinoConfig:
    return GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64, embed_dim=8, depths=[1, 2, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
            out_indices=[2, 3, 4],
        ),
        text_config=BertConfig(
            vocab_size=1040, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
        ),
        encoder_layers=1, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=32,
        decoder_ffn_dim=32, num_queries=12,
    )  # fmt: skip


def test_the_authors_file_gives_the_authors_numbers(tmp_path: Path) -> None:
    file = tmp_path / "groundingdino.pth"
    torch.save({"model": checkpoint()}, file)
    small().save_pretrained(tmp_path)
    network = Grounding(grounding_dino_from(read_state(file), config_beside(file)))
    found = network.answer(image("room", 96, 128), np.array(known()["tokens"]))
    tolerance = known()["tolerance"]
    assert np.ptp(known()["probabilities"]) > 0.5 and np.ptp(known()["boxes"]) > 0.5, "they tell something apart"
    assert np.abs(found.probabilities - known()["probabilities"]).max() < tolerance
    assert np.abs(found.boxes - known()["boxes"]).max() < tolerance


def test_nothing_may_be_missing_and_nothing_be_left_over() -> None:
    config = small().to_dict()
    less = {name: value for name, value in checkpoint().items() if "fusion_layers.0.gamma_l" not in name}
    with pytest.raises(WorldGaugeError, match=r"no model\.encoder\.layers\.0\.fusion_layer\.text_param"):
        grounding_dino_from(less, config)
    with pytest.raises(WorldGaugeError, match=r"entries the network does not have: model\.extra"):
        grounding_dino_from({**checkpoint(), "module.transformer.extra": torch.zeros(1)}, config)


def test_fused_matrices_are_queries_keys_and_values_in_this_order() -> None:
    rows = torch.arange(6.0)[:, None].expand(6, 2)
    found = renamed_parts({"transformer.decoder.layers.3.ca_text.in_proj_weight": rows})
    names = [f"model.decoder.layers.3.encoder_attn_text.{part}.weight" for part in ("query", "key", "value")]
    assert [found[name][:, 0].tolist() for name in names] == [[0, 1], [2, 3], [4, 5]]
