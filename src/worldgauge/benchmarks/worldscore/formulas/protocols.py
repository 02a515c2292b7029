"""The two protocols."""

from __future__ import annotations

from typing import Final, Literal

Protocol = Literal["released", "paper"]

FAILED: Final = -100.0
"""What the released code stores for a metric that raised, where more is better; where less is, 100. It scores 0."""
