"""The geometry track: a judge's scores of a rebuilt scene, the 3D score, and photometric ones without a judge."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.alignment import SEED
from worldgauge.benchmarks.worldolympiad.formulas.combination import geometry_score
from worldgauge.benchmarks.worldolympiad.formulas.photometric import distance_compared, likeness
from worldgauge.benchmarks.worldolympiad.formulas.protocols import Protocol
from worldgauge.benchmarks.worldolympiad.formulas.score_text import normalised
from worldgauge.benchmarks.worldolympiad.formulas.view_likeness import view_likeness
from worldgauge.benchmarks.worldolympiad.metrics.camera import (
    FILLED,
    HOUSE,
    PLAIN,
    camera_motion_fixed,
    path_followed,
)
from worldgauge.benchmarks.worldolympiad.signals.photometric import photometric_distances, photometric_errors
from worldgauge.benchmarks.worldolympiad.signals.view_distances import view_distances
from worldgauge.benchmarks.worldolympiad.signals.view_judgements import (
    dropped_meta_judgement,
    dropped_splat_judgement,
    house_meta_judgement,
    house_splat_judgement,
    meta_judgement,
    splat_judgement,
)
from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, Metric, metric
from worldgauge.core.signal import Arrays, Signal, SignalUse
from worldgauge.functional.photometric import PSNR_CEILING
from worldgauge.judge.session import answer_in

SHARE: dict[str, Any] = {"unit": "", "higher_is_better": True, "bounds": (0, 1)}


def judged_pictures(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of pictures of the rebuilt scene: which, and what became of things that move, the judgement
    tells that it rests on."""
    return Measurement(_value(answer))


def _judged(name: str, judgement: Signal) -> Metric:
    return metric(**SHARE, needs=[judgement()], formula=normalised, name=name)(judged_pictures)


splat_score = _judged("splat_score", splat_judgement)
splat_score_dropped = _judged("splat_score_dropped", dropped_splat_judgement)
splat_score_compensated = _judged("splat_score_compensated", house_splat_judgement)
meta_score = _judged("meta_score", meta_judgement)
meta_score_dropped = _judged("meta_score_dropped", dropped_meta_judgement)
meta_score_compensated = _judged("meta_score_compensated", house_meta_judgement)


@metric(**SHARE, needs=[view_distances()], formula=view_likeness)
def splat_lpips(case: Case, found: Arrays) -> Measurement:
    """The released option in place of the judge's score of the views: 1 less their LPIPS distance to the frames.

    View and frame of one number are of different cameras, so it is no column; ask for it by its name.
    """
    likeness_of_each = tuple(float(1 - one) for one in found["distance"])
    return Measurement(view_likeness(found["distance"]), likeness_of_each, frames=found["frames"].tolist())


def whole_geometry(
    case: Case,
    views: Arrays,
    meta: Arrays,
    ours: Arrays,
    wanted: Arrays,
    *,
    seed: int = SEED,
    protocol: Protocol = "released",
) -> Measurement:
    """The 3D score: mean of the judge's scores of the views and of the meta-view, and of the camera's."""
    camera = path_followed(case, ours, wanted, seed=seed)
    return Measurement(geometry_score(_value(views) + _value(meta) + camera.value, protocol), reason=camera.reason)


def _whole(name: str, views: Signal, meta: Signal, paths: list[SignalUse]) -> Metric:
    needs = [views(), meta(), *paths]
    return metric(**SHARE, version=3, needs=needs, formula=geometry_score, name=name)(whole_geometry)


geometry = _whole("geometry", splat_judgement, meta_judgement, FILLED)
geometry_dropped = _whole("geometry_dropped", dropped_splat_judgement, dropped_meta_judgement, PLAIN)


@metric(**SHARE, version=2, needs=[house_splat_judgement(), house_meta_judgement(), *HOUSE], formula=geometry_score)
def geometry_compensated(case: Case, views: Arrays, meta: Arrays, ours: Arrays, wanted: Arrays) -> Measurement:
    """As `geometry`, of the scene filled by the camera's motion and with every camera path compared."""
    camera = camera_motion_fixed.function(case, ours, wanted)
    return Measurement(geometry_score(_value(views) + _value(meta) + camera.value, "paper"), reason=camera.reason)


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[photometric_errors()], formula=likeness)
def photometric_ssim(case: Case, found: Arrays) -> Measurement:
    """Structural similarity of the odd ones of 32 frames with their pictures from a scene of the even ones."""
    return _of_frames(found, "ssim")


@metric(unit="dB", higher_is_better=True, bounds=(0, PSNR_CEILING), needs=[photometric_errors()], formula=likeness)
def photometric_psnr(case: Case, found: Arrays) -> Measurement:
    """Peak signal-to-noise ratio of the odd ones of 32 frames with their pictures from a scene of the even ones."""
    return _of_frames(found, "psnr")


@metric(unit="", higher_is_better=False, bounds=(0, 10), needs=[photometric_distances()], formula=distance_compared)
def photometric_lpips(case: Case, found: Arrays) -> Measurement:
    """Learned perceptual distance of the odd ones of 32 frames to their pictures from a scene of the even ones."""
    return _of_frames(found, "distance")


def _of_frames(found: Arrays, name: str) -> Measurement:
    remark = f"the scene covers {found['covered'].mean():.0%} of what stands still"
    remark += f"; {found['doubt']}" if str(found["doubt"]) else ""
    left_out = float(np.isnan(found[name]).mean())
    return Measurement.from_curve(found[name], reason=remark, frames=found["frames"].tolist(), left_out=left_out)


def _value(answer: Arrays) -> float:
    return normalised(float(answer_in(answer)["score"]))
