"""Plain metrics of embeddings."""

from __future__ import annotations

import numpy as np

from worldgauge.core.case import Case
from worldgauge.core.errors import NotApplicable, Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.signal import Arrays
from worldgauge.functional.embedding import cosine, nines, unit
from worldgauge.functional.usable import check_enough
from worldgauge.signals.embeddings import frame_embeddings, object_embeddings


@metric(
    version=2,
    unit="cosine",
    higher_is_better=True,
    bounds=(-1, 1),
    needs=[object_embeddings()],
    requires=("phases", "target"),
    formula=cosine,
)
def object_identity(case: Case, target: Arrays) -> Measurement:
    """Mean similarity of the target after the return to the target in the first frame, over frames that show it."""
    phases = case.reference.phases
    if phases is None:
        raise NotApplicable("the case has no phases")
    visible, back = target["visible"], target["usable"][phases.back :]
    check_enough(back, "frames after the return are usable")
    if not visible[phases.back :].any():
        raise Unscored("the target is not seen after the return")
    likeness = np.where(visible, cosine(target["vectors"], target["vectors"][0]), np.nan)
    curve = Measurement.from_curve(likeness).curve
    seen = f"{visible[phases.back :].sum()} frames"
    return Measurement(float(np.nanmean(likeness[phases.back :])), curve, seen, left_out=1 - float(back.mean()))


@metric(version=2, unit="nines", higher_is_better=True, bounds=(-0.31, 6), needs=[frame_embeddings()], formula=nines)
def frame_similarity(case: Case, frames: Arrays) -> Measurement:
    """Similarity of consecutive frames as wholes, in nines of its cosine: 3 for a mean of 0.999; 6 for a clip that
    stands still. Cosines of neighbouring frames crowd at 1, their nines tell ordinary clips apart."""
    vectors = frames["vectors"]
    if len(vectors) < 2:
        raise Unscored("one frame has no neighbour to compare with")
    # Half the squared distance of unit vectors is one less their cosine, without the rounding of 1.
    apart = (np.diff(unit(vectors).astype(np.float64), axis=0) ** 2).sum(axis=1) / 2
    return Measurement(float(nines(apart.mean())), tuple(nines(apart).tolist()))
