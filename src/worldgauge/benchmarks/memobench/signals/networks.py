"""What is asked of networks that have no weight-free counterpart: aesthetics, quality, LPIPS, reward, revisit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from worldgauge.benchmarks.memobench.formulas.revisits import revisit_indices
from worldgauge.benchmarks.memobench.formulas.small_rules import laplacian_quality, reward_frames
from worldgauge.core.case import Phases
from worldgauge.core.clip import Clip
from worldgauge.core.frames import FrameSpec
from worldgauge.core.instrument import Instrument
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.functional.phases import split
from worldgauge.signals.phases import LIMITED, MAX_SIDE, compared_pairs, frames_at, phase_arrays
from worldgauge.signals.seats import ImageDistance, ImageEmbedding, ImageScore, PromptReward


@signal(version=1, seat="aesthetic", frames=FrameSpec.every(4).within(MAX_SIDE), cost=0.5)
def frame_aesthetics(clip: Clip, network: ImageScore) -> Arrays:
    """Aesthetic score, 1 to 10, of every fourth frame."""
    return {"score": np.array(in_stacks(network, network.scores, clip.frames()), np.float64)}


@signal(version=1, seat="image_quality", frames=FrameSpec.every(4).within(MAX_SIDE), cost=0.5)
def frame_qualities(clip: Clip, network: ImageScore) -> Arrays:
    """No-reference quality, 0 to 1, of every fourth frame."""
    return {"score": np.array(in_stacks(network, network.scores, clip.frames()), np.float64)}


@signal(version=2, reads=("video", "reference", "phases"), seat="perceptual_distance", frames=LIMITED, cost=0.5)
def phase_perceptual_distances(clip: Clip, reference: Clip, phases: Phases, network: ImageDistance) -> Arrays:
    """LPIPS of the pairs (clip frame, reference frame) that either protocol compares."""
    pairs = compared_pairs(clip, reference, phases)
    subject = frames_at(clip, (i for i, _ in pairs), clip.spec)
    truth = frames_at(reference, (j for _, j in pairs), FrameSpec().resized(*clip.frames().size))
    shown, wanted = [subject[i] for i, _ in pairs], [truth[j] for _, j in pairs]
    distances = in_stacks(network, network.distances, shown, wanted)
    return phase_arrays(clip, reference, phases, pairs, lpips=distances)


@signal(version=2, reads=("video", "prompt"), seat="prompt_reward", frames=LIMITED, cost=0.5)
def prompt_rewards(clip: Clip, prompt: str, network: PromptReward) -> Arrays:
    """Reward of five frames, from first to last, for the prompt; NaN where the network could not tell."""
    indices = reward_frames(clip.count)
    frames = frames_at(clip, indices, clip.spec)
    shown = [frames[i] for i in indices]
    # Backwards: the frames say how many rows there are.
    rewards = in_stacks(network, lambda stack, prompts: network.rewards(prompts, stack), shown, [prompt] * len(shown))
    return {"reward": np.array(rewards, np.float64)}


@signal(version=1, reads=("video", "reference", "phases"), seat="image_embedding", frames=LIMITED, cost=0.3)
def revisit_similarities(clip: Clip, reference: Clip, phases: Phases, network: ImageEmbedding) -> Arrays:
    """Cosine, 0 to 1, of three frames of the back phase with three of the reference's."""
    back = split(phases.gone, phases.back, reference.count, clip.count, "shared").back
    ours, theirs = revisit_indices(back, clip.count), revisit_indices(phases.back, reference.count)
    subject, truth = frames_at(clip, ours, clip.spec), frames_at(reference, theirs, FrameSpec())
    pairs = list(zip(ours, theirs, strict=True))
    vectors = in_stacks(network, network.embeddings, [subject[i] for i in ours])
    wanted = in_stacks(network, network.embeddings, [truth[j] for j in theirs])
    cosines = [float(np.clip(a @ b, 0, 1)) for a, b in zip(vectors, wanted, strict=True)]
    return phase_arrays(clip, reference, phases, pairs, similarity=cosines)


@dataclass(frozen=True)
class LaplacianQuality(Instrument):
    """Sharpness in the place of a quality network: what the released code reports in silence where that is missing."""

    seat: ClassVar[str] = "image_quality"
    name: ClassVar[str] = "memobench_laplacian"

    def scores(self, frames: NDArray[np.uint8]) -> NDArray[np.float64]:
        """A number per RGB frame (N, H, W, 3), (N,)."""
        return np.array([laplacian_quality(frame) for frame in frames], np.float64)
