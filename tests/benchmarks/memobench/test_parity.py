"""A small part of the recorded calls of the released code, reproduced; and the runner notices when one is not."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

from worldgauge.parity import run_parity

GOLDEN = Path(__file__).parent / "golden"


def test_every_recorded_call_is_reproduced() -> None:
    verdicts = run_parity(GOLDEN)
    assert [v for v in verdicts if v.outcome != "matched"] == []
    assert len({v.kind for v in verdicts}) == 17


def test_what_crashed_in_the_original_is_a_status() -> None:
    statuses = Counter(v.detail for v in run_parity(GOLDEN) if v.detail)
    # Two one-frame paths; a lost camera, two unreadable replies and an answer that is no text; keyframes outside.
    assert statuses == {"invalid": 2, "unscored": 4, "skipped": 1}


def test_a_changed_number_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "golden")
    file = tmp_path / "golden" / "ors.json"
    content = json.loads(file.read_text())
    content["cases"][0]["output"]["ors"] += 0.0003
    file.write_text(json.dumps(content))
    differing = [v for v in run_parity(tmp_path / "golden") if v.outcome == "differing"]
    assert [v.id for v in differing] == ["ors[0]"]
