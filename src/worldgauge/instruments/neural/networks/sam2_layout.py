"""SAM 2.1's published files under the names transformers has for its parts, and the sizes they come in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from transformers import (
    Sam2HieraDetConfig,
    Sam2VideoConfig,
    Sam2VideoMaskDecoderConfig,
    Sam2VideoPromptEncoderConfig,
    Sam2VisionConfig,
)

from worldgauge.core.errors import WorldGaugeError
from worldgauge.instruments.neural.networks.layouts import count_of, shape_of

NAME = "SAM 2.1"
TRUNK = "image_encoder.trunk"
SIZES: dict[tuple[int, int], dict[str, Any]] = {
    (96, 12): {"blocks_per_stage": [1, 2, 7, 2], "global_attention_blocks": [5, 7, 9]},
    (96, 16): {"blocks_per_stage": [1, 2, 11, 2], "global_attention_blocks": [7, 10, 13]},
    (112, 24): {
        "blocks_per_stage": [2, 3, 16, 3],
        "global_attention_blocks": [12, 16, 20],
        "num_attention_heads_per_stage": [2, 4, 8, 16],
        "window_positional_embedding_background_size": [14, 14],
    },
    (144, 48): {
        "blocks_per_stage": [2, 6, 36, 4],
        "global_attention_blocks": [23, 33, 43],
        "num_attention_heads_per_stage": [2, 4, 8, 16],
        "window_size_per_stage": [8, 4, 16, 8],
    },
}
"""Width and number of blocks of the four published trunks to what else is told of them: T, S, B+, L."""
PARTS = (
    (r"^image_encoder\.trunk\.", "vision_encoder.backbone."),
    (r"^image_encoder\.", "vision_encoder."),
    (r"^sam_", ""),
    (r"(neck\.convs\.\d+)\.conv\.", r"\1."),
    (r"patch_embed\.proj\.", "patch_embed.projection."),
    (r"\.norm", ".layer_norm"),
    (r"\bout_proj\.", "o_proj."),
    (r"^memory_encoder\.o_proj\.", "memory_encoder.projection."),
    (r"\.pix_feat_proj\.", ".feature_projection."),
    (r"\.fuser\.", ".memory_fuser."),
    (r"\.dwconv\.", ".depthwise_conv."),
    (r"\.pwconv", ".pointwise_conv"),
    (r"\.gamma$", ".scale"),
    (r"\.encoder\.12\.", ".final_conv."),
    (r"\.output_upscaling\.0\.", ".upscale_conv1."),
    (r"\.output_upscaling\.1\.", ".upscale_layer_norm."),
    (r"\.output_upscaling\.3\.", ".upscale_conv2."),
    (r"\.mask_downscaling\.0\.", ".mask_embed.conv1."),
    (r"\.mask_downscaling\.1\.", ".mask_embed.layer_norm1."),
    (r"\.mask_downscaling\.3\.", ".mask_embed.conv2."),
    (r"\.mask_downscaling\.4\.", ".mask_embed.layer_norm2."),
    (r"\.mask_downscaling\.6\.", ".mask_embed.conv3."),
    (r"\.pe_layer\.positional_encoding_gaussian_matrix$", ".shared_embedding.positional_embedding"),
    (r"^obj_ptr_tpos_proj\.", "temporal_positional_encoding_projection_layer."),
    (r"^obj_ptr_proj\.", "object_pointer_proj."),
    (r"^no_obj_ptr$", "no_object_pointer"),
    (r"^no_obj_embed_spatial$", "occlusion_spatial_embedding_parameter"),
    (r"^maskmem_tpos_enc$", "memory_temporal_positional_encoding"),
    (r"^no_mem_embed$", "no_memory_embedding"),
    (r"^no_mem_pos_enc$", "no_memory_positional_encoding"),
    # Of heads with three layers the first and the last have names of their own, of those with two both have.
    (r"(_head|_mlps\.\d+|_pointer_proj)\.layers\.0\.", r"\1.proj_in."),
    (r"(_head|_mlps\.\d+|_pointer_proj)\.layers\.1\.", r"\1.layers.0."),
    (r"(_head|_mlps\.\d+|_pointer_proj)\.layers\.2\.", r"\1.proj_out."),
    (r"\.mlp\.layers\.0\.", ".mlp.proj_in."),
    (r"\.mlp\.layers\.1\.", ".mlp.proj_out."),
)
"""Pattern and what stands for it, applied one after the other."""
STEPS = re.compile(r"\.mask_downsampler\.encoder\.(\d+)\.")
"""A convolution, its norm and an activation in turn."""
_KINDS = ("conv", "layer_norm")
POINTS = re.compile(r"prompt_encoder\.point_embeddings\.(\d)\.weight")
SHARED = "shared_embedding.positional_embedding"


def config_of(state: Mapping[str, Tensor]) -> Sam2VideoConfig:
    """The published configuration that a file of the authors' belongs to."""
    width = shape_of(state, f"{TRUNK}.patch_embed.proj.weight", NAME)[0]
    blocks = count_of(state, f"{TRUNK}.blocks")
    if (width, blocks) not in SIZES:
        raise WorldGaugeError(
            f"the weights of {NAME} do not fit: no published trunk is {width} wide with {blocks} blocks",
            "give a file of transformers with its config.json beside it",
        )
    widths = [width * 2**stage for stage in range(4)]
    trunk = Sam2HieraDetConfig(hidden_size=width, embed_dim_per_stage=widths, **SIZES[width, blocks])
    # Objects, not mappings: of a mapping transformers makes the configuration of another class.
    return Sam2VideoConfig(
        vision_config=Sam2VisionConfig(backbone_config=trunk, backbone_channel_list=widths[::-1]),
        prompt_encoder_config=Sam2VideoPromptEncoderConfig(),
        mask_decoder_config=Sam2VideoMaskDecoderConfig(),
    )


def renamed_parts(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A file of the authors' under transformers' names."""
    found: dict[str, Tensor] = {}
    points: dict[str, Tensor] = {}
    for name, value in state.items():
        for pattern, target in PARTS:
            name = re.sub(pattern, target, name)
        name = STEPS.sub(lambda m: f".mask_downsampler.layers.{int(m[1]) // 3}.{_KINDS[int(m[1]) % 3]}.", name)
        if point := POINTS.fullmatch(name):
            points[point[1]] = value
        else:
            found[name] = value
        if name == f"prompt_encoder.{SHARED}":
            found[f"shared_image_embedding.{SHARED.removeprefix('shared_embedding.')}"] = value
    if points:
        found["prompt_encoder.point_embed.weight"] = torch.cat([points[number] for number in sorted(points)])
    return found
