"""To be included: a tiny network that is busy for half a second with each clip, and a metric that asks it."""

from __future__ import annotations

from worldgauge import Arrays, Case, Clip, Manifest, Measurement, metric, signal

MANIFEST = Manifest(package=__name__, weights="weights.toml", instruments={"busy_net": ".net:BusyNet"})


@signal(version=1, seat="aesthetic")
def busy_look(clip: Clip, network: object) -> Arrays:
    """What the network finds in the first frame, after half a second."""
    return {"score": network.scores(clip.frames()[0][None])}  # type: ignore[attr-defined]


@metric(version=1, unit="", higher_is_better=None, bounds=(0, 1), needs=[busy_look()])
def busy_score(case: Case, looks: Arrays) -> Measurement:
    """Mean level of the first frame, scaled by the network."""
    return Measurement(float(looks["score"][0]))
