"""MLflow: `pip install 'worldgauge[mlflow]'`."""

from __future__ import annotations

from typing import Any

from worldgauge.adapters.numbers import COVERAGE, Result, finite_numbers


def log_to_mlflow(result: Result, *, step: int | None = None, client: Any = None) -> None:
    """Log a run's scores, or a Gauge's dictionary, to the active MLflow run; `client` stands for the module."""
    if client is None:
        import mlflow

        client = mlflow
    # A folder of files cannot hold both a metric `psnr` and a metric `psnr/coverage`.
    named = {name.replace(COVERAGE, ".coverage"): value for name, value in finite_numbers(result).items()}
    client.log_metrics(named, step=step)
