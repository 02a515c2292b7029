"""Reason codes: why a clip has no score, in a word that a rule can name.

A record's `reason` is for people, its `code` for rules: a benchmark may declare what clips without a score for that
reason count as. A metric, signal or instrument gives one with `Unscored(message, code=...)`; it may be a new one.
"""

from __future__ import annotations

import re
from typing import Final

TOO_FEW_FRAMES: Final = "too-few-frames"
"""Too few frames of the clip can be used."""
OF_THE_CLIP: Final = "of-the-clip"
"""The clip shows nothing that any instrument could measure: it is black, of one tone, or a single frame."""
OF_THE_INSTRUMENT: Final = "of-the-instrument"
"""The instrument failed on a clip that shows something: another instrument may succeed."""
POSE_NOT_TRUSTED: Final = "pose-not-trusted"
"""A camera path was found and nothing vouches for it."""
TOO_LARGE: Final = "too-large"
"""The clip would take more memory than a worker may."""
NO_ANSWER: Final = "no-answer"
"""Who was asked refused, or gave no answer that can be read."""
UNAVAILABLE: Final = "unavailable"
"""The instrument is not there: no weights, no library."""
OF_THE_CASE: Final = "of-the-case"
"""The case or its reference cannot be measured, whatever the model made of it."""
NOT_ON_DISK: Final = "not-on-disk"
"""A part of the case that the data set has is not on this disk."""

BEYOND_THE_MODEL: Final = frozenset({UNAVAILABLE, OF_THE_CASE, NOT_ON_DISK})
"""Reasons that no model can cause: such a clip never counts as worst, and is none of what bounds are about."""

BROADER: Final = {OF_THE_CLIP: TOO_FEW_FRAMES, OF_THE_INSTRUMENT: TOO_FEW_FRAMES}
"""Reasons to the broader one whose rule holds for them where a policy names the broader one alone."""

_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def is_code(text: str) -> bool:
    """Whether a text is small letters and digits, joined by hyphens.

    >>> is_code("too-few-frames"), is_code("Too few frames")
    (True, False)
    """
    return _CODE.fullmatch(text) is not None
