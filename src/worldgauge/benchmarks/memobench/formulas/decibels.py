"""Peak signal-to-noise ratio without a ceiling: only equal frames have a value by convention."""

from __future__ import annotations

import math
from typing import Final

EQUAL: Final = 1e-10
"""Mean squared error, squared levels, below which two frames count as equal."""
EQUAL_DECIBELS: Final = 99.0
"""What equal frames get: less than frames that differ by one level in one value."""
MOST_DECIBELS: Final = 110.0
"""No pair reaches it: one value off by one level in 640 x 640 pixels gives 109.03."""


def uncapped_psnr(squared_error: float) -> float:
    """Decibels of a mean squared error of 8-bit images, over all pixels and channels.

    Source: released code at commit f4edb0c; arXiv 2606.27537 prints no formula.

    >>> round(uncapped_psnr(1 / (640 * 360 * 3)), 2), uncapped_psnr(0.0)
    (106.53, 99.0)
    """
    if squared_error < EQUAL:
        return EQUAL_DECIBELS
    return 10.0 * math.log10(255.0**2 / squared_error)
