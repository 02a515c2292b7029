"""The shipped calibration on metric pages: the same measurement is recognised, another one is named as such."""

import pytest

from worldgauge.calibration import for_report
from worldgauge.calibration.for_report import shipped_calibration
from worldgauge.calibration.result import shipped
from worldgauge.core.benchmark import MetricUse
from worldgauge.core.run_file import DefinitionFile
from worldgauge.core.scale import Scale
from worldgauge.engine.definitions import choose_seats, resolve


def definition(**fields: object) -> DefinitionFile:
    use = MetricUse.model_validate({"id": "steady", "use": "warp_error"} | fields)
    return resolve([use], choose_seats())[0].to_file()


@pytest.fixture(autouse=True)
def current(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped numbers of `warp_error`, as if they had been measured with today's definition."""
    file = shipped()[0]
    gauge = next(gauge for gauge in file.gauges if gauge.metric == "warp_error")
    today = file.model_copy(update={"gauges": [gauge.model_copy(update={"fingerprint": definition().fingerprint})]})
    monkeypatch.setattr(for_report, "shipped", lambda: (today,))


def test_a_benchmarks_name_and_scale_do_not_hide_the_calibration():
    scaled = definition(scale=Scale.model_validate({"from": [0.1, 0.0]}))
    (found,) = shipped_calibration(scaled)
    assert found["same"]
    assert found["fingerprint"] == definition().fingerprint != scaled.fingerprint
    flicker = next(row for row in found["rows"] if row["fault"] == "flicker")
    assert flicker["rho"] < -0.9
    assert [severity for severity, _ in flicker["doses"]] == sorted(severity for severity, _ in flicker["doses"])


def test_another_definition_is_named_and_its_numbers_are_not_shown():
    older = definition().model_copy(update={"version": 99})
    (found,) = shipped_calibration(older)
    assert not found["same"]
    assert "rows" not in found
    assert found["id"] == "warp_error"


def test_a_metric_without_calibration_has_none():
    assert shipped_calibration(definition().model_copy(update={"metric": "somebody_elses"})) == []
