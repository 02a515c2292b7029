"""Metrics for networks that are not here, and one of the camera alone: what tests of reasons and statuses include."""

from __future__ import annotations

from worldgauge import Arrays, Case, Clip, Measurement, metric, signal
from worldgauge.functional.pose import geodesic_deg


@signal(version=1, seat="aesthetic")
def network_looks(clip: Clip, network: object) -> Arrays:
    """Looks of the first frame."""
    return {"score": network.scores(clip.frames()[0][None])[0]}  # type: ignore[attr-defined]


@signal(version=1, seat="image_quality")
def network_sharpness(clip: Clip, network: object) -> Arrays:
    """Sharpness of the first frame."""
    return {"score": network.scores(clip.frames()[0][None])[0]}  # type: ignore[attr-defined]


@signal(version=1, reads=("video", "prompt"), seat="prompt_reward")
def network_reward(clip: Clip, prompt: str, network: object) -> Arrays:
    """Fit of the first frame."""
    return {"reward": network.rewards([prompt], clip.frames()[0][None])[0]}  # type: ignore[attr-defined]


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[network_looks()])
def looks_nice(case: Case, looks: Arrays) -> Measurement:
    """How nice a network finds the first frame."""
    return Measurement(float(looks["score"]))


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[network_sharpness()])
def looks_sharp(case: Case, looks: Arrays) -> Measurement:
    """How sharp a network finds the first frame."""
    return Measurement(float(looks["score"]))


@metric(unit="", higher_is_better=True, bounds=(0, 1), needs=[network_reward()])
def fits_prompt(case: Case, reward: Arrays) -> Measurement:
    """How well a network finds that the first frame fits the prompt."""
    return Measurement(float(reward["reward"]))


@metric(unit="deg", higher_is_better=None, bounds=(0, 180), requires=("camera",))
def asked_turn(case: Case) -> Measurement:
    """How far the requested camera turns from start to end."""
    rotation = case.camera().rotation
    return Measurement(float(geodesic_deg(rotation[0], rotation[-1])))
