"""The networks at full size on weights made by a rule give what the authors' own code gave on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.published import full_size, known, largest_difference, layout_of, numbers
from instruments.neural.rule import fill, image, noise
from worldgauge.instruments.neural.networks.clip import clip_from
from worldgauge.instruments.neural.networks.clip_encoder import ClipEncoder, unit
from worldgauge.instruments.neural.networks.clip_iqa import ClipIqa, learned_texts
from worldgauge.instruments.neural.networks.clip_resnet import ClipResNet
from worldgauge.instruments.neural.networks.depth_anything import DepthEncoder, depth_anything_from
from worldgauge.instruments.neural.networks.dinov2 import Dinov2Encoder, dinov2_from
from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.image_reward import RewardEncoder, image_reward_from
from worldgauge.instruments.neural.networks.linear_head import aesthetic_from
from worldgauge.instruments.neural.networks.stacked import (
    CLIP_DEVIATION,
    CLIP_MEAN,
    IMAGENET_DEVIATION,
    IMAGENET_MEAN,
    Stacked,
)
from worldgauge.instruments.neural.preparing import covering, least_scaled_size, resized, squares


def picture(facts: dict[str, Any]) -> np.ndarray:
    return image(facts["key"], facts["height"], facts["width"])[None]


def clip_tokens(rows: list[list[int]]) -> np.ndarray:
    return np.array([[*row, *[0] * (77 - len(row))] for row in rows])


@pytest.mark.nightly
@pytest.mark.parametrize(("network", "tolerance"), [("clip_vit_b32", 1e-4), ("clip_vit_l14", 1e-4)])
def test_clip_transformer(network: str, tolerance: float) -> None:
    facts = known()[network]
    encoder = ClipEncoder(clip_from(full_size(network), "quick_gelu"), batch=1)
    assert largest_difference(encoder.images(picture(facts["image"])), facts["image_features"]) < tolerance
    assert largest_difference(encoder.texts(clip_tokens(facts["tokens"])), facts["text_features"]) < tolerance


def test_clip_resnet() -> None:
    facts, network = known()["clip_rn50"], "clip_rn50"
    visual = {name: shape for name, shape in layout_of(network).items() if name.startswith("visual.")}
    state = {name.removeprefix("visual."): value for name, value in numbers(visual, facts["gain"]).items()}
    pictures = Stacked(filled(lambda: ClipResNet.like(state, network, ""), state, network), batch=1)
    features = pictures.run(
        lambda stack: pictures.module(pictures.normalised(stack, CLIP_MEAN, CLIP_DEVIATION)),
        squares(picture(facts["image"]), 224, 224),
    )
    assert largest_difference(features, facts["image_features"]) < 1e-3


@pytest.mark.nightly
def test_clip_resnet_with_texts_and_clip_iqa() -> None:
    facts, quality = known()["clip_rn50"], known()["clip_iqa_plus"]
    clip = clip_from(full_size("clip_rn50"), "quick_gelu")
    encoder = ClipEncoder(clip, batch=1)
    assert largest_difference(encoder.images(picture(facts["image"])), facts["image_features"]) < 1e-3
    assert largest_difference(encoder.texts(clip_tokens(facts["tokens"])), facts["text_features"]) < 1e-4
    context = torch.from_numpy(fill("ctx", (16, 512), "A", gain=quality["gain"]))
    texts = learned_texts(clip, context)
    assert largest_difference(texts.numpy(), quality["texts"]) < 1e-4
    own = learned_texts(clip, context.expand(2, 16, 512))
    assert torch.equal(own, texts), "one context for both, or the same one for each"
    score = ClipIqa(clip, texts, batch=1).scores(picture(quality["image"]))
    assert score[0] == pytest.approx(quality["score"], abs=2e-5)


def test_aesthetic_head() -> None:
    facts = known()["laion_aesthetic_mlp"]
    head = Stacked(aesthetic_from(full_size("laion_aesthetic_mlp")), batch=3)
    vectors = unit(np.stack([noise(key, (768,)).astype(np.float32) for key in facts["vectors"]]))
    assert head.run(head.module, vectors) == pytest.approx(facts["score"], abs=1e-5)


@pytest.mark.nightly
def test_dinov2_by_both_position_rules() -> None:
    facts = known()["dinov2_vitb14"]
    network = dinov2_from(full_size("dinov2_vitb14"))
    frames = squares(picture(facts["image"]), 256, 224)
    hub = Dinov2Encoder(network, "hub", batch=1).tokens(frames)
    assert largest_difference(hub[:, 1:], facts["patch_tokens"]) < 1e-4
    assert largest_difference(hub[:, 0], facts["cls_token"]) < 1e-4
    exact = Dinov2Encoder(network, "transformers", batch=1).tokens(frames)
    assert largest_difference(exact[:, 1:], facts["transformers_patch_tokens"]) < 1e-4
    assert np.abs(hub - exact).max() > 0.1, "the two rules are not the same thing"


def test_depth_by_both_rules() -> None:
    facts = known()["depth_anything_v2_small"]
    network = depth_anything_from(full_size("depth_anything_v2_small"))
    hub, exact = DepthEncoder(network, "hub", batch=1), DepthEncoder(network, "transformers", batch=1)
    frame = picture(facts["image"])
    small = resized(frame, least_scaled_size(320, 180))
    assert largest_difference(hub.depths(small), facts["authors_net_on_hf_input"]) < 2e-4
    assert largest_difference(exact.depths(small), facts["hf_net_on_hf_input"]) < 2e-4
    large = hub.normalised(torch.from_numpy(covering(frame)), IMAGENET_MEAN, IMAGENET_DEVIATION)
    assert largest_difference(large.numpy(), facts["authors_network_input"]) < 1e-3


@pytest.mark.nightly
def test_depth_at_the_authors_size() -> None:
    facts = known()["depth_anything_v2_small"]
    network = depth_anything_from(full_size("depth_anything_v2_small"))
    found = DepthEncoder(network, "hub", batch=1).depths(covering(picture(facts["image"])), (320, 180))
    assert largest_difference(found, facts["authors_depth_at_image_size"]) < 1e-3


@pytest.mark.nightly
def test_image_reward() -> None:
    facts = known()["image_reward"]
    encoder = RewardEncoder(image_reward_from(full_size("image_reward")), batch=1)
    for tokens, rewards in zip(facts["tokens"], facts["rewards"], strict=True):
        words = np.array([tokens])
        for one, reward in zip(facts["images"], rewards, strict=True):
            found = encoder.rewards(picture(one), words, (words != 0).astype(np.int64))
            assert found[0] == pytest.approx(reward, abs=1e-5)
