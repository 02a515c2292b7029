"""Files of weights for every network, as published and small: written by the tests, read by the real loading code."""

from __future__ import annotations

import gzip
from pathlib import Path

import torch

from instruments.neural.flow_and_style import checkpoint
from instruments.neural.published import tiny
from instruments.neural.rule import fill
from worldgauge.instruments.neural.networks.raft import rename

PAIRS = ("t h", "a t</w>", "c a", "th e</w>", "ca t</w>")
WORDS = 512 + len(PAIRS) + 2
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", "cat", "##s", "the", "a", "."]


def write_weights(folder: Path) -> str:
    """Write all files; returns what `WORLDGAUGE_WEIGHTS` has to be."""
    folder.mkdir(parents=True, exist_ok=True)
    for network, file in (
        ("clip_vit_b32", "ViT-B-32.pt"),
        ("clip_vit_b32", "ViT-B-16.pt"),
        ("clip_vit_l14", "ViT-L-14.pt"),
    ):
        torch.save(tiny(network, WORDS), folder / file)
    torch.save(tiny("clip_rn50"), folder / "RN50.pt")
    torch.save(torch.from_numpy(fill("ctx", (16, 64), "A")), folder / "CLIP-IQA+_learned_prompts-603f3273.pth")
    torch.save(tiny("laion_aesthetic_mlp"), folder / "sac+logos+ava1-l14-linearMSE.pth")
    torch.save(tiny("dinov2_vitb14"), folder / "dinov2_vitb14_pretrain.pth")
    torch.save(tiny("depth_anything_v2_small"), folder / "depth_anything_v2_vits.pth")
    torch.save(tiny("image_reward", len(PIECES)), folder / "ImageReward.pt")
    (folder / "bpe_simple_vocab_16e6.txt.gz").write_bytes(gzip.compress("\n".join(("#version", *PAIRS)).encode()))
    (folder / "vocab.txt").write_text("\n".join(PIECES))
    raft = {rename(name): value for name, value in checkpoint("raft_large").items()}
    torch.save(raft, folder / "raft_large_C_T_SKHT_V2-ff5fadd5.pth")
    torch.save({f"module.{name}": value for name, value in checkpoint("sea_raft_spring_m").items()}, folder / "sea.pth")
    torch.save(dict(checkpoint("vgg19_gram")), folder / "vgg19-dcbb9e9d.pth")
    alex = checkpoint("lpips_alex")
    # Trained heads have no negative weight, so that a distance is one.
    torch.save({name: value.abs() for name, value in alex.items() if name.startswith("lin")}, folder / "alex.pth")
    trunk = {name: value for name, value in alex.items() if name.startswith("features")}
    torch.save(trunk, folder / "alexnet-owt-7be5be79.pth")
    return f"{folder} sea_raft_m={folder / 'sea.pth'}"
