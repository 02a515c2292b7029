"""Files of weights for every network, as published and small: written by the tests, read by the real loading code."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from instruments.neural import onnx_files
from instruments.neural.droid_known import checkpoint as droid_checkpoint
from instruments.neural.flow_and_style import checkpoint
from instruments.neural.published import tiny
from instruments.neural.rule import fill
from instruments.neural.vfimamba import checkpoint as interpolation
from instruments.neural.vfimamba import narrow
from worldgauge.instruments.neural.networks.raft import rename

PAIRS = ("t h", "a t</w>", "c a", "th e</w>", "ca t</w>")
WORDS = 512 + len(PAIRS) + 2
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", "cat", "##s", "the", "a", "."]


def write_encoders(folder: Path) -> dict[str, Path]:
    """Write the files of encoders and heads and their vocabularies; id of the weights to its file."""
    places = _save(
        folder,
        {
            "clip_b32": tiny("clip_vit_b32", WORDS),
            "clip_b16": tiny("clip_vit_b32", WORDS),
            "clip_l14": tiny("clip_vit_l14", WORDS),
            "clip_rn50": tiny("clip_rn50"),
            "clip_iqa_plus": torch.from_numpy(fill("ctx", (16, 64), "A")),
            "laion_aesthetic": tiny("laion_aesthetic_mlp"),
            "dinov2_b14": tiny("dinov2_vitb14"),
            "depth_anything_v2_small": tiny("depth_anything_v2_small"),
            "image_reward": tiny("image_reward", len(PIECES)),
        },
    )
    places |= {"clip_words": folder / "words.txt.gz", "bert_words": folder / "vocab.txt"}
    places["clip_words"].write_bytes(gzip.compress("\n".join(("#version", *PAIRS)).encode()))
    places["bert_words"].write_text("\n".join(PIECES))
    return places


def write_weights(folder: Path) -> str:
    """Write all files; returns what `WORLDGAUGE_WEIGHTS` has to be: only a file that is named may be another one."""
    folder.mkdir(parents=True, exist_ok=True)
    raft = {rename(name): value for name, value in checkpoint("raft_large").items()}
    states = {
        "raft_large": raft,
        "sea_raft_m": {f"module.{name}": value for name, value in checkpoint("sea_raft_spring_m").items()},
        "vgg19": dict(checkpoint("vgg19_gram")),
        "vfimamba": interpolation(narrow()),
        "droid_slam": dict(droid_checkpoint(8)),
    }
    places = write_encoders(folder) | write_lpips(folder) | _save(folder, states)
    places["buffalo_l"] = onnx_files.write_archive(folder / "buffalo_l.zip", onnx_files.one_face())
    if importlib.util.find_spec("transformers"):
        places |= write_transformers(folder)
    return " ".join(f"{name}={path}" for name, path in places.items())


def write_lpips(folder: Path) -> dict[str, Path]:
    """LPIPS on AlexNet; id of the weights to its file."""
    alex = checkpoint("lpips_alex")
    # Trained heads have no negative weight, so that a distance is one.
    heads = {name: value.abs() for name, value in alex.items() if name.startswith("lin")}
    trunk = {name: value for name, value in alex.items() if name.startswith("features")}
    return _save(folder, {"lpips_alex": heads, "alexnet": trunk})


def write_transformers(folder: Path) -> dict[str, Path]:
    """Networks of transformers as it saves them, each with its configuration in a folder of its own."""
    from instruments.neural import tiny_transformers as tiny

    made = {"grounding_dino_t": tiny.grounding_dino, "sam2_hiera_b_plus": tiny.sam2, "sam3": tiny.sam3}
    return {name: tiny.saved(make(), folder / name) for name, make in made.items()}


def _save(folder: Path, states: Mapping[str, Any]) -> dict[str, Path]:
    places = {name: folder / f"{name}.pth" for name in states}
    for name, state in states.items():
        torch.save(state, places[name])
    return places
