"""Numbers of different definitions never share a table."""

import json

import pytest

from report.synthetic import write_run
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_file import FILE_NAME
from worldgauge.core.run_folder import Run
from worldgauge.report.comparable import check_comparable
from worldgauge.report.html import ReportSource


def changed(folder, change):
    file = folder / FILE_NAME
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    return Run(folder)


@pytest.fixture
def runs(tmp_path):
    return [write_run(tmp_path / model, model, cases=4) for model in ("Aurora", "Cirrus")]


def test_equal_definitions_pass(runs):
    check_comparable([Run(folder) for folder in runs])


def test_mixed_fingerprints_are_refused_with_both_definitions(runs):
    def other_window(content):
        content["definitions"][1]["fingerprint"] = "ssim-ffffffffffff"
        content["definitions"][1]["parameters"]["window"] = 7

    with pytest.raises(WorldGaugeError) as refused:
        ReportSource([Run(runs[0]), changed(runs[1], other_window)])
    text = str(refused.value)
    assert "'ssim' means two things" in text
    for expected in ("ssim-0123456789ab", "ssim-ffffffffffff", str(runs[0]), str(runs[1])):
        assert expected in text
    marked = [line.split() for line in text.splitlines() if line.startswith(" * ")]
    assert ["*", "parameters.window", "11", "7"] in marked
    assert not any("bounds" in line for line in marked)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda c: c.update(protocol="released"), "protocol"),
        (lambda c: c["benchmark"].update(name="other"), "benchmark"),
        (lambda c: c["benchmark"]["policy"].update(missing="worst"), "aggregation tree"),
    ],
)
def test_other_benchmarks_and_protocols_are_refused(runs, change, word):
    with pytest.raises(WorldGaugeError, match=f"different {word}s"):
        check_comparable([Run(runs[0]), changed(runs[1], change)])


def test_no_run_is_refused():
    with pytest.raises(WorldGaugeError, match="no run"):
        check_comparable([])


def test_the_same_run_twice_is_refused(runs):
    with pytest.raises(WorldGaugeError, match="named twice"):
        ReportSource([Run(runs[0]), Run(runs[0])])
