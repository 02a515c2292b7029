"""The three ways to score, by name."""

from __future__ import annotations

from typing import Literal

Protocol = Literal["released", "published", "paper"]
"""As the code does it, as the tables must have been made, as the text of the paper says."""
