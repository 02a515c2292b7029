"""A script as files: camera path, verbs with times, and what it was built from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.mbench.scripts.script import Script, View
from worldgauge.core.cameras import CameraPath

CAMERA = "camera.npz"
ACTIONS = "actions.json"


def write_script(folder: Path, script: Script, view: View) -> dict[str, Any]:
    """`camera.npz` (camera-to-world poses and lens) and `actions.json` (verbs with seconds and frames)."""
    folder.mkdir(parents=True, exist_ok=True)
    CameraPath(script.poses, view.intrinsics(), view.size).save(folder / CAMERA)
    ends = [0]
    for _, steps in script.legs:
        ends.append(ends[-1] + steps)
    content = {
        "condition_id": script.condition,
        "fps": script.fps,
        "frames": len(script.poses),
        "amount": script.amount,
        "unit": "depths" if script.legs[0][0] == "forward" else "degrees",
        "actions": [leg | {"first_frame": ends[k], "last_frame": ends[k + 1]} for k, leg in enumerate(script.timed())],
        "target_box": view.box,
    }
    (folder / ACTIONS).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return content
