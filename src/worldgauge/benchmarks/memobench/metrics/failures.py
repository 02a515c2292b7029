"""The failure taxonomy, one kind at a time: the mean over clips is the share of clips that show it."""

from __future__ import annotations

from worldgauge.benchmarks.memobench.formulas.failures import KINDS, name_failures
from worldgauge.core.case import Case
from worldgauge.core.errors import Unscored
from worldgauge.core.metric import Measurement, metric
from worldgauge.core.registry import unknown_name
from worldgauge.core.signal import Arrays
from worldgauge.signals.return_evidence import return_evidence


@metric(version=4, unit="", higher_is_better=False, bounds=(0, 1), needs=[return_evidence()], formula=name_failures)
def failure(case: Case, evidence: Arrays, *, kind: str = "vanish") -> Measurement:
    """Whether the clip shows one kind of failure on the target's return, by stated rules: 1 if so, else 0."""
    if kind not in KINDS:
        raise unknown_name("kind of failure", kind, list(KINDS))
    named = name_failures(evidence)
    shown = named[kind]
    if shown is None:
        raise Unscored("the camera points elsewhere, or too little of the clip can be matched, to tell")
    untold = [k for k, answer in named.items() if answer is None]
    said = ", ".join(k for k, answer in named.items() if answer) or "none"
    return Measurement(float(shown), reason=said + (f" (not told: {', '.join(untold)})" if untold else ""))
