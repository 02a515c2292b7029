"""Further sizes and settings against the authors' own code on weights by the rule, and numbers that a limit decides.

`further_numbers.json` holds what that code gave on a CPU: openai/CLIP d05afc4, open_clip_torch 3.3.0, dinov2 b8931f7,
Depth-Anything-V2 a561b84, SEA-RAFT f41d0a7, sam2 2b90b9f, GroundingDINO 856dde2, DROID-SLAM 2dfd39f. Replaced were only
downloads (trained parameters, a vocabulary) and imports of compiled operators that none of these calls uses.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from instruments.neural.droid_known import network as droid
from instruments.neural.flow_and_style import checkpoint, difference, expanded
from instruments.neural.published import full_size, largest_difference, layout_of, numbers
from instruments.neural.rule import fill, image, noise
from worldgauge.instruments.neural.networks.clip import clip_from
from worldgauge.instruments.neural.networks.clip_encoder import ClipEncoder
from worldgauge.instruments.neural.networks.depth_anything import DepthEncoder, depth_anything_from
from worldgauge.instruments.neural.networks.dinov2 import Dinov2Encoder, dinov2_from
from worldgauge.instruments.neural.networks.droid.adjustment import Edges, linearised
from worldgauge.instruments.neural.networks.droid.projection import frame_distances
from worldgauge.instruments.neural.networks.filled import filled
from worldgauge.instruments.neural.networks.flow_pairs import Fitting, FlowPairs
from worldgauge.instruments.neural.networks.sea_raft import build, rename

TOKENS = np.array([[49406, 2583, 4778, 525, 518, 3965, 267, 1594, 518, 3934, 3185, 1823, 269, 49407, *[0] * 63]])
STREET = image("A:clip0", 240, 320)[None]
DINO, DEPTH = image("A:dino0", 224, 224)[None], image("A:depth0", 154, 210)[None]
LAST_BIAS = "depth_head.scratch.output_conv2.2.bias"
HEADS = re.compile(r"^(transformer\.decoder\.)?bbox_embed\.\d+")


@cache
def known() -> dict[str, Any]:
    return json.loads(Path(__file__).with_name("further_numbers.json").read_text("utf-8"))


def shapes_of(name: str) -> dict[str, tuple[int, ...]]:
    return {full: tuple(shape) for key, shape in known()[name]["layout"].items() for full in expanded(key)}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "activation", "dtype", "tolerance"),
    [
        ("clip_vit_b16", "quick_gelu", "float32", 1e-4),
        ("clip_b32_laion2b", "gelu", "float32", 1e-4),
        ("clip_vit_b32_half", "quick_gelu", "float16", 1.5e-2),
    ],
)
def test_clip(name: str, activation: Any, dtype: str, tolerance: float) -> None:
    """B/16, OpenCLIP with its plain GELU, and half precision as OpenAI's code uses it (0.005 off single precision)."""
    shapes = layout_of("clip_vit_b32") | {n: tuple(s) for n, s in known()[name].get("shapes", {}).items()}
    encoder = ClipEncoder(clip_from(numbers(shapes), activation), dtype=dtype, batch=1)
    assert largest_difference(encoder.images(STREET), known()[name]["image_features"]) < tolerance
    assert largest_difference(encoder.texts(TOKENS), known()[name]["text_features"]) < tolerance


@pytest.mark.nightly
def test_dinov2_on_tokens_so_faint_that_its_epsilon_shows() -> None:
    """With 1e-5 for 1e-6 the authors' own code moves by 1.2."""
    facts, state = known()["dinov2_faint"], dict(full_size("dinov2_vitb14"))
    for entry in ("cls_token", "pos_embed", "patch_embed.proj.weight", "patch_embed.proj.bias"):
        state[entry] = state[entry] * facts["factor"]
    tokens = Dinov2Encoder(dinov2_from(state), "hub", batch=1).tokens(DINO)
    assert largest_difference(tokens[:, 1:], facts["patch_tokens"]) < 1e-3
    assert largest_difference(tokens[:, 0], facts["cls_token"]) < 1e-3


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_dinov2_and_depth_in_half_precision(dtype: str) -> None:
    """Within three times what the authors' code itself moves by when it is cast."""
    facts, small = known()["half"][f"dinov2_{dtype}"], known()["half"][f"depth_small_{dtype}"]
    tokens = Dinov2Encoder(dinov2_from(full_size("dinov2_vitb14")), "hub", dtype=dtype, batch=1).tokens(DINO)
    patches, whole = facts["off"]
    assert largest_difference(tokens[:, 1:], facts["patch_tokens"]) < 3 * patches
    assert largest_difference(tokens[:, 0], facts["cls_token"]) < 3 * whole
    network = depth_anything_from(full_size("depth_anything_v2_small"))
    depths = DepthEncoder(network, "hub", dtype=dtype, batch=1).depths(DEPTH)
    assert largest_difference(depths, small["depth"]) < 3 * small["off"]


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["base", "large"])
def test_depth_anything_v2(size: str) -> None:
    name = f"depth_anything_v2_{size}"
    state = numbers(shapes_of(name))
    if size == "large":
        # Without it the rule gives no depth above 0.
        state[LAST_BIAS] = torch.tensor([2.0])
    depths = DepthEncoder(depth_anything_from(state), "hub", batch=1).depths(DEPTH)
    assert largest_difference(depths, known()[name]["depth"]) < 2e-4


@pytest.mark.nightly
@pytest.mark.parametrize(("label", "cut"), [("half", 0), ("half_odd", 1)])
def test_sea_raft_at_half_size(label: str, cut: int) -> None:
    """As the authors' `calc_flow` with scale -1; of odd sides a row and a column are lost there."""
    facts = known()["sea_raft"][f"sea_raft_{label}"]
    frames = np.stack([image("A:half", 288, 400), image("A:half", 288, 400, 3, 7)])[:, : 288 - cut, : 400 - cut]
    network = filled(build, checkpoint("sea_raft_spring_m"), "SEA-RAFT M", rename)
    field = FlowPairs(network, Fitting(half=True, odd_sizes="cut"), 4, batch=1).flows(frames, np.array([[0, 1]]))
    assert list(field.transpose(0, 3, 1, 2).shape) == facts["shape"]
    assert largest_difference(field.transpose(0, 3, 1, 2), facts) < 1e-3


def sam2_entry(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    if name.endswith("positional_encoding_gaussian_matrix"):
        values: Any = noise(f"A:{name}", shape)
    else:
        values = noise(f"A:{name}", shape) * 0.2 if name.endswith("pos_embed_window") else fill(name, shape, "A")
    return torch.from_numpy(np.asarray(values, np.float32))


@pytest.mark.nightly
def test_sam2_b_plus() -> None:
    """The predictor for pictures, also on a frame that is made smaller; and a mask followed into a second frame."""
    pytest.importorskip("transformers")
    from worldgauge.instruments.neural.networks.sam2 import Follower, Prompt, sam2_from

    state = {name: sam2_entry(name, shape) for name, shape in shapes_of("sam2_b_plus").items()}
    follower = Follower(sam2_from(state, None, False, False))
    for label in ("small", "large"):
        facts = known()["sam2_b_plus"][label]
        logits = follower.still_logits(image("sam2:B", *facts["frame"]), [tuple(box) for box in facts["boxes"]])
        assert difference(logits.reshape(facts["shape"]), facts) < 1e-3, label
    rows, columns = np.mgrid[:96, :128]
    prompt = Prompt(mask=((rows - 45) / 25) ** 2 + ((columns - 55) / 30) ** 2 < 1)
    frames = np.stack([image("sam2:A", 96, 128, 4 * k, 6 * k) for k in range(2)])
    for k, logits in enumerate(follower.logits(frames, [prompt])):
        assert difference(logits[:, None], known()["sam2_b_plus"][f"video{k}"]) < 2e-3


@pytest.mark.nightly
def test_grounding_dino_whole() -> None:
    """At a gain where the authors' code itself moves by 2e-5 with the number of threads (0.02 at 1.5, 0.4 at 1.35)."""
    pytest.importorskip("transformers")
    from worldgauge.instruments.neural.networks.grounding_dino import Grounding, grounding_dino_from

    facts, state = known()["grounding_dino_whole"], {}
    for name, shape in shapes_of("grounding_dino_whole").items():
        if name.endswith("relative_position_index"):
            state[name] = torch.zeros(*shape, dtype=torch.long)
        elif name.endswith("position_ids"):
            state[name] = torch.arange(512)[None]
        else:
            values = fill(HEADS.sub("bbox_embed.0", name), shape, "A", facts["gain"])
            state[name] = torch.from_numpy(np.array(values))
    found = Grounding(grounding_dino_from(state, None)).answer(image("room", 224, 320), np.array(facts["tokens"]))
    assert np.ptp(facts["probabilities"]) > 0.5 and np.ptp(facts["boxes"]) > 0.3, "they tell something apart"
    assert found.probabilities[facts["at"]] == pytest.approx(np.array(facts["probabilities"]), abs=1e-3)
    assert found.boxes[facts["at"]] == pytest.approx(np.array(facts["boxes"]), abs=1e-3)


def test_droid_sees_no_motion_longer_than_64_px() -> None:
    """59 of 100 motions are longer. Without the limit the authors' corrections move by 1.5 px."""
    facts, update = known()["droid_clamp"], droid().update

    def made(name: str, channels: int, gain: float = 1.0) -> torch.Tensor:
        shape = (2, 16, 20, 4) if name == "motion" else (2, channels, 16, 20)
        return torch.from_numpy((noise(f"A:clamp:{name}", (1, *shape)) * gain).astype(np.float32))[0]

    with torch.inference_mode():
        gates = update.gru.lead(made("inp", 128).relu())
        motion = made("motion", 4, 90.0).permute(0, 3, 1, 2)
        found = update(made("net", 128).tanh(), gates, made("corr", 196), motion)
    assert difference(found.hidden, facts["net"]) < 1e-4
    assert difference(found.delta.permute(0, 2, 3, 1), facts["delta"]) < 1e-4
    assert difference(found.weight.permute(0, 2, 3, 1), facts["weight"]) < 1e-4


LENS = torch.tensor([20.0, 20.0, 9.5, 7.5], dtype=torch.float64)


def advancing(shares: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Two frames, the second a unit further on: points of these shares (h, w) of their depth remain in front of it."""
    poses = torch.eye(4, dtype=torch.float64).repeat(2, 1, 1)
    poses[1, 2, 3] = -1.0
    return poses, torch.stack((1 - shares, torch.full_like(shares, 0.1)))


def test_droid_leaves_out_points_nearer_than_a_quarter() -> None:
    """The limit of the authors' kernels, MIN_DEPTH 0.25: 0.24 does not count, 0.26 does. Their CUDA code was not run;
    the flow of the points that count is written down here once more."""
    one = torch.tensor([0])
    shares = torch.full((16, 20), 0.26, dtype=torch.float64)
    shares[:3] = 0.24
    poses, depths = advancing(shares)
    rows, columns = torch.meshgrid(torch.arange(16.0), torch.arange(20.0), indexing="ij")
    radius = ((columns - 9.5) ** 2 + (rows - 7.5) ** 2).double().sqrt()
    ahead = (radius * (1 / 0.26 - 1))[3:].mean()
    behind = (radius * (1 - 1 / 1.1)).mean()
    found = frame_distances(poses, depths, LENS, one, one + 1, 0.3)
    assert float(found[0]) == pytest.approx(float(0.5 * (ahead + behind)), rel=1e-9)
    shares[:6] = 0.24
    poses, depths = advancing(shares)
    far = frame_distances(poses, depths, LENS, one, one + 1, 0.3)
    assert float(far[0]) == pytest.approx(float(0.5 * (1000 + behind)), rel=1e-9), "six rows of sixteen are too many"


def test_droid_adjusts_by_no_point_nearer_than_a_quarter() -> None:
    shares = torch.full((16, 20), 0.26, dtype=torch.float64)
    shares[:3] = 0.24
    poses, depths = advancing(shares)
    places = torch.zeros(1, 2, 16, 20, dtype=torch.float64)

    def pulls(rows: slice) -> bool:
        moved = places.clone()
        moved[:, :, rows] += 5.0
        flows = (Edges(np.array([0]), np.array([1]), where, torch.ones_like(where)) for where in (places, moved))
        before, after = (linearised(poses, depths, LENS, flow).depth_pull for flow in flows)
        return not torch.equal(before, after)

    assert pulls(slice(3, None)) and not pulls(slice(3))
