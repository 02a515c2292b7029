"""Definitions, public names and the page of metrics change on purpose or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import locks
import metrics_page

ADVICE = "raise its version, or run 'make lock' if no number can change"


def test_a_changed_definition_has_a_new_version() -> None:
    locked, now = json.loads(locks.FINGERPRINTS.read_text()), locks.definitions()
    silent = [
        name
        for name, entry in now.items()
        if name in locked and entry["source"] != locked[name]["source"] and entry["version"] == locked[name]["version"]
    ]
    assert not silent, f"changed without a new version: {', '.join(silent)}: {ADVICE}"
    assert now == locked, "run 'make lock' and commit the result"


def test_public_names() -> None:
    assert json.loads(locks.PUBLIC_NAMES.read_text()) == locks.public_names(), "run 'make lock' and commit the result"


def test_every_public_name_can_be_imported() -> None:
    import worldgauge

    for name in worldgauge.__all__:
        assert getattr(worldgauge, name) is not None


def test_metrics_page_is_current() -> None:
    page = Path(__file__).parents[2] / "docs" / "metrics.md"
    assert page.read_text("utf-8") == metrics_page.text(), "run 'make lock' and commit the result"


def test_a_digest_sees_code_and_not_words() -> None:
    """The lock must notice a changed constant in a function that a definition merely calls."""
    from worldgauge.functional import photometric
    from worldgauge.metrics import fidelity

    before = locks.source_digest(photometric.psnr)
    assert before == locks.source_digest(photometric.psnr)
    assert before != locks.source_digest(photometric.ssim)
    assert locks.source_digest(fidelity.psnr.function) != locks.source_digest(fidelity.ssim.function)
