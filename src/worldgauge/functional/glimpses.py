"""What tiny copies of the frames tell: which moment of the true video a frame shows, and whether it shows only one.

A glimpse is a frame averaged down to ROWS x COLUMNS. Averaging is linear, so a blend of two frames stays that blend.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgauge.functional.usable import filled_in

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
ROWS, COLUMNS = 27, 48
TONE_PIXELS = 50_000
"""Pixels of a frame whose tones are counted, at least."""
FAINT = 0.002
"""Mean difference between moments, in spreads of a frame, below which a video shows no course of time."""
UNLIKE = 0.5
"""Squared distance, in spreads of a frame, from which on two glimpses show different things: a correlation of 3/4."""
NEAREST = 0.01
"""How much more alike, in shares of the largest difference within the video, a moment a whole clip away must be."""
LEAST_SHOWN = 0.25
"""Share of the true course of time that must be shown before its direction is worth the full mark."""
NOISE = 0.05
"""Squared 8-bit levels; smaller mean differences of glimpses are rounding."""


def glimpse(frame: Image) -> NDArray[np.float16]:
    """(ROWS, COLUMNS, 3) means of a frame's cells, 8-bit levels."""
    import cv2

    return np.asarray(cv2.resize(frame.astype(np.float32), (COLUMNS, ROWS), interpolation=cv2.INTER_AREA), np.float16)


def tone_fullness(frame: Image) -> float:
    """Share of the tones between a frame's darkest and brightest hundredth that occur in it, mean over channels.

    >>> ramp = np.tile(np.arange(256, dtype=np.uint8)[:, None], (256, 1, 3))
    >>> tone_fullness(ramp), round(tone_fullness(ramp // 16 * 16), 2)
    (1.0, 0.07)
    """
    step = max(1, int(np.sqrt(frame.shape[0] * frame.shape[1] / TONE_PIXELS)))
    shares = []
    for channel in np.moveaxis(frame[::step, ::step], 2, 0):
        counts = np.bincount(channel.ravel(), minlength=256)
        below = np.cumsum(counts) / counts.sum()
        low, high = np.searchsorted(below, (0.01, 0.99))
        shares.append((counts[low : high + 1] > 0).mean())
    return float(np.mean(shares))


def forward_share(ours: Floats, theirs: Floats, shown: NDArray[np.bool_] | None = None) -> tuple[float, Floats]:
    """How far time runs forwards: 1 as in the true video, 0 where it stands, -1 where it runs backwards; second, the
    same for each of our frames, NaN where it has no say. NaN altogether where the true video shows no course of time.

    Every frame is matched with the true moment that it shows. The frame a little later must then be more like the true
    moment a little later than like the one a little earlier; the difference of the two squared distances is its say, in
    which blur, grain and anything else that both have in common cancels. A frame that is like no true moment has no
    say: another view is no other direction. One that is not `shown` (N,), a flash or a blank one, says what those
    around it say, and nobody waits for it: the frame before or after it is looked at instead. A clip of too few frames
    with a say cannot reach 1.
    """
    count, true_count = len(ours), len(theirs)
    reach = max(1, round(true_count / 24))
    later = max(1, round(reach * (count - 1) / max(1, true_count - 1)))
    between, among = _squares(ours, theirs), _squares(theirs, theirs)
    middle = np.arange(reach, true_count - reach)
    course = np.zeros(true_count)
    course[middle] = among[middle + reach, middle - reach]
    asked = course.sum() * count / true_count
    says = np.full(count, np.nan)
    if asked < FAINT**2 * count:
        return float("nan"), says
    match, like = _shown(between, among)
    seen = np.ones(count, bool) if shown is None else shown
    step = _steps(seen, later)
    said = seen & (step > 0)
    if not said.any():
        return 0.0, says
    ahead = np.maximum(1, np.round(step * reach / later).astype(int))
    in_time = (match >= ahead) & (match < true_count - ahead) & (np.arange(count) + step < count)
    usable = np.flatnonzero(said & in_time)
    matched, after, away = match[usable], between[usable + step[usable]], ahead[usable]
    rows = np.arange(len(usable))
    # Every moment weighs what it would weigh at the usual step. In what swings, the moments before and after may be
    # alike at another step, where next to nothing would then weigh as much.
    evidence, most = np.zeros((2, count))
    most[usable] = like[usable] * course[matched]
    passed = np.maximum(among[matched + away, matched - away], np.maximum(course[matched] / 4, 1e-12))
    evidence[usable] = most[usable] * (after[rows, matched - away] - after[rows, matched + away]) / passed
    says[usable] = evidence[usable] / (asked / count)
    evidence, most = filled_in(evidence, said), filled_in(most, said)
    return float(evidence.sum() / max(most.sum(), LEAST_SHOWN * asked, np.abs(evidence).sum())), says


def _steps(shown: NDArray[np.bool_], later: int) -> NDArray[np.int64]:
    """(N,) how many frames later the one lies that each frame is compared with: `later`, or one more or less where that
    one is not shown; 0 where none of these is.

    >>> _steps(np.array([True, True, True, False, True, True]), 2).tolist()
    [2, 3, 2, 2, 2, 2]
    """
    count = len(shown)
    steps = np.zeros(count, np.int64)
    for step in (later - 1, later + 1, later):
        if 0 < step < count:
            steps[:-step][shown[step:]] = step
    # Beyond the end nothing is lost, there is nothing.
    steps[max(count - later, 0) :] = later
    return steps


def steps_off(ours: Floats, theirs: Floats, shown: NDArray[np.bool_] | None = None) -> tuple[float, Floats]:
    """How far the moments that are shown lie from those that should be, as a share of the clip: the mean, and for each
    frame, NaN for one that is like no true moment. Of moments that look alike the nearest counts, and a frame that is
    not `shown` (N,) counts as those around it. NaN altogether where less than a quarter of the clip shows true moments.
    """
    match, like = _shown(_squares(ours, theirs), _squares(theirs, theirs))
    off = np.abs(match - _when(len(ours), len(theirs))) / max(1, len(theirs) - 1)
    off = np.where(off * len(theirs) < 1, 0.0, off)
    seen = np.ones(len(ours), bool) if shown is None else shown
    weight, weighed = filled_in(like, seen), filled_in(like * off, seen)
    if not seen.any() or weight.sum() < LEAST_SHOWN * len(ours):
        return float("nan"), np.full(len(ours), np.nan)
    return float(weighed.sum() / weight.sum()), np.where(seen & (like > 0), off, np.nan)


def blended_shares(ours: Floats, theirs: Floats) -> Floats:
    """(N,) how much of another moment shows through each frame: 0 for one moment alone, 1 for two halves.

    The difference from the true frame is compared with the differences between the true moments around it: a blend is
    explained by one of them as a whole, and what is explained in part counts by the square of that part.
    """
    count, true_count = len(ours), len(theirs)
    reach = max(2, round(true_count / 8))
    flat, true = ours.reshape(count, -1), theirs.reshape(true_count, -1)
    at = np.round(np.arange(count) * (true_count - 1) / max(1, count - 1)).astype(int)
    found = np.zeros(count)
    for k, now in enumerate(at):
        error = flat[k] - true[now]
        size = error @ error
        others = [j for j in range(max(0, now - reach), min(true_count, now + reach + 1)) if j != now]
        ways = true[others] - true[now]
        lengths = np.einsum("ij,ij->i", ways, ways)
        if size <= NOISE * flat.shape[1] or not (lengths > NOISE * flat.shape[1]).any():
            continue
        along = np.where(lengths > NOISE * flat.shape[1], ways @ error, 0.0)
        explained = along**2 / np.maximum(lengths, 1e-12) / size
        best = int(explained.argmax())
        weight = along[best] / max(lengths[best], 1e-12)
        found[k] = 2 * max(0.0, min(weight, 1 - weight)) * explained[best] ** 2
    return found


def _when(count: int, true_count: int) -> Floats:
    """(count,) the true moment, in frames, that each frame should show."""
    return np.asarray(np.arange(count) * (true_count - 1) / max(1, count - 1))


def _shown(between: Floats, among: Floats) -> tuple[NDArray[np.int64], Floats]:
    """For each frame the true moment that it shows, and how like that it is, 0 to 1."""
    count, true_count = between.shape
    # Of moments that look the same, the one that should be shown now; in a still video the differences are rounding.
    apart = np.abs(np.arange(true_count) - _when(count, true_count)[:, None]) / true_count
    match = (between + NEAREST * max(among.max(), FAINT**2) * apart).argmin(axis=1)
    return match, np.maximum(0.0, 1.0 - between[np.arange(count), match] / UNLIKE)


def _squares(first: Floats, second: Floats) -> Floats:
    """(N, M) mean squared differences of coarse glimpses, brightness and contrast made equal."""
    a, b = (_evened(_coarse(glimpses)) for glimpses in (first, second))
    squared = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    return np.asarray(np.maximum(squared, 0) / a.shape[1])


def _coarse(glimpses: Floats) -> Floats:
    """Cells of three by three: a camera a little beside its path still shows the same moment."""
    rows, columns = ROWS // 3, COLUMNS // 3
    return np.asarray(glimpses.reshape(len(glimpses), rows, 3, columns, 3, 3).mean((2, 4)))


def _evened(glimpses: Floats) -> Floats:
    centred = glimpses - glimpses.mean((1, 2), keepdims=True)
    spread = np.sqrt((centred**2).mean((1, 2, 3), keepdims=True))
    return np.asarray((centred / (spread + 1.0)).reshape(len(glimpses), -1))
