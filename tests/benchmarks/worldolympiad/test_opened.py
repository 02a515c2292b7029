"""Verbs that take runs refuse those of another benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.synthetic import write_run
from worldgauge.benchmarks.worldolympiad.verbs.opened import opened_run
from worldgauge.core.errors import WorldGaugeError


def test_a_run_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "Aurora", cases=2)
    with pytest.raises(WorldGaugeError, match="is a run of 'synthetic', not of worldolympiad; name a run of"):
        opened_run(folder)
