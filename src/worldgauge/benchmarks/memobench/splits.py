"""The two halves of the data set."""

from __future__ import annotations

from typing import Literal

Split = Literal["all", "synthetic", "real"]
