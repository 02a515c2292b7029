"""What a judge file says beside its scores: which files they are of, who judged, what was shown, chunk by chunk.

What a run does not know, such as devices and intermediate videos that it does not write, is null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.tree import PROMPTS
from worldgauge.benchmarks.worldolympiad.formulas.adherence import FRAMES_PER_CHUNK
from worldgauge.benchmarks.worldolympiad.formulas.evidence import (
    CHUNK_FRAMES,
    GLOBAL_FRAMES,
    REFERENCE_FRAMES,
    SIDE_FRAMES,
)
from worldgauge.benchmarks.worldolympiad.formulas.frame_rules import MASK_FRAMES, RECONSTRUCTION_FRAMES
from worldgauge.benchmarks.worldolympiad.official.run_answers import each_signal
from worldgauge.benchmarks.worldolympiad.signals.chunks import TimedChunk, timed_chunks
from worldgauge.core.clip import Clip
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.sources import Source

ARTIFACTS = (
    "video_bbox",
    "gt_bbox",
    "three_d_input_video",
    "three_d_dynamic_masked_video",
    "three_d_dynamic_masked_source",
    "camera_trajectory_path",
    "camera_trajectory_source",
    "qwen_offload_before_3d",
)


def settings_of(run: Run) -> dict[str, Any]:
    """How the run was made, in the words of a judge file: the same for all its cases."""
    told = _judge(run)
    backend, model = str(told.get("client", "")) or None, str(told.get("model", "")) or None
    return {
        "vlm_backend": backend,
        "vlm_model": model,
        "interaction_vlm_backend": backend,
        "interaction_vlm_model": model,
        "three_d_model_name": run.file.instruments.get("reconstruction"),
        "three_d_vlm_backend": backend,
        "three_d_scoring_model": model,
        "physical_max_frames": MASK_FRAMES,
        "physical_batch_mode": "dimension",
        "interaction_chunk_frames": CHUNK_FRAMES,
        "interaction_ref_frames": REFERENCE_FRAMES,
        "interaction_transition_side_frames": SIDE_FRAMES,
        "interaction_global_frames": GLOBAL_FRAMES,
        "three_d_max_frames": RECONSTRUCTION_FRAMES,
        "three_d_mask_dynamic_objects": True,
        "sam_device": None,
        "da_device": None,
        "da_visible_devices": None,
        "artifacts": dict.fromkeys(ARTIFACTS),
    }


def files_of(source: Source) -> dict[str, Any]:
    """Which files a case is made of; null for what it does not have."""
    case, video = source.case, source.video
    folder = case.tags.get("folder")
    prompts = case.path(f"{folder}/{PROMPTS}") if folder else None
    return {
        "video": None if video is None else video.path.as_posix(),
        "gt_video": case.path(case.reference.video).as_posix() if case.reference.video else None,
        "prompt": case.extras.get("description"),
        "prompt_json": prompts.as_posix() if prompts is not None and prompts.is_file() else None,
        "chunk_json": None if video is None or video.beside is None else video.beside.as_posix(),
    }


def described(
    content: Mapping[str, Any], source: Source, settings: Mapping[str, Any], similarities: Sequence[float | None] | None
) -> dict[str, Any]:
    """A judge file with everything about its case; `similarities` are those of CLIP, chunk by chunk."""
    files, chunks = files_of(source), _chunks(source)
    found = {**files, **settings, **content}
    shared = {"generated_video": files["video"], "prompt_json": files["prompt_json"], "chunk_json": files["chunk_json"]}
    if found["interaction"] is not None:
        judge = {"backend": settings["vlm_backend"], "model": settings["vlm_model"]}
        numbered = _numbered(found["interaction"], chunks)
        found["interaction"] = {**shared, "reference_video": files["gt_video"], **judge, **numbered}
    if found["clip_interaction"] is not None:
        found["clip_interaction"] = {**shared, **_adherence(found["clip_interaction"], chunks, similarities)}
    return found


def _judge(run: Run) -> Mapping[str, Any]:
    for definition in run.file.definitions:
        for signal in each_signal(definition.signals):
            made = signal.get("instrument")
            if made and made["name"] == run.file.instruments.get("judge"):
                parameters: Mapping[str, Any] = made["parameters"]
                return parameters
    return {}


def _chunks(source: Source) -> list[TimedChunk]:
    if source.video is None:
        return []
    try:
        return timed_chunks(Clip(source.video), source.case.extras.get("chunks") or [])
    except WorldGaugeError:
        # Without times nothing of interaction was asked, so nothing needs a number.
        return []


def _numbered(interaction: Mapping[str, Any], chunks: Sequence[TimedChunk]) -> dict[str, Any]:
    """The answers of a level with the chunks they are about."""
    if len(chunks) != len(interaction["chunks"]):
        return dict(interaction)
    indices = [chunk.index for chunk in chunks]
    pairs = zip(indices, indices[1:], interaction["transitions"], strict=False)
    return {
        **interaction,
        "chunks": [{"chunk_index": k, **one} for k, one in zip(indices, interaction["chunks"], strict=True)],
        "transitions": [{"from_chunk_index": a, "to_chunk_index": b, **one} for a, b, one in pairs],
    }


def _adherence(
    content: Mapping[str, Any], chunks: Sequence[TimedChunk], similarities: Sequence[float | None] | None
) -> dict[str, Any]:
    if similarities is None or len(similarities) != len(chunks):
        return dict(content)
    scored = sum(value is not None for value in similarities)
    return {
        "frames_per_chunk": FRAMES_PER_CHUNK,
        "summary": {
            **content["summary"],
            "num_scored_chunks": scored,
            "num_chunks": len(chunks),
        },
        "chunks": [
            {
                "chunk_index": chunk.index,
                "source_interval": chunk.source_interval,
                "generated_start_sec": chunk.span.start,
                "generated_end_sec": chunk.span.end,
                "action": chunk.action or None,
                "caption": chunk.caption,
                "score": value,
                "error": None if value is not None else "empty_prompt",
            }
            for chunk, value in zip(chunks, similarities, strict=True)
        ],
    }
