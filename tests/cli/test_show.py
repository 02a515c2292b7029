"""`worldgauge show`: a short name will do where it is the only one."""

from __future__ import annotations

from pathlib import Path

import pytest

import helpers
from worldgauge.cli.show_names import find
from worldgauge.core.errors import WorldGaugeError

TOML = """
name = "{name}"
protocols = ["rough", "fine"]
[[metric]]
id = "{column}"
use = "phase_psnr"
parameters = {{ phase = "back" }}
scale = {{ from = [10, 40] }}
under.fine = {{ parameters = {{ phase = "all" }} }}
[[metric]]
id = "shared"
use = "ssim"
[[group]]
id = "{name}_total"
of = {{ {column} = 3, shared = 1 }}
"""


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, ...]:
    """Flags that bring in two benchmarks with a column of the same name."""
    flags: list[str] = []
    for name, column in (("left", "LEFT"), ("right", "psnr")):
        folder = tmp_path / name
        folder.mkdir()
        manifest = f"Manifest(package=__name__, name='{name}')"
        (folder / "__init__.py").write_text(f"from worldgauge import Manifest\nMANIFEST = {manifest}\n")
        (folder / "benchmark.toml").write_text(TOML.format(name=name, column=column))
        flags += ["--include", str(folder)]
    return tuple(flags)


def test_names(two: tuple[str, ...]) -> None:
    column, full, metric, group, signal, instrument = helpers.worldgauge_many(
        (*two, "show", "LEFT"),
        (*two, "show", "right/psnr"),
        (*two, "show", "psnr"),
        (*two, "show", "left_total"),
        (*two, "show", "pixel_errors"),
        (*two, "show", "dis"),
    )
    column, full, metric = (" ".join(text.split()) for text in (column, full, metric))
    assert "under rough phase_psnr: phase=back; raw 10 scores 0, raw 40 scores 100" in column
    assert "under fine phase_psnr: phase=all; raw 10 scores 0, raw 40 scores 100" in column
    assert "needs a video, a reference video, phases" in column
    # A long path of the checkout is broken over lines.
    assert "worldgauge/functional/photometric.py:" in column.replace(" ", "")
    assert full.startswith("column right/psnr")
    # The exact name of a metric means the metric, although a column ends with it.
    assert metric.startswith("metric psnr version")
    assert "left_total\n  75.0% LEFT\n  25.0% shared\n" in group
    assert "written in" in signal
    assert "seat" in instrument


def test_an_ambiguous_name_is_answered_with_the_candidates(two: tuple[str, ...]) -> None:
    done = helpers.worldgauge(*two, "show", "shared", check=False)
    assert done.returncode == 2
    assert done.stderr == "worldgauge: 'shared' may mean left/shared or right/shared; write the whole name\n"


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(WorldGaugeError, match="unknown name 'psnrr'; did you mean psnr"):
        find("psnrr")
