"""Write the lock files anew, after a deliberate change: definitions, public names, the page of metrics, wide tables."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import locks  # noqa: E402  the path is set above
import metrics_page  # noqa: E402
from report.wide_tables import golden_files  # noqa: E402

locks.FINGERPRINTS.write_text(json.dumps(locks.definitions(), indent=1, sort_keys=True) + "\n", "utf-8")
locks.PUBLIC_NAMES.write_text(json.dumps(locks.public_names(), indent=1) + "\n", "utf-8")
(ROOT / "docs" / "metrics.md").write_text(metrics_page.text(), "utf-8")
with tempfile.TemporaryDirectory() as folder:
    for path, text in golden_files(Path(folder)).items():
        path.write_text(text, "utf-8")
print("locked", len(locks.definitions()), "definitions and", len(locks.public_names()), "public names")
