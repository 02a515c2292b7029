"""Put finished calibrations where the package and its documentation have them.

    python tools/ship_calibration.py runs/calibration

Every calibration*.json below the folder is cut by owner: the generic metrics' part goes to `metrics/`, a benchmark's to
its folder. The pages and figures in docs/ are then written from all that is shipped; without a folder, only these are.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from worldgauge.calibration import CalibrationFile, shipped
from worldgauge.calibration.heatmap import heat_map
from worldgauge.calibration.metric_page import write_metric_pages
from worldgauge.calibration.page import PAGES, page
from worldgauge.calibration.presets import SMALL
from worldgauge.core.manifest import manifests

DOCS = Path(__file__).resolve().parent.parent / "docs"


def split_by_owner(result: CalibrationFile) -> dict[Path, CalibrationFile]:
    """A result cut into the files that are shipped: each metric's part in the folder of the package that brings it.

    Errors of instruments stay with the generic metrics.
    """
    parts: dict[Path, CalibrationFile] = {}
    for manifest in manifests():
        if not manifest.calibration:
            continue
        own = {gauge.id for gauge in manifest.resolve(manifest.calibration)}
        gauges = [gauge for gauge in result.gauges if gauge.id in own]
        if gauges:
            part = {"gauges": gauges, "errors": [] if manifest.name else result.errors}
            parts[manifest.folder / f"{result.stem}.json"] = result.model_copy(update=part)
    return parts


def ship(folder: Path) -> None:
    """Cut the results in a folder by owner. Quick ones are left where they are."""
    found = [CalibrationFile.read(file) for file in sorted(folder.rglob("calibration*.json"))]
    finished = [result for result in found if result.preset == SMALL.name]
    if not finished:
        raise SystemExit(f"{folder}: no finished calibration; run 'worldgauge calibrate'")
    for result in finished:
        for file, part in split_by_owner(result).items():
            whole = with_the_others(file, part)
            whole.write(file)
            print(f"{len(part.gauges):3} of {len(whole.gauges)} metrics  {file}")


def with_the_others(file: Path, part: CalibrationFile) -> CalibrationFile:
    """A run of some metrics only replaces theirs: the results of the others are kept, where they are of the same clips.

    So are errors of instruments that were not measured again.
    """
    if not file.is_file():
        return part
    before = CalibrationFile.read(file)
    new = {gauge.id: gauge for gauge in part.gauges}
    others = [gauge.id for gauge in before.gauges if gauge.id not in new]
    if others and _clips(before) != _clips(part):
        raise SystemExit(f"{file} also has {', '.join(others)}, of other clips: calibrate these too")
    known = [new.pop(gauge.id, gauge) for gauge in before.gauges]
    kept = {"instruments": before.instruments | part.instruments, "errors": part.errors or before.errors}
    return part.model_copy(update={"gauges": [*known, *new.values()], **kept})


def _clips(result: CalibrationFile) -> tuple[object, ...]:
    return result.worlds, result.size, result.frames, result.severities, result.faults


def write_pages() -> None:
    """docs/calibration*.md and .svg, one of each per kind of worlds, and one of each per metric below them."""
    for joined in shipped():
        (DOCS / f"{joined.stem}.md").write_text(page(joined), "utf-8")
        (DOCS / f"{joined.stem}.svg").write_text(heat_map(joined), "utf-8")
        print(f"{len(joined.gauges):3} metrics  {DOCS / joined.stem}.md, .svg")
    shutil.rmtree(DOCS / PAGES, ignore_errors=True)
    print(f"{write_metric_pages(shipped(), DOCS / PAGES):3} pages    {DOCS / PAGES}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ship(Path(sys.argv[1]))
    write_pages()
