"""Put what `worldgauge calibrate` measured where `show` and the docs find it: each metric's part beside the metric."""

from __future__ import annotations

import sys
from pathlib import Path

from worldgauge.calibration.result import CalibrationFile
from worldgauge.core.manifest import manifests


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


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for path, part in split_by_owner(CalibrationFile.read(Path(name))).items():
            part.write(path)
            print("wrote", path)
