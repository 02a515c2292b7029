"""Which frames are looked at: the four index rules of the released code, each for its purpose."""

from __future__ import annotations

RECONSTRUCTION_FRAMES = 32
"""Frames that poses and Gaussians are estimated from."""
MASK_FRAMES = 64
"""Frames in which moving things are looked for; the scripts for a single clip take 128."""
JUDGE_FRAMES = 8
"""Frames of a video that a judge is shown."""


def spread(total: int, most: int) -> list[int]:
    """At most `most` frames from first to last, evenly, halves to the even number; all of them where `most` is 0.

    >>> spread(9, 8), spread(3, 1)
    ([0, 1, 2, 3, 5, 6, 7, 8], [0])
    """
    if most <= 0 or total <= most:
        return list(range(total))
    if most == 1:
        return [0]
    return [round(i * (total - 1) / (most - 1)) for i in range(most)]


def cut_spread(total: int, most: int) -> list[int]:
    """The rule of the frames that are segmented: evenly, cut to whole numbers, the last one forced to the end.

    >>> cut_spread(9, 8), cut_spread(3, 1)
    ([0, 1, 2, 3, 4, 5, 6, 8], [2])
    """
    if most <= 0 or total <= most:
        return list(range(total))
    step = (total - 1) / (most - 1) if most > 1 else 0.0
    kept = sorted({int(i * step) for i in range(most)})
    kept[-1] = total - 1
    return kept


def shown_frames(total: int, most: int = JUDGE_FRAMES) -> list[int]:
    """The frames of a video that a judge is shown, each once; the first alone where `most` is 0.

    >>> shown_frames(9), shown_frames(5, 0)
    ([0, 1, 2, 3, 5, 6, 7, 8], [0])
    """
    if not total:
        return []
    return sorted(set(spread(total, most))) if most > 0 else [0]


def resampled(total: int, wanted: int) -> list[int]:
    """Exactly `wanted` of the poses of a path: thinned out, or the last one repeated.

    >>> resampled(2, 4)
    [0, 1, 1, 1]
    """
    if not total:
        return []
    if total < wanted:
        return [*range(total), *[total - 1] * (wanted - total)]
    return spread(total, wanted) if wanted > 0 else []
