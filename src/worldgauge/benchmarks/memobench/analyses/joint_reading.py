"""Does the camera follow, and does the object come back? Both at once, per model (A.7.2).

Either number alone misleads: a camera that never moves keeps its object in view, and one that follows perfectly may
return to an empty scene.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from worldgauge.benchmarks.memobench.analyses.run_scores import scores
from worldgauge.benchmarks.memobench.splits import Split
from worldgauge.core.run_folder import Run
from worldgauge.stats.correlation import spearman

CAMERA = "CameraControllability"
CAMERA_FOLLOWS, OBJECT_BACK = 50.0, 0.5
"""From these scores on a camera counts as following, an object as back; ours, the paper reads means."""


def joint_points(runs: Iterable[Run], metric: str = "ORS", split: Split = "all") -> list[dict[str, Any]]:
    """One row per clip that has both scores."""
    return [
        {"model": run.name, "case": case, "camera": of_case[CAMERA], "object": of_case[metric]}
        for run in runs
        for case, of_case in scores(run, split).items()
        if CAMERA in of_case and metric in of_case
    ]


def joint_reading(
    runs: Iterable[Run],
    metric: str = "ORS",
    split: Split = "all",
    camera_follows: float = CAMERA_FOLLOWS,
    object_back: float = OBJECT_BACK,
) -> list[dict[str, Any]]:
    """Per model: means, clips in each of the four fields, and the rank correlation over clips."""
    rows = []
    for run in runs:
        points = joint_points([run], metric, split)
        camera, target = (np.array([point[name] for point in points]) for name in ("camera", "object"))
        follows, back = camera >= camera_follows, target >= object_back
        ranks = spearman(camera, target)
        rows.append(
            {
                "model": run.name,
                "n": len(points),
                "camera": float(camera.mean()) if len(points) else None,
                "object": float(target.mean()) if len(points) else None,
                "both": int((follows & back).sum()),
                "camera only": int((follows & ~back).sum()),
                "object only": int((~follows & back).sum()),
                "neither": int((~follows & ~back).sum()),
                "rank correlation": ranks.coefficient,
                "p": ranks.p_value,
            }
        )
    return rows
