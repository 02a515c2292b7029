"""How large a difference n cases can show: power of a paired comparison, by the noncentral t distribution.

`spread` is the standard deviation of the paired differences between independent units: scenes where cases of one scene
depend on each other, cases otherwise.
"""

from __future__ import annotations

from math import isfinite, sqrt

from worldgauge.core.errors import WorldGaugeError


def paired_power(difference: float, spread: float, units: int, level: float = 0.05) -> float:
    """Probability that a two-sided paired t test at `level` notices a true mean `difference`.

    >>> round(paired_power(0.2, 1.0, 60, level=0.1), 7)
    0.4555818
    """
    from scipy.stats import nct, t

    _check(spread, units, level)
    if spread == 0:
        return 1.0 if difference else level
    bound = float(t.ppf(1 - level / 2, units - 1))
    shift = abs(difference) / spread * sqrt(units)
    upper = float(nct.sf(bound, units - 1, shift))
    lower = float(nct.cdf(-bound, units - 1, shift))
    # Far from zero SciPy's noncentral tail underflows to NaN; its value there is 0.
    return upper + (lower if isfinite(lower) else 0.0)


def detectable_difference(spread: float, units: int, power: float = 0.8, level: float = 0.05) -> float:
    """The smallest true difference that n units show with the given power, in the unit of `spread`.

    >>> round(detectable_difference(10.0, 50), 2)
    4.04
    """
    from scipy.optimize import brentq

    _check(spread, units, level)
    if not level < power < 1:
        raise WorldGaugeError(f"power lies between the level ({level}) and 1, got {power}")
    if spread == 0:
        return 0.0
    high = spread
    while paired_power(high, spread, units, level) < power:
        high *= 2
    return float(brentq(lambda d: paired_power(d, spread, units, level) - power, 0.0, high, xtol=1e-12 * spread))


def units_needed(difference: float, spread: float, power: float = 0.8, level: float = 0.05) -> int:
    """The fewest units that show a true `difference` with the given power.

    >>> units_needed(5.0, 10.0)
    34
    """
    if difference == 0:
        raise WorldGaugeError("no number of cases shows a difference of zero")
    low, high = 1, 2
    while paired_power(difference, spread, high, level) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if paired_power(difference, spread, middle, level) < power:
            low = middle
        else:
            high = middle
    return high


def _check(spread: float, units: int, level: float) -> None:
    if units < 2:
        raise WorldGaugeError(f"a comparison needs at least 2 units, got {units}")
    if not (isfinite(spread) and spread >= 0):
        raise WorldGaugeError(f"the spread of differences is finite and not negative, got {spread}")
    if not 0 < level < 1:
        raise WorldGaugeError(f"a significance level lies between 0 and 1, got {level}")
