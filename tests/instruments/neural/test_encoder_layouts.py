"""The published checkpoints' names and shapes are accepted, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch

from instruments.neural.published import layout_of, tiny, unfilled
from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.networks import clip, depth_anything, image_reward
from worldgauge.instruments.neural.networks.clip import clip_from
from worldgauge.instruments.neural.networks.depth_anything import depth_anything_from
from worldgauge.instruments.neural.networks.dinov2 import dinov2_from
from worldgauge.instruments.neural.networks.filled import Unfilled
from worldgauge.instruments.neural.networks.image_reward import image_reward_from
from worldgauge.instruments.neural.networks.layouts import Rule, renamed
from worldgauge.instruments.neural.networks.linear_head import LinearHead, aesthetic_from
from worldgauge.instruments.neural.networks.vision_transformer import VisionTransformer

State = Mapping[str, torch.Tensor]
OWN: dict[str, Callable[[State], tuple[State, torch.nn.Module]]] = {
    "clip_vit_b32": lambda state: _clip(state),
    "clip_vit_l14": lambda state: _clip(state),
    "clip_rn50": lambda state: _clip(state),
    "dinov2_vitb14": lambda state: (state, VisionTransformer.like(state, "x")),
    "image_reward": lambda state: _reward(state),
    "depth_anything_v2_small": lambda state: (state, depth_anything.DepthAnything(state)),
    "laion_aesthetic_mlp": lambda state: (state, LinearHead.like(state, "x")),
}
FROM: dict[str, Callable[[Any], torch.nn.Module]] = {
    "clip_vit_b32": lambda state: clip_from(state, "quick_gelu"),
    "clip_rn50": lambda state: clip_from(state, "quick_gelu"),
    "dinov2_vitb14": dinov2_from,
    "image_reward": image_reward_from,
    "depth_anything_v2_small": depth_anything_from,
    "laion_aesthetic_mlp": aesthetic_from,
}


def _clip(state: State) -> tuple[State, torch.nn.Module]:
    own = renamed(state, clip.OPENAI)
    return own, clip.Clip(own, "quick_gelu", "x")


def _reward(state: State) -> tuple[State, torch.nn.Module]:
    own = renamed(state, image_reward.UNUSED)
    return own, image_reward.ImageReward(own)


@pytest.mark.parametrize("network", OWN)
def test_full_size_names_and_shapes(network: str) -> None:
    with Unfilled():
        own, module = OWN[network](unfilled(layout_of(network)))
    wanted = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    assert {name: tuple(value.shape) for name, value in own.items()} == wanted


@pytest.mark.parametrize("network", FROM)
def test_what_does_not_fit_is_one_line(network: str) -> None:
    state = tiny(network, words=600)
    last = [name for name in state if name.endswith(("weight", "proj"))][-1]
    changes = [
        ({name: value for name, value in state.items() if name != last}, "do not fit: no "),
        ({**state, "visual.extra.weight": torch.zeros(3)}, "do not fit: entries the network does not have: visual.ex"),
        ({**state, last: torch.zeros(7, 5, 3)}, "do not fit: "),
    ]
    if network == "image_reward":
        # Its authors leave surplus entries out; test_publishers_files.py looks at the remark.
        FROM[network](changes.pop(1)[0])
    for change, message in changes:
        with pytest.raises(WorldGaugeError) as caught:
            FROM[network](change)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_parameters_are_taken_as_they_are() -> None:
    state = tiny("clip_vit_b32", words=600)
    extra = {"input_resolution": torch.tensor(16), "context_length": torch.tensor(77), "vocab_size": torch.tensor(600)}
    halves = {f"module.{name}": value.half() for name, value in state.items()}
    module = clip_from({**halves, **extra}, "quick_gelu")
    attention = module.visual.transformer.resblocks[1].attn.qkv.weight
    assert attention.dtype == torch.float32
    assert torch.equal(attention, state["visual.transformer.resblocks.1.attn.in_proj_weight"].half().float())
    assert not module.training


def test_parts_are_joined_in_their_order() -> None:
    layout = (Rule(r"a\.(?P<part>query|key|value)", "a.qkv", "join"),)
    parts = {"a.value": torch.full((1,), 3.0), "a.query": torch.full((1,), 1.0), "a.key": torch.full((1,), 2.0)}
    assert renamed(parts, layout)["a.qkv"].tolist() == [1.0, 2.0, 3.0]
    del parts["a.key"]
    assert "a.qkv" not in renamed(parts, layout)
