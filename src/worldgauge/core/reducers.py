"""Every way in which numbers become one, and how each goes on where some of them are not known.

A reducer over cases is a weighted mean, one over members a mean of their scores or the least of them. Each rises with
every number, so what it could have been lies between what it is with all unknown numbers at their lowest and at their
highest. What a clip without a number weighs may be unknown too: the more it weighs, the further it pulls, so in bounds
it weighs as much as it can.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OverCases:
    """A mean over cases: what a case weighs in it, and what one without a number weighs in its bounds."""

    weighs: str
    unknown: Callable[[Floats], float]
    """From the weights of the clips that have a number."""
    words: str = ""
    """What the mean is called; empty for the plain mean."""


def one(known: Floats) -> float:
    """All cases weigh the same."""
    return 1.0


def heaviest(known: Floats) -> float:
    """A clip nobody could measure may weigh as much as any that was; alone, it is all there is.

    >>> heaviest(np.array([1.0, 3.0])), heaviest(np.array([]))
    (3.0, 1.0)
    """
    return float(known.max()) if known.size else 1.0


OVER_CASES: dict[str, OverCases] = {
    "mean": OverCases("1", one),
    "weighted_mean": OverCases("the case's own weight", heaviest, "mean over cases by their weight"),
    "frame_mean": OverCases(
        "frames or pairs that have a number", heaviest, "mean over all frames or pairs of all cases"
    ),
    "pooled_ratio": OverCases("the denominator of its ratio", heaviest, "mean over cases by the denominator of each"),
}
"""How cases become one number."""


def mean(members: Floats, weights: Floats) -> Floats:
    """(n, ...) to (...): the weighted mean.

    >>> mean(np.array([1.0, 4.0]), np.array([2.0, 1.0])).item()
    2.0
    """
    shaped = weights.reshape(-1, *[1] * (members.ndim - 1))
    return np.asarray((shaped * members).sum(axis=0) / weights.sum())


def geometric(members: Floats, weights: Floats) -> Floats:
    """The weighted geometric mean; 0 where a member is 0, none where one is negative.

    >>> geometric(np.array([1.0, 4.0]), np.array([1.0, 1.0])).item(), geometric(np.array([0.0, 4.0]), np.ones(2)).item()
    (2.0, 0.0)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.exp(mean(np.log(members), weights))
    # However large the others are, and nothing may bound them.
    return np.where((members == 0).any(axis=0) & (members >= 0).all(axis=0), 0.0, means)


def harmonic(members: Floats, weights: Floats) -> Floats:
    """The weighted harmonic mean; 0 where a member is 0, none where one is negative.

    >>> round(harmonic(np.array([1.0, 3.0]), np.ones(2)).item(), 6), harmonic(np.array([0.0, 3.0]), np.ones(2)).item()
    (1.5, 0.0)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        means = 1.0 / mean(1.0 / members, weights)
    return np.where((members < 0).any(axis=0), np.nan, means)


def least(members: Floats, weights: Floats) -> Floats:
    """The smallest member: what one lacks, no other makes up for.

    >>> least(np.array([1.0, 4.0]), np.ones(2)).item()
    1.0
    """
    return np.asarray(members.min(axis=0))


def harmonic_zero(members: Floats, weights: Floats) -> Floats:
    """The weighted harmonic mean; 0 as soon as a member is 0, known or not what the others are.

    For a rate and a score that exists only where the rate is above 0.

    >>> both = harmonic_zero(np.array([0.28, 1.0]), np.ones(2)).item()
    >>> round(both, 4), harmonic_zero(np.array([np.nan, 0.0]), np.ones(2)).item()
    (0.4375, 0.0)
    """
    return np.where((members == 0).any(axis=0) & ~(members < 0).any(axis=0), 0.0, harmonic(members, weights))


@dataclass(frozen=True)
class OverMembers:
    """A way in which a group's members become its score, and what it is called wherever it is shown."""

    combine: Callable[[Floats, Floats], Floats]
    title: str
    """The beginning of a sentence: `Weighted harmonic mean`."""
    words: str = ""
    """What stands before the members in a sentence: `harmonic mean`; empty for the plain mean."""

    def __call__(self, members: Floats, weights: Floats) -> Floats:
        """(n, ...) scores and (n,) weights of members to the (...) scores of the group."""
        return self.combine(members, weights)


OVER_MEMBERS: dict[str, OverMembers] = {
    "mean": OverMembers(mean, "Weighted mean"),
    "geometric": OverMembers(geometric, "Weighted geometric mean", "geometric mean"),
    "harmonic": OverMembers(harmonic, "Weighted harmonic mean", "harmonic mean"),
    "least": OverMembers(least, "The least", "the least"),
    "harmonic_zero": OverMembers(
        harmonic_zero, "Weighted harmonic mean, 0 where a member is 0", "harmonic mean (0 where a member is 0)"
    ),
}
"""How a group is made of its members. Each rises with every member, so bounds go through it end by end. Geometric and
harmonic means have no value where a member is negative: an end at which one may be is no bound."""
