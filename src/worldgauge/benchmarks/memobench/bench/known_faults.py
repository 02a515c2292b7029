"""What subjects with one known fault get in the columns that pocket instruments serve, as a Markdown table.

python -m worldgauge.benchmarks.memobench.bench.known_faults FOLDER [FIRST_SEED] [WORLDS]

About three minutes of processor time per world; what is in FOLDER already is not made again.
"""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.memobench.bench.subjects import Scores, asked, faulty, measure
from worldgauge.core.benchmark import read_benchmark_file

FAULTS = ("frozen_camera", "vanish", "identity_drift", "state_reset", "teleport", "camera_drift")
IDENTITY = "ObjIdentityConsistency"
SHOWN = {
    "MotionSmoothness": 1,
    IDENTITY: 1,
    "pocket_reappearance": 3,
    "GT_O_PSNR": 1,
    "GT_R_PSNR": 1,
    "CameraControllability": 1,
    "house_reappearance": 1,
}
"""Column to its decimals."""


def table(found: Scores) -> str:
    """Means over worlds, a row per subject, and how many worlds the least covered column has."""
    lines = [f"| subject | {' | '.join(SHOWN)} | worlds |", "|---|" + "---:|" * (len(SHOWN) + 1)]
    for name in dict.fromkeys(name for name, _ in found):
        cells = [_cell(found[name, column], digits) for column, digits in SHOWN.items()]
        worlds = min(len(found[name, column]) for column in SHOWN)
        lines.append(f"| {name} | {' | '.join(cells)} | {worlds} |")
    return "\n".join(lines)


def with_identity(found: Scores) -> Scores:
    """The scores with the composite of the two parts of identity, as the benchmark weighs them."""
    (group,) = [group for group in read_benchmark_file("memobench").groups if group.id == IDENTITY]
    names = dict.fromkeys(name for name, _ in found)
    parts = {name: np.array([found[name, part] for part in group.of]) for name in names}
    weights = np.array(list(group.of.values()))
    return found | {(name, IDENTITY): (weights @ of_name).tolist() for name, of_name in parts.items()}


def _cell(values: list[float], digits: int) -> str:
    return f"{np.mean(values):.{digits}f}" if values else "-"


def main() -> None:
    folder, blocks = asked(__doc__, first_seed=8300, worlds=5)
    columns = (*SHOWN, "ObjIdentityMean", "ObjIdentityMin")
    print(table(with_identity(measure(blocks, folder, columns, faulty(FAULTS)))))


if __name__ == "__main__":
    main()
