"""Weights & Biases: `pip install 'worldgauge[wandb]'`."""

from __future__ import annotations

from typing import Any

from worldgauge.adapters.numbers import Result, finite_numbers
from worldgauge.core.errors import WorldGaugeError


def log_to_wandb(result: Result, *, step: int | None = None, run: Any = None) -> None:
    """Log a run's scores, or a Gauge's dictionary, to `run`, or to the one that `wandb.init` began."""
    if run is None:
        import wandb

        run = wandb.run
    if run is None:
        raise WorldGaugeError("no Weights & Biases run is active", "call wandb.init() first, or give run=")
    run.log(finite_numbers(result), step=step)
