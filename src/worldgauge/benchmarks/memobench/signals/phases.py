"""What is read off a clip and its reference, pair by pair and phase by phase.

Each signal covers the frames of both protocols, so that switching protocol perceives nothing anew. `keyframes` are the
reference's own (gone, back); `lengths` are the frames of the clip and of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgauge.core.case import Phases
from worldgauge.core.clip import Clip
from worldgauge.core.device_arrays import gathered, is_on_device
from worldgauge.core.errors import InvalidVideo, Unscored
from worldgauge.core.frames import FrameSpec
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.functional.flow import occluded, photometric_error, warp
from worldgauge.functional.phases import Split, clamp, split, spread, spread_pairs, stride_pairs
from worldgauge.signals.embeddings import EmbeddingInstrument
from worldgauge.signals.flow import FlowInstrument, Pairs, both_ways, stacks_between
from worldgauge.signals.phases import LIMITED, frames_at, lengths_of, phase_arrays, rules_for
from worldgauge.signals.seats import ImageDepthInstrument


@signal(version=1, cost=0.0)
def clip_length(clip: Clip) -> Arrays:
    """How many frames the clip has."""
    return {"frames": np.array(clip.count)}


@signal(version=1, reads=("video", "reference"), frames=FrameSpec.at(0).resized(64, 36), cost=0.001)
def first_frame_flips(clip: Clip, reference: Clip) -> Arrays:
    """How like the reference's first frame the clip's is: as it is, upside down, mirrored, turned by half."""
    from worldgauge.benchmarks.memobench.formulas.orientation import flip_likeness

    shown, wanted = (source.frames(clip.spec)[0].mean(axis=2) for source in (clip, reference))
    return {"likeness": flip_likeness(shown, wanted)}


@signal(version=2, reads=("video", "reference", "phases"), seat="flow", frames=LIMITED, cost=0.1)
def phase_warp_errors(clip: Clip, reference: Clip, phases: Phases, flow: FlowInstrument, *, stride: int = 4) -> Arrays:
    """Photometric error of sampled pairs in the visible and the back phase, the first frame fetched along the flow."""
    pairs = _union(clip, reference, phases, lambda phase: stride_pairs(phase, stride))
    frames, numbers = _chosen(clip, pairs, clip.spec)
    errors, done = list[Any](), 0
    for fields in stacks_between(flow, frames, numbers):
        errors += _forward_sampled(frames, numbers[done : done + len(fields)], fields)
        done += len(fields)
    return phase_arrays(clip, reference, phases, pairs, error=gathered(errors).tolist())


def _forward_sampled(frames: Sequence[NDArray[np.uint8]], pairs: Pairs, fields: Any) -> list[Any]:
    """Errors of a stack of fields: numbers, or a tensor of them where the fields lie on a GPU."""
    if is_on_device(fields):
        from worldgauge.benchmarks.memobench.formulas.smoothness_on_device import forward_sampled_errors
        from worldgauge.instruments.neural.networks.on_device import launching, on_device_of

        with launching(fields.device):
            first, second = (on_device_of(fields, [frames[pair[side]] for pair in pairs]) for side in (0, 1))
            return [forward_sampled_errors(first, second, fields)]
    from worldgauge.benchmarks.memobench.formulas.smoothness import forward_sampled_error

    return [forward_sampled_error(frames[a], frames[b], field) for (a, b), field in zip(pairs, fields, strict=True)]


@signal(version=2, reads=("video", "reference", "phases"), seat="flow", frames=LIMITED, cost=0.3)
def timed_warp_errors(
    clip: Clip, reference: Clip, phases: Phases, flow: FlowInstrument, *, seconds: float = 0.25
) -> Arrays:
    """Photometric error of frames `seconds` apart outside the gone phase, warped the right way, of clip and reference.

    The later frame is fetched along the flow onto the earlier one and compared where both see the same surface.
    """
    if clip.fps is None:
        raise Unscored("the clip's frame rate is not known", "state fps in submission.json")
    counted = split(phases.gone, phases.back, reference.count, clip.count, "disjoint")
    stride = max(1, round(seconds * clip.fps))
    pairs = [p for phase in (counted.visible_frames, counted.back_frames) for p in stride_pairs(phase, stride)]
    if not pairs:
        raise InvalidVideo(f"no two frames of a phase lie {seconds} s apart")
    scale = (reference.count - 1) / max(1, clip.count - 1)
    twins = [(round(i * scale), round(j * scale)) for i, j in pairs]
    size = clip.frames().size
    return phase_arrays(
        clip,
        reference,
        phases,
        pairs,
        error=_seen_errors(*_chosen(clip, pairs, clip.spec), flow),
        reference_error=_seen_errors(*_chosen(reference, twins, FrameSpec().resized(*size)), flow),
    )


@signal(version=2, reads=("video", "reference", "phases"), seat="image_depth", frames=LIMITED, cost=1.0)
def phase_depth_similarity(
    clip: Clip, reference: Clip, phases: Phases, network: ImageDepthInstrument, *, samples: int = 3
) -> Arrays:
    """Similarity of consecutive depth maps, `samples` from each of the visible and the back phase."""
    from worldgauge.benchmarks.memobench.formulas.depth_consistency import depth_similarity

    pairs = _union(clip, reference, phases, lambda phase: spread_pairs(phase, samples, clip.count))
    frames = frames_at(clip, (i for pair in pairs for i in pair), clip.spec)
    depths = in_stacks(network, network.depths, list(frames.values()))
    maps = dict(zip(frames, depths, strict=True))
    similarities = [depth_similarity(maps[i], maps[j]) for i, j in pairs]
    return phase_arrays(clip, reference, phases, pairs, similarity=similarities)


@signal(version=2, reads=("video", "reference", "phases"), seat="embedding", frames=LIMITED, cost=0.1)
def anchor_similarities(
    clip: Clip, reference: Clip, phases: Phases, network: EmbeddingInstrument, *, samples: int = 9
) -> Arrays:
    """Similarity to the clip's first frame of every patch of `samples` frames of the back phase, place by place.

    `similarity` is (frames, patches), so that any share of best patches can be taken from it afterwards.
    """
    from worldgauge.benchmarks.memobench.formulas.patches import place_similarities

    backs = [s.back_frames for s in _splits(clip, reference, phases)]
    indices = sorted({i for back in backs for i in clamp(spread(back, samples), clip.count)})
    frames = frames_at(clip, [0, *indices], clip.spec)
    vectors = in_stacks(network, network.embeddings, list(frames.values()))
    tokens = {index: grid.reshape(-1, grid.shape[-1]) for index, (grid, _) in zip(frames, vectors, strict=True)}
    similarity = place_similarities(tokens[0], np.stack([tokens[i] for i in indices]))
    return {"indices": np.array(indices), "similarity": similarity} | lengths_of(clip, reference, phases)


def _splits(clip: Clip, reference: Clip, phases: Phases) -> list[Split]:
    return [split(phases.gone, phases.back, reference.count, clip.count, rule) for rule in rules_for(phases)]


def _union(
    clip: Clip, reference: Clip, phases: Phases, choose: Callable[[range], list[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """The pairs that either protocol takes from the visible and the back phase."""
    chosen = {
        pair
        for counted in _splits(clip, reference, phases)
        for phase in (counted.visible_frames, counted.back_frames)
        for pair in choose(phase)
    }
    return sorted((i, j) for i, j in chosen if j < clip.count)


def _chosen(clip: Clip, pairs: Pairs, spec: FrameSpec) -> tuple[list[NDArray[np.uint8]], Pairs]:
    """The frames that pairs name, and the pairs by their places among these."""
    frames = frames_at(clip, (i for pair in pairs for i in pair), spec)
    place = {index: k for k, index in enumerate(frames)}
    return list(frames.values()), [(place[i], place[j]) for i, j in pairs]


def _seen_errors(frames: Sequence[NDArray[np.uint8]], pairs: Pairs, flow: FlowInstrument) -> list[float]:
    """Error of each pair's second frame fetched onto its first, over the pixels seen in both; NaN where there is
    none."""
    ways = zip(pairs, both_ways(flow, frames, pairs), strict=True)
    return [
        photometric_error(frames[i], warp(frames[j], forward)[0], ~occluded(forward, backward))
        for (i, j), (forward, backward) in ways
    ]
