"""Full-size checkpoints with random numbers, under the published names, for the real loading code."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FLOW_END = ("sea_raft_m", "flow_head.2.weight")
"""The convolution that says how far a pixel moves. RAFT's own state is bounded, so its flows are."""


def write(folder: Path, tiny: bool = False) -> str:
    """Write them; returns what `WORLDGAUGE_WEIGHTS` has to be. `tiny`: the tests' small networks."""
    folder.mkdir(parents=True, exist_ok=True)
    if tiny:
        from instruments.neural.weight_folder import write_weights

        return write_weights(folder)
    from instruments.neural import flow_and_style, published
    from worldgauge.instruments.neural.networks.raft import rename
    from worldgauge.instruments.neural.words import MERGES, byte_letters

    b32 = published.layout_of("clip_vit_b32")
    b16 = dict(b32) | {"visual.conv1.weight": (768, 3, 16, 16), "visual.positional_embedding": (197, 768)}
    alex, vgg = flow_and_style.layout("lpips_alex"), flow_and_style.layout("lpips_vgg")
    layouts: dict[str, Mapping[str, tuple[int, ...]]] = {
        "raft_large": {rename(name): shape for name, shape in flow_and_style.layout("raft_large").items()},
        "sea_raft_m": flow_and_style.layout("sea_raft_spring_m"),
        "vgg19": flow_and_style.layout("vgg19_gram"),
        "alexnet": {name: shape for name, shape in alex.items() if name.startswith("features")},
        "lpips_alex": {name: shape for name, shape in alex.items() if name.startswith("lin")},
        "vgg16": {name: shape for name, shape in vgg.items() if name.startswith("features")},
        "lpips_vgg": {name: shape for name, shape in vgg.items() if name.startswith("lin")},
        "clip_b32": b32,
        "clip_b16": b16,
        "clip_l14": published.layout_of("clip_vit_l14"),
        "clip_rn50": published.layout_of("clip_rn50"),
        "clip_iqa_plus": {"context": (16, 512)},
        "laion_aesthetic": published.layout_of("laion_aesthetic_mlp"),
        "dinov2_b14": published.layout_of("dinov2_vitb14"),
        "depth_anything_v2_small": published.layout_of("depth_anything_v2_small"),
        "image_reward": published.layout_of("image_reward"),
    }
    places = {name: folder / f"{name}.pth" for name in layouts}
    for name, layout in layouts.items():
        _save(places[name], layout, name)
    places |= {"clip_words": folder / "words.txt.gz", "bert_words": folder / "vocab.txt"}
    letters = byte_letters()
    pairs = [f"{first} {second}" for first in reversed(letters) for second in letters][:MERGES]
    places["clip_words"].write_bytes(gzip.compress("\n".join(["#version", *pairs]).encode()))
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *"abcdefghijklmnopqrstuvwxyz",
        *(f"##{c}" for c in "abcdxyz"),
    ]
    places["bert_words"].write_text("\n".join([*words, *(f"w{k}" for k in range(30522 - len(words)))]))
    return " ".join(f"{name}={path}" for name, path in places.items())


def _save(path: Path, layout: Mapping[str, tuple[int, ...]], network: str) -> None:
    import torch

    if path.is_file():
        return
    rng = torch.Generator().manual_seed(sum(map(ord, network)))
    state: Any = {name: _numbers(name, shape, rng, network) for name, shape in layout.items()}
    torch.save(state["context"] if network == "clip_iqa_plus" else state, path)


def _numbers(name: str, shape: tuple[int, ...], rng: Any, network: str) -> Any:
    """Of a size that keeps what a network carries near 1, as training does."""
    import torch

    last = name.rsplit(".", 1)[-1]
    if name == "logit_scale":
        return torch.tensor(4.6)
    if "position_ids" in name:
        return torch.arange(shape[-1]).reshape(shape)
    if len(shape) < 2:
        return torch.ones(shape) if last in ("weight", "running_var", "gamma") else torch.zeros(shape)
    fan_in = 1
    for length in shape[1:]:
        fan_in *= length
    numbers = torch.randn(shape, generator=rng) * (1.4 / fan_in) ** 0.5
    if (network, name) == FLOW_END:
        # Else fields are longer by the update, beyond any that a film has.
        numbers *= 1e-3
    return numbers.abs() if network.startswith("lpips") else numbers
