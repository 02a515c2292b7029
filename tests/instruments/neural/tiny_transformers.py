"""Small random networks of transformers, saved as it saves them, for the real loading code to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    Sam2HieraDetConfig,
    Sam2VideoConfig,
    Sam2VideoMaskDecoderConfig,
    Sam2VideoModel,
    Sam2VideoPromptEncoderConfig,
    Sam2VisionConfig,
    Sam3Config,
    Sam3DETRDecoderConfig,
    Sam3DETREncoderConfig,
    Sam3GeometryEncoderConfig,
    Sam3MaskDecoderConfig,
    Sam3Model,
    Sam3TrackerVideoConfig,
    Sam3TrackerVideoMaskDecoderConfig,
    Sam3TrackerVideoPromptEncoderConfig,
    Sam3VideoConfig,
    Sam3VideoModel,
    Sam3VisionConfig,
    Sam3ViTConfig,
    SwinConfig,
)

CLS, SEP, STOP, QUESTION = 101, 102, 1012, 1029
"""Numbers the network knows the marks of a caption by."""
WORDS = {5: "lamp", 6: "oak", 7: "desk", 8: "##board", 9: "skate", 10: ",", CLS: "[CLS]", SEP: "[SEP]", STOP: "."}


def write_vocabulary(file: Path) -> Path:
    """Word pieces with the marks at the numbers they have in BERT's own."""
    words = {0: "[PAD]", 100: "[UNK]", QUESTION: "?", **WORDS}
    file.write_text("\n".join(words.get(number, f"[unused{number}]") for number in range(QUESTION + 1)))
    return file


def saved(module: Any, folder: Path) -> Path:
    """The file of parameters; its configuration lies beside it."""
    module.save_pretrained(folder)
    return folder / "model.safetensors"


def grounding_dino(seed: int = 0) -> GroundingDinoForObjectDetection:
    torch.manual_seed(seed)
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4,
            out_indices=[2, 3, 4],
        ),
        text_config=BertConfig(
            vocab_size=1040, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
        ),
        d_model=32, encoder_layers=1, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, num_queries=12,
    )  # fmt: skip
    module = GroundingDinoForObjectDetection(config).eval()
    # Freshly made, queries are all alike; so far apart that tokens are told from each other.
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim > 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
    return module


def sam2(seed: int = 0) -> Sam2VideoModel:
    torch.manual_seed(seed)
    trunk = Sam2HieraDetConfig(
        hidden_size=8, num_attention_heads=1, image_size=[128, 128], blocks_per_stage=[1, 1, 2, 1],
        embed_dim_per_stage=[8, 16, 32, 64], num_attention_heads_per_stage=[1, 1, 2, 2],
        window_size_per_stage=[8, 4, 4, 4],
        window_positional_embedding_background_size=[7, 7], global_attention_blocks=[3],
    )  # fmt: skip
    vision = Sam2VisionConfig(
        backbone_config=trunk, backbone_channel_list=[64, 32, 16, 8], fpn_hidden_size=128,
        backbone_feature_sizes=[[32, 32], [16, 16], [8, 8]],
    )  # fmt: skip
    config = Sam2VideoConfig(
        vision_config=vision,
        prompt_encoder_config=Sam2VideoPromptEncoderConfig(hidden_size=128, image_size=128),
        mask_decoder_config=Sam2VideoMaskDecoderConfig(
            hidden_size=128, mlp_dim=32, num_attention_heads=2, iou_head_hidden_dim=32
        ),
        image_size=128, memory_attention_hidden_size=128, memory_attention_num_layers=1,
        memory_attention_feed_forward_hidden_size=32, memory_attention_rope_feat_sizes=[8, 8],
        memory_encoder_hidden_size=128, memory_encoder_output_channels=64, mask_downsampler_embed_dim=128,
        memory_fuser_embed_dim=128, memory_fuser_intermediate_dim=32,
    )  # fmt: skip
    module = Sam2VideoModel(config).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        # The objects are always thought to be in view; else every later mask is empty.
        module.mask_decoder.pred_obj_score_head.proj_out.bias.fill_(20)
    return module


def sam3_detector(width: int) -> Sam3Config:
    part = {"hidden_size": width, "num_attention_heads": 4, "intermediate_size": 32, "num_layers": 1}
    return Sam3Config(
        vision_config=sam3_vision(width),
        text_config={
            "model_type": "clip_text_model", "vocab_size": 530, "hidden_size": 32, "intermediate_size": 32,
            "projection_dim": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "max_position_embeddings": 32,
            "hidden_act": "gelu",
        },
        geometry_encoder_config=Sam3GeometryEncoderConfig(**part),
        detr_encoder_config=Sam3DETREncoderConfig(**part),
        detr_decoder_config=Sam3DETRDecoderConfig(**part, num_queries=20),
        mask_decoder_config=Sam3MaskDecoderConfig(hidden_size=width, num_upsampling_stages=2, num_attention_heads=4),
    )  # fmt: skip


def sam3_vision(width: int) -> Sam3VisionConfig:
    trunk = Sam3ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=32, image_size=112,
        pretrain_image_size=56, patch_size=14, window_size=4, global_attn_indexes=[1],
    )  # fmt: skip
    return Sam3VisionConfig(
        backbone_config=trunk, fpn_hidden_size=width, backbone_feature_sizes=[[32, 32], [16, 16], [8, 8]]
    )


def sam3(seed: int = 0) -> Sam3Model:
    torch.manual_seed(seed)
    return spread(Sam3Model(sam3_detector(32)).eval())


def sam3_video(seed: int = 0) -> Sam3VideoModel:
    torch.manual_seed(seed)
    tracker = Sam3TrackerVideoConfig(
        vision_config=sam3_vision(128),
        prompt_encoder_config=Sam3TrackerVideoPromptEncoderConfig(hidden_size=128, image_size=112, patch_size=14),
        mask_decoder_config=Sam3TrackerVideoMaskDecoderConfig(
            hidden_size=128, mlp_dim=32, num_attention_heads=2, iou_head_hidden_dim=32
        ),
        memory_attention_hidden_size=128, memory_attention_num_layers=1, memory_attention_feed_forward_hidden_size=32,
        memory_attention_rope_feat_sizes=[8, 8], memory_encoder_hidden_size=128, mask_downsampler_embed_dim=128,
        memory_fuser_embed_dim=128, memory_fuser_intermediate_dim=32,
    )  # fmt: skip
    config = Sam3VideoConfig(
        detector_config=sam3_detector(128), tracker_config=tracker, low_res_mask_size=32,
        score_threshold_detection=0.0, new_det_thresh=0.0, det_nms_thresh=0.3, hotstart_delay=0,
        hotstart_unmatch_thresh=0, hotstart_dup_thresh=0,
    )  # fmt: skip
    config.image_size = 112
    module = spread(Sam3VideoModel(config).eval())
    with torch.no_grad():
        module.tracker_model.mask_decoder.pred_obj_score_head.proj_out.bias.fill_(20)
    return module


def spread(module: Any) -> Any:
    """Parameters so far apart that queries differ."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim > 1:
                parameter.add_(0.2 * torch.randn_like(parameter))
    return module
