"""The geometry track: a judge's scores of a rebuilt scene, the 3D score, and a photometric one without a judge."""

from __future__ import annotations

from typing import Any

from worldgauge.benchmarks.worldolympiad.formulas.alignment import SEED
from worldgauge.benchmarks.worldolympiad.formulas.combination import geometry_score
from worldgauge.benchmarks.worldolympiad.formulas.photometric import likeness
from worldgauge.benchmarks.worldolympiad.formulas.protocols import Protocol
from worldgauge.benchmarks.worldolympiad.formulas.score_text import normalised
from worldgauge.benchmarks.worldolympiad.metrics.camera import camera_motion, camera_motion_fixed
from worldgauge.benchmarks.worldolympiad.signals.photometric import photometric_errors
from worldgauge.benchmarks.worldolympiad.signals.view_judgements import (
    dropped_meta_judgement,
    dropped_splat_judgement,
    house_meta_judgement,
    house_splat_judgement,
    meta_judgement,
    splat_judgement,
)
from worldgauge.core.case import Case
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.photometric import PSNR_CEILING
from worldgauge.judge.session import answer_in
from worldgauge.signals.poses import rigid_cameras

SHARE: dict[str, Any] = {"unit": "", "higher_is_better": True, "bounds": (0, 1)}
_PATHS = [rigid_cameras(), rigid_cameras(of="reference")]


@metric(**SHARE, needs=[splat_judgement()], formula=normalised)
def splat_score(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of eight views of the rebuilt scene; what moves was filled before."""
    return _judged(answer)


@metric(**SHARE, needs=[dropped_splat_judgement()], formula=normalised)
def splat_score_dropped(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of eight views of the rebuilt scene, from which what moves is left out."""
    return _judged(answer)


@metric(**SHARE, needs=[house_splat_judgement()], formula=normalised)
def splat_score_compensated(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of eight views of the rebuilt scene; what moves was filled by the camera's motion."""
    return _judged(answer)


@metric(**SHARE, needs=[meta_judgement()], formula=normalised)
def meta_score(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of the meta-view of the rebuilt scene; what moves was filled before."""
    return _judged(answer)


@metric(**SHARE, needs=[dropped_meta_judgement()], formula=normalised)
def meta_score_dropped(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of the meta-view of the rebuilt scene, from which what moves is left out."""
    return _judged(answer)


@metric(**SHARE, needs=[house_meta_judgement()], formula=normalised)
def meta_score_compensated(case: Case, answer: Arrays) -> Measurement:
    """The judge's score of the meta-view of the rebuilt scene; what moves was filled by the camera's motion."""
    return _judged(answer)


@metric(**SHARE, needs=[splat_judgement(), meta_judgement(), *_PATHS], formula=geometry_score)
def geometry(
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
    camera = camera_motion.function(case, ours, wanted, seed=seed).value
    return Measurement(geometry_score(_value(views) + _value(meta) + camera, protocol))


@metric(**SHARE, needs=[dropped_splat_judgement(), dropped_meta_judgement(), *_PATHS], formula=geometry_score)
def geometry_dropped(
    case: Case,
    views: Arrays,
    meta: Arrays,
    ours: Arrays,
    wanted: Arrays,
    *,
    seed: int = SEED,
    protocol: Protocol = "paper",
) -> Measurement:
    """As `geometry`, of the scene from which what moves is left out."""
    camera = camera_motion.function(case, ours, wanted, seed=seed).value
    return Measurement(geometry_score(_value(views) + _value(meta) + camera, protocol))


@metric(**SHARE, needs=[house_splat_judgement(), house_meta_judgement(), *_PATHS], formula=geometry_score)
def geometry_compensated(case: Case, views: Arrays, meta: Arrays, ours: Arrays, wanted: Arrays) -> Measurement:
    """As `geometry`, of the scene filled by the camera's motion and with every camera path compared."""
    camera = camera_motion_fixed.function(case, ours, wanted).value
    return Measurement(geometry_score(_value(views) + _value(meta) + camera, "paper"))


@metric(unit="", higher_is_better=True, bounds=(-1, 1), needs=[photometric_errors()], formula=likeness)
def photometric_ssim(case: Case, found: Arrays) -> Measurement:
    """Structural similarity of the odd ones of 32 frames with their pictures from a scene of the even ones."""
    return _of_frames(found, "ssim")


@metric(unit="dB", higher_is_better=True, bounds=(0, PSNR_CEILING), needs=[photometric_errors()], formula=likeness)
def photometric_psnr(case: Case, found: Arrays) -> Measurement:
    """Peak signal-to-noise ratio of the odd ones of 32 frames with their pictures from a scene of the even ones."""
    return _of_frames(found, "psnr")


def _of_frames(found: Arrays, name: str) -> Measurement:
    remark = f"the scene covers {found['covered'].mean():.0%} of what stands still"
    left_out = float((found["ssim"] != found["ssim"]).mean())
    return Measurement.from_curve(found[name], reason=remark, frames=found["frames"].tolist(), left_out=left_out)


def _value(answer: Arrays) -> float:
    return normalised(float(answer_in(answer)["score"]))


def _judged(answer: Arrays) -> Measurement:
    return Measurement(_value(answer))
