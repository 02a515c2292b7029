"""Grounding DINO's own checkpoints under the names that transformers' files have for its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch import Tensor

WRAPPER = "module."
"""Before every name of a file saved out of training on several devices."""
OURS = ("backbone.0.", "transformer.encoder.", "transformer.decoder.")
"""Beginnings that only the authors' names have."""
UNUSED = ("label_enc.", "model.text_backbone.pooler.")
"""In the authors' files for training alone: labels of noised boxes, and BERT's summary of a sentence."""
_SWIN = r"^(model\.backbone\.conv_encoder\.model)"
_VISION = r"^(model\.encoder\.layers\.\d+\.deformable_layer)"
_TEXT = r"^(model\.encoder\.layers\.\d+\.text_enhancer_layer)"
_FUSION = r"^(model\.encoder\.layers\.\d+\.fusion_layer)"
_DECODER = r"^(model\.decoder\.layers\.\d+)"
PARTS = (
    (r"^bert\.", "model.text_backbone."),
    (r"^input_proj\.", "model.input_proj_vision."),
    (r"^feat_map\.", "model.text_projection."),
    (r"^backbone\.0\.", "model.backbone.conv_encoder.model."),
    (_SWIN + r"\.patch_embed\.proj\.", r"\1.embeddings.patch_embeddings.projection."),
    (_SWIN + r"\.patch_embed\.norm\.", r"\1.embeddings.norm."),
    (_SWIN + r"\.layers\.(\d+)\.blocks\.(\d+)\.norm1\.", r"\1.layers.\2.blocks.\3.layernorm_before."),
    (_SWIN + r"\.layers\.(\d+)\.blocks\.(\d+)\.norm2\.", r"\1.layers.\2.blocks.\3.layernorm_after."),
    (_SWIN + r"(.*)\.attn\.proj\.", r"\1\2.attention.output.dense."),
    (_SWIN + r"(.*)\.attn\.", r"\1\2.attention.self."),
    (_SWIN + r"(.*)\.mlp\.fc1\.", r"\1\2.intermediate.dense."),
    (_SWIN + r"(.*)\.mlp\.fc2\.", r"\1\2.output.dense."),
    (_SWIN + r"\.layers\.", r"\1.encoder.layers."),
    (r"^transformer\.encoder\.layers\.(\d+)\.", r"model.encoder.layers.\1.deformable_layer."),
    (r"^transformer\.encoder\.text_layers\.(\d+)\.", r"model.encoder.layers.\1.text_enhancer_layer."),
    (r"^transformer\.encoder\.fusion_layers\.(\d+)\.", r"model.encoder.layers.\1.fusion_layer."),
    (_VISION + r"\.norm1\.", r"\1.self_attn_layer_norm."),
    (_VISION + r"\.norm2\.", r"\1.final_layer_norm."),
    (_TEXT + r"\.norm1\.", r"\1.layer_norm_before."),
    (_TEXT + r"\.norm2\.", r"\1.layer_norm_after."),
    (_FUSION + r"\.gamma_v$", r"\1.vision_param"),
    (_FUSION + r"\.gamma_l$", r"\1.text_param"),
    (_FUSION + r"(.*)_v(_proj)?\.(weight|bias)$", r"\1\2_vision\3.\4"),
    (_FUSION + r"(.*)_l(_proj)?\.(weight|bias)$", r"\1\2_text\3.\4"),
    (_FUSION + r"\.attn\.v_proj\.", r"\1.attn.vision_proj."),
    (_FUSION + r"\.attn\.l_proj\.", r"\1.attn.text_proj."),
    (r"^transformer\.decoder\.norm\.", "model.decoder.layer_norm."),
    (r"^transformer\.decoder\.ref_point_head\.", "model.decoder.reference_points_head."),
    (r"^transformer\.decoder\.", "model.decoder."),
    # Of the decoder's three norms the first follows the picture and the second the queries among themselves.
    (_DECODER + r"\.cross_attn\.", r"\1.encoder_attn."),
    (_DECODER + r"\.norm1\.", r"\1.encoder_attn_layer_norm."),
    (_DECODER + r"\.ca_text\.", r"\1.encoder_attn_text."),
    (_DECODER + r"\.catext_norm\.", r"\1.encoder_attn_text_layer_norm."),
    (_DECODER + r"\.norm2\.", r"\1.self_attn_layer_norm."),
    (_DECODER + r"\.norm3\.", r"\1.final_layer_norm."),
    (r"^(model\.(?:en|de)coder\..*)\.linear([12])\.", r"\1.fc\2."),
    (r"^transformer\.tgt_embed\.", "model.query_position_embeddings."),
    (r"^transformer\.enc_out_bbox_embed\.", "model.encoder_output_bbox_embed."),
    (r"^transformer\.", "model."),
)
"""Pattern and what stands for it, applied one after the other."""
STAGE = re.compile(_SWIN + r"\.norm(\d)\.")
"""Norms of the backbone's stages, which transformers counts from one."""
FUSED = re.compile(r"(.*)\.(?:qkv\.|in_proj_)(weight|bias)")
"""Queries, keys and values in one matrix, in this order."""


def is_authors(state: Mapping[str, Tensor]) -> bool:
    """Whether a file has the authors' names."""
    return any(name.removeprefix(WRAPPER).startswith(OURS) for name in state)


def renamed_parts(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A file of the authors' under transformers' names, of which each part must still be found in the network."""
    found: dict[str, Tensor] = {}
    for name, value in state.items():
        name = name.removeprefix(WRAPPER)
        for pattern, target in PARTS:
            name = re.sub(pattern, target, name)
        name = STAGE.sub(lambda m: f"{m[1]}.hidden_states_norms.stage{int(m[2]) + 1}.", name)
        if fused := FUSED.fullmatch(name):
            parts = zip(("query", "key", "value"), value.chunk(3), strict=True)
            found.update({f"{fused[1]}.{part}.{fused[2]}": third.clone() for part, third in parts})
        else:
            found[name] = value
    return found
