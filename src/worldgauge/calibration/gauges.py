"""Which metrics are calibrated: every gauge that a manifest declares, and what the user declares beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.gauge import CalibrationGauge, Kind, Quality
from worldgauge.core.manifest import manifests
from worldgauge.core.metric import METRICS


def all_gauges() -> dict[str, CalibrationGauge]:
    """Every declared gauge by id, the generic ones first."""
    owners = sorted((m for m in manifests() if m.calibration), key=lambda manifest: manifest.name)
    return {gauge.id: gauge for manifest in owners for gauge in manifest.resolve(manifest.calibration)}


def choose_gauges(
    kind: Kind = "returns", wanted: Iterable[str] = (), declared: Mapping[str, str] | None = None
) -> list[CalibrationGauge]:
    """The named gauges and metrics, or every gauge for that kind of worlds.

    `declared` gives further metrics a quality by its name.
    """
    known = all_gauges()
    told = {METRICS.full_name(name): quality for name, quality in (declared or {}).items()}
    known |= {name: CalibrationGauge(name, _quality(quality)) for name, quality in told.items()}
    names = [name if name in known else METRICS.full_name(name) for name in wanted]
    if names:
        return [known.get(name) or CalibrationGauge(name) for name in dict.fromkeys(names)]
    return [gauge for gauge in known.values() if kind in gauge.worlds or gauge.id in told]


def _quality(name: str) -> Quality:
    try:
        return Quality(name.replace("_", " "))
    except ValueError as error:
        raise WorldGaugeError(f"unknown quality '{name}'", f"use one of: {', '.join(Quality)}") from error
