"""Which frame of a clip is compared with which frame of its reference, phase by phase, when their lengths differ."""

from __future__ import annotations

from worldgauge.core.errors import NotApplicable
from worldgauge.functional.phases import Rule, clamp, split, stretch

Pairs = dict[str, list[tuple[int, int]]]
"""`visible`, `gone`, `back`, `all` to pairs (frame of the clip, frame of the reference)."""


def phase_pairs(gone: int, back: int, reference_frames: int, frames: int, rule: Rule) -> Pairs:
    """Pairs of every phase; `gone` and `back` are keyframes of the reference.

    `shared` stretches each phase of the clip over the same phase of the reference on its own, boundary frames shared.
    `disjoint` stretches the whole clip over the whole reference once and hands each pair to the phase of its frame.

    >>> phase_pairs(2, 4, 6, 3, "disjoint")["back"]
    [(2, 5)]
    """
    if not 0 <= min(gone, back) <= max(gone, back) < reference_frames:
        raise NotApplicable(f"keyframes {gone} and {back} do not lie in a reference of {reference_frames} frames")
    phases = split(gone, back, reference_frames, frames, rule)
    whole = list(enumerate(stretch(0, reference_frames - 1, frames)))
    ranges = {"visible": phases.visible_frames, "gone": phases.gone_frames, "back": phases.back_frames}
    if rule == "disjoint":
        return {name: [whole[i] for i in indices] for name, indices in ranges.items()} | {"all": whole}
    ends = {"visible": (0, gone), "gone": (gone, back), "back": (back, reference_frames - 1)}
    pairs: Pairs = {
        name: list(zip(clamp(indices, frames), stretch(*ends[name], len(indices)), strict=True)) if indices else []
        for name, indices in ranges.items()
    }
    return pairs | {"all": whole}


def pairs_in_time(
    frames: int, reference_frames: int, rate: float | None = None, reference_rate: float | None = None
) -> list[tuple[int, int]]:
    """Frames of a clip and of its reference that show the same moment, as far as both go.

    Without rates, frames of the same number. With them, one pair for each frame of the slower clip.

    >>> pairs_in_time(3, 5), pairs_in_time(3, 6, 12.0, 24.0), pairs_in_time(6, 3, 24.0, 12.0)
    ([(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 2), (2, 4)], [(0, 0), (2, 1), (4, 2)])
    """
    if rate is None or reference_rate is None:
        return [(i, i) for i in range(min(frames, reference_frames))]
    slower = min(rate, reference_rate)
    moments = range(int(min(frames / rate, reference_frames / reference_rate) * slower) + 1)
    pairs = ((int(i * rate / slower + 0.5), int(i * reference_rate / slower + 0.5)) for i in moments)
    return [(ours, theirs) for ours, theirs in pairs if ours < frames and theirs < reference_frames]
