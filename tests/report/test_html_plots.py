"""Figures hold the numbers they were given."""

import numpy as np
import pytest

from worldgauge.core.cameras import CameraPath
from worldgauge.core.errors import WorldGaugeError

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
from worldgauge.report import plots

CURVE = [(0.9, 0.85, 0.95), (0.6, 0.5, 0.7), (0.2, 0.1, 0.3)]


def test_radar_closes_its_lines():
    figure = plots.radar(["a", "b", "c"], {"model": [0.2, 0.5, 1.0]})
    (line,) = figure.axes[0].lines
    assert list(line.get_ydata()) == [0.2, 0.5, 1.0, 0.2]


def test_dose_response_draws_value_and_band():
    figure = plots.dose_response([0, 0.5, 1], {"psnr": CURVE}, ylabel="dB")
    axes = figure.axes[0]
    assert list(axes.lines[0].get_ydata()) == [0.9, 0.6, 0.2]
    corners = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == (0.1, 0.95)


def test_sensitivity_shows_the_whole_range_of_a_correlation():
    axes = plots.sensitivity([1, 2, 3], {"ate": CURVE}, parameter="threshold").axes[0]
    assert axes.get_ylim() == (-1.05, 1.05)
    assert axes.get_xlabel() == "threshold"


def test_per_phase_has_a_bar_per_phase_and_model():
    figure = plots.per_phase(["visible", "gone", "back"], {"a": CURVE, "b": CURVE})
    assert [bar.get_height() for bar in figure.axes[0].patches] == [0.9, 0.6, 0.2] * 2


def test_trajectories_are_seen_from_above():
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, :3, 3] = [[0, 0, 0], [1, -2, 3], [4, -5, 6]]
    above, height = plots.trajectories({"requested": CameraPath(poses)}).axes
    assert above.lines[0].get_xydata().tolist() == [[0, 0], [1, 3], [4, 6]]
    assert list(height.lines[0].get_ydata()) == [0, 2, 5]


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_saved_figures_are_reproducible(tmp_path, suffix):
    for name in ("one", "two"):
        plots.save(plots.radar(["a", "b", "c"], {"m": [0.2, 0.5, 1.0]}), tmp_path / f"{name}{suffix}")
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


def test_problems_are_said_plainly(tmp_path):
    with pytest.raises(WorldGaugeError, match="2 numbers for 3"):
        plots.radar(["a", "b", "c"], {"m": [0.1, 0.2]})
    with pytest.raises(WorldGaugeError, match="cannot write a figure"):
        plots.save(plots.radar(["a", "b", "c"], {"m": [0.1, 0.2, 0.3]}), tmp_path / "figure.bmp")
