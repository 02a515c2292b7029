"""Bundle adjustment: cameras, points and (on request) one focal length from image tracks, by robust least squares.

A weak prior holds inverse depths near 1: it fixes the scale of the path (the unit is the typical scene depth) and
decides what no parallax decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from worldgauge.functional.normal_equations import linearise, tie_weight
from worldgauge.functional.projection import Floats, Freedom, Observations, State, distances


def robust_cost(distance: Floats, scale: float) -> float:
    """Cauchy loss in units of `scale`, summed."""
    return float(np.log1p((distance / scale) ** 2).sum())


@dataclass(frozen=True, eq=False)
class Adjusted:
    """The outcome of `adjust`."""

    state: State
    cost: float
    focal_sigma: float
    """Standard deviation of log focal for residuals of size `scale`; infinite when it was not free."""


def adjust(
    obs: Observations, state: State, freedom: Freedom, *, scale: float, iterations: int = 10, prior: float = 0.3,
    focal_prior: tuple[float, float] | None = None, tolerance: float = 1e-4,
) -> Adjusted:  # fmt: skip
    """Levenberg-Marquardt with a Cauchy loss of width `scale` pixels; inverse depths are eliminated first.

    `prior` is how many `scale`s an inverse depth of 0 (or 2) costs. `focal_prior` is (focal, sigma of its logarithm).
    """
    if not freedom.translation:
        state = replace(state, inverse_depth=np.zeros_like(state.inverse_depth))
    cost = total_cost(obs, state, freedom, scale, prior, focal_prior)
    damping, focal_sigma = 1e-3, float("inf")
    for _ in range(iterations):
        system = linearise(obs, state, freedom, scale, prior, focal_prior)
        if freedom.focal:
            focal_sigma = system.focal_sigma()
        for _ in range(5):
            trial = system.step(state, damping)
            trial_cost = total_cost(obs, trial, freedom, scale, prior, focal_prior)
            if trial_cost < cost:
                break
            damping *= 8.0
        else:
            break
        gain, state, cost = cost - trial_cost, trial, trial_cost
        damping = max(damping / 5.0, 1e-7)
        if gain < tolerance * cost:
            break
    return Adjusted(state, cost, focal_sigma)


def total_cost(
    obs: Observations, state: State, freedom: Freedom, scale: float, prior: float,
    focal_prior: tuple[float, float] | None,
) -> float:  # fmt: skip
    cost = robust_cost(distances(obs, state), scale)
    if freedom.translation:
        cost += prior**2 * float(((state.inverse_depth - 1.0) ** 2).sum())
        if freedom.ties is not None:
            apart = state.centre[freedom.ties[:, 0]] - state.centre[freedom.ties[:, 1]]
            cost += tie_weight(state, scale) ** 2 * float((apart**2).sum())
    if freedom.focal and focal_prior is not None:
        cost += (np.log(state.focal / focal_prior[0]) / focal_prior[1]) ** 2
    return cost
