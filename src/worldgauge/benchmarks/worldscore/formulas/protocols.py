"""The two protocols."""

from __future__ import annotations

from typing import Literal

Protocol = Literal["released", "paper"]
