"""Put measured calibrations where they are shipped: each metric's part beside the package that brings it.

python tools/ship_calibration.py runs/calibration/*small/calibration*.json
"""

from __future__ import annotations

import sys
from pathlib import Path

from worldgauge.calibration.result import CalibrationFile, split_by_owner

for argument in sys.argv[1:]:
    for target, part in split_by_owner(CalibrationFile.read(Path(argument))).items():
        part.write(target)
        print(target)
