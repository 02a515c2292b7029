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
    if not 0 <= gone <= back < reference_frames:
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
