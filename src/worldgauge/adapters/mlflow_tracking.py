"""MLflow: `pip install 'worldgauge[mlflow]'`."""

from __future__ import annotations

from typing import Any

from worldgauge.adapters.numbers import BESIDE, Result, finite_numbers


def log_to_mlflow(result: Result, *, step: int | None = None, client: Any = None) -> None:
    """Log a run's scores, or a Gauge's dictionary, to the active MLflow run; `client` stands for the module."""
    if client is None:
        import mlflow

        client = mlflow
    # A folder of files cannot hold both a metric `psnr` and a metric `psnr/coverage`.
    client.log_metrics({_flat(name): value for name, value in finite_numbers(result).items()}, step=step)


def _flat(name: str) -> str:
    """
    >>> _flat("bench/psnr/coverage")
    'bench/psnr.coverage'
    """
    beside = next((part for part in BESIDE if name.endswith(part)), "")
    return name.removesuffix(beside) + beside.replace("/", ".")
