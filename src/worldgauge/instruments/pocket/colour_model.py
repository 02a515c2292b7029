"""What an object's colours say about where it is: histograms of the object against those of its surroundings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bins = NDArray[np.int32]
"""(H, W) number of the colour bin of each pixel."""
Histogram = NDArray[np.float64]
"""(BINS,) share of the pixels in each bin."""
Mask = NDArray[np.bool_]

LIGHT, CHROMA = 8, 32
"""Bins of brightness and of each of two chromaticities."""
BINS = LIGHT * CHROMA * CHROMA
DARK = 30.0
"""Sum of RGB added below the fraction line: very dark pixels count as grey instead of as random hues."""
SPAN = 0.5
"""Chromaticities from -SPAN to SPAN fill the bins; those beyond fall into the outermost."""
SMOOTH = (1.0, 0.8, 0.8)
"""Blur of the histograms in bins; brightness most, since shading changes it first."""
FLOOR = 1e-5
"""Share added to every bin, so that a colour never seen proves little."""
VIVID = 0.12
"""Chromaticity from which on a colour is vivid; greys and browns less so are anybody's."""
LEAST_VIVID = 0.1
"""Share of the object in vivid colours of its own from which on it is known by them,"""
LEAST_SHOWN = 0.15
"""and share of these that must be seen of it."""
LEAST_OTHER = 12
"""Pixels of the object's colours beside it that are worth remembering."""
USUAL = 1e-3
"""Share of the object's pixels from which on a colour is one that the object has."""
LAST_WEIGHT = 0.95
"""Worth of agreeing with the last sighting alone, which may have been a wrong one."""
ADAPT = 0.05
"""Weight of a new frame in the object's recent colours: a process may change them, slowly."""


def colour_bins(image: NDArray[np.uint8]) -> Bins:
    """Bin of each pixel of an RGB image: brightness, and two chromaticities that shading leaves alone."""
    red, green, blue = np.moveaxis(image.astype(np.float32), 2, 0)
    total = red + green + blue
    first = _level((red - green) / (total + DARK))
    second = _level((red + green - 2 * blue) / (2 * (total + DARK)))
    light = np.minimum(total * (LIGHT / 768), LIGHT - 1).astype(np.int32)
    return np.asarray((light * CHROMA + first) * CHROMA + second, np.int32)


def histogram(bins: Bins) -> Histogram:
    """Smoothed share of each bin; all zero for no pixels."""
    from scipy.ndimage import gaussian_filter

    counts = np.bincount(bins.ravel(), minlength=BINS).astype(np.float64)
    smooth = gaussian_filter(counts.reshape(LIGHT, CHROMA, CHROMA), SMOOTH, mode="nearest").ravel()
    return np.asarray(smooth / max(smooth.sum(), 1e-9))


class ColourModel:
    """Colours of the object, first and recent, and of everything else seen so far."""

    def __init__(self, bins: Bins, mask: Mask, around: Mask) -> None:
        """From the first frame: `mask` is the object, `around` what surely is not."""
        self._first = self._recent = self._last = self.object = histogram(bins[mask])
        self._glimpse: Histogram | None = None
        self._others: Histogram | None = None
        self._background = histogram(bins[around])
        self._frames = 1
        self._share = min(0.3, 2 * float(mask.mean()))
        """Share of a frame the object is expected to fill; generous, since it may come nearer."""

    @property
    def distinctness(self) -> float:
        """How far the object's colours are its own: 0.5 when the surroundings have the same, 1 when they share none."""
        return float((self.object * self._own(self.object)).sum())

    def posterior(self, bins: Bins) -> NDArray[np.float32]:
        """(H, W) probability of the object at each pixel from its colour alone."""
        mine = self.object * self._share
        return np.asarray((mine / (mine + (self._background + FLOOR / 10) * (1 - self._share)))[bins], np.float32)

    def has(self, bins: Bins) -> Mask:
        """(H, W) pixels whose colour the object has, whatever else has it too."""
        return np.asarray((self.object > USUAL)[bins])

    def log_ratio(self, bins: Bins, around: Mask) -> NDArray[np.float32]:
        """(H, W) log of object over surroundings; half of the surroundings' weight is what lies `around` here."""
        near = self._background
        if np.count_nonzero(around) > 20:
            near = (near + histogram(bins[around])) / 2
        return np.asarray(np.log((self.object + FLOOR) / (near + FLOOR))[bins], np.float32)

    def likeness(self, bins: Bins, mask: Mask) -> float:
        """In [0, 1]: do the colours under a mask agree with the object's, in particular those that are its own?

        The object as known so far, as last seen whole, or as it was a moment ago, whichever fits best.
        """
        seen = histogram(bins[mask])
        looks = [self._last] if self._glimpse is None else [self._last, self._glimpse]
        return max(self._agreement(seen, self.object), *(LAST_WEIGHT * self._agreement(seen, look) for look in looks))

    def adapt(self, bins: Bins, mask: Mask) -> None:
        """Let the object's colours follow those under a trusted mask; the first ones always keep a third."""
        self._last = histogram(bins[mask])
        self._recent = (1 - ADAPT) * self._recent + ADAPT * self._last
        self.object = (self._first + self._recent + self._last) / 3

    def glimpse(self, bins: Bins, mask: Mask | None) -> None:
        """How the object looked a moment ago, whole or cut by the frame's edge; None: nobody knows."""
        self._glimpse = None if mask is None else histogram(bins[mask])

    @property
    def has_glimpse(self) -> bool:
        """Whether it is known how the object looked a moment ago."""
        return self._glimpse is not None

    def learn_others(self, bins: Bins, where: Mask) -> None:
        """Remember what has colours of the object and stands apart from it, the latest sights most."""
        if np.count_nonzero(where) >= LEAST_OTHER:
            now = histogram(bins[where])
            self._others = now if self._others is None else (self._others + now) / 2

    def is_another(self, bins: Bins, mask: Mask) -> bool:
        """Whether what a mask shows is more like what stood beside the object than like the object."""
        if self._others is None:
            return False
        seen = histogram(bins[mask])
        others, *own = (np.sqrt(seen * look).sum() for look in (self._others, self._first, self._last, self.object))
        return bool(others > max(own))

    def shows_vivid(self, bins: Bins, mask: Mask) -> bool:
        """Whether a mask shows some of the vivid colours that the object is known by, if it has any.

        A windmill is not where only its tower's grey is seen: a wall that nobody saw before may have that.
        """
        seen = histogram(bins[mask])
        shown = [self._vivid(np.minimum(seen, look), look) for look in (self._first, self._last)]
        there = [self._vivid(look, look) for look in (self._first, self._last)]
        return any(of_it < LEAST_VIVID or now >= LEAST_SHOWN * of_it for now, of_it in zip(shown, there, strict=True))

    def learn_background(self, bins: Bins, outside: Mask) -> None:
        """Add a frame's surroundings to those seen before, all frames with the same weight."""
        self._background = (self._background * self._frames + histogram(bins[outside])) / (self._frames + 1)
        self._frames += 1

    def _agreement(self, seen: Histogram, colours: Histogram) -> float:
        overlap = np.sqrt(seen * colours)
        own = self._own(colours)
        distinct = float((overlap * own).sum() / max((colours * own).sum(), 1e-9))
        return float(overlap.sum()) * min(1.0, distinct)

    def _vivid(self, seen: Histogram, look: Histogram) -> float:
        """Share of what is seen in vivid colours, counted as far as they are a look's own."""
        return float((seen * self._own(look))[_IS_VIVID].sum())

    def _own(self, colours: Histogram) -> Histogram:
        """How far each colour is the object's own: 0 for one of the surroundings, 1 for one seen nowhere else."""
        return np.asarray(colours / (colours + self._background + FLOOR))


def _vivid_bins() -> NDArray[np.bool_]:
    """(BINS,) which bins hold vivid colours."""
    levels = ((np.arange(CHROMA) + 0.5) / (CHROMA / 2) - 1) * SPAN
    return np.tile((np.hypot(levels[:, None], levels) > VIVID).ravel(), LIGHT)


_IS_VIVID = _vivid_bins()


def _level(chromaticity: NDArray[np.float32]) -> Bins:
    scaled = (chromaticity / SPAN + 1) * (CHROMA / 2)
    return np.asarray(np.clip(scaled, 0, CHROMA - 1).astype(np.int32))
