"""The two protocols, and which rule for phases each follows."""

from __future__ import annotations

from typing import Literal

from worldgauge.functional.phases import Rule

Protocol = Literal["released", "paper"]
RULES: dict[str, Rule] = {"released": "shared", "paper": "disjoint"}
"""Protocol to how a clip is cut into phases."""


def rounded(value: float, protocol: Protocol, digits: int = 4) -> float:
    """The released code writes so many decimals; the paper rounds nothing.

    >>> rounded(0.123456, "released"), rounded(0.123456, "paper")
    (0.1235, 0.123456)
    """
    return round(value, digits) if protocol == "released" else value
