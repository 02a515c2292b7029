"""How a judge did on questions whose answers are known: beside chance, beside constant answers, by severity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from worldgauge.stats.agreement import cohen_kappa, confusion
from worldgauge.stats.answer_noise import answer_noise

SCHEMA: Final = 1
FEWEST = 0.3
"""Share of either answer that a kind of question must have, or a constant answer would look like judgement."""
_Z = 1.959963984540054


@dataclass(frozen=True)
class Item:
    """One question about one clip."""

    fault: str
    severity: float
    """0: the clip is without the fault."""
    truth: Literal["yes", "no"]
    answer: str | None
    """None: the judge gave none."""
    inverted: bool = False
    """Whether yes means that the fault is not there."""
    world: str = ""
    take: int = 0
    """Which time of asking."""

    @property
    def alarm(self) -> bool:
        """Whether the judge says that the fault is there."""
        return (self.answer == "yes") != self.inverted


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, populate_by_name=True)


class Share(_Model):
    """A share with its 95 % interval by Wilson's rule. Clips of one world are taken as independent."""

    of: int
    value: float | None = None
    low: float = 0.0
    high: float = 1.0


class FaultResult(_Model):
    """One kind of question."""

    fault: str
    answered: int
    unanswered: int
    yes: float
    """Share of questions whose true answer is yes."""
    accuracy: Share
    kappa: float | None
    """Agreement with the truth beyond chance; null where it is not defined."""
    false_alarms: Share
    """Among the clips without the fault."""
    seen: dict[str, Share] = {}
    """Severity to the share of its clips on which the fault was seen."""
    discrimination: float | None = None
    """How much more often the fault is seen where it is, at any severity, than where it is not: 1 tells all, 0 none."""
    by_polarity: dict[str, Share] = {}
    """Accuracy of the question that asks for the fault (`present`) and of the one that asks for its absence."""
    smallest: float | None = None
    """From this severity on the fault is seen more often than it is imagined; null: at none."""


class Noise(_Model):
    """How steady a judge is that was asked several times. A subject (a fault at a severity) stands for a model, and its
    score is the share of its worlds, in percent, in which the fault is not seen."""

    takes: int
    agreement: float
    """Share of pairs of answers to one question that are the same."""
    spread: float | None
    """Standard deviation of the score between subjects."""
    noise: float
    """Standard deviation of a subject's score because the judge wavers, as often as it was asked."""
    noise_once: float
    """The same, had it been asked once."""
    share: float | None
    """Share of the variance between subjects that is noise."""
    share_once: float | None


class JudgeCalibration(_Model):
    """`judge.json` of a calibration."""

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    judge: dict[str, object]
    """What may change its answers."""
    worlds: int
    faults: list[FaultResult]
    accuracy: Share
    kappa: float | None
    baselines: dict[str, float]
    """Accuracy of always yes, always no and a coin."""
    noise: Noise | None = None
    """Null where every question was asked once."""
    calls: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def write(self, file: Path) -> None:
        file.write_text(self.model_dump_json(by_alias=True, indent=1) + "\n", "utf-8")


def summarise(items: Sequence[Item]) -> tuple[list[FaultResult], Share, float | None, dict[str, float]]:
    """Per fault, then over all: accuracy, kappa, and what constant answers and a coin would reach."""
    kinds = dict.fromkeys(item.fault for item in items)
    found = [_of_fault(name, [item for item in items if item.fault == name]) for name in kinds]
    answered = [item for item in items if item.answer is not None]
    yes = sum(item.truth == "yes" for item in items) / max(len(items), 1)
    baselines = {"always yes": yes, "always no": 1.0 - yes, "coin": 0.5}
    return found, _accuracy(answered), _kappa(answered), baselines


def one_sided(results: Sequence[FaultResult]) -> list[str]:
    """Kinds of question with too few of one answer for a verdict."""
    return [one.fault for one in results if not FEWEST <= one.yes <= 1 - FEWEST]


def wilson(count: int, of: int) -> Share:
    """
    >>> found = wilson(8, 10)
    >>> round(found.low, 3), round(found.high, 3)
    (0.49, 0.943)
    """
    if not of:
        return Share(of=0)
    share, square = count / of, _Z**2
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of**2))
    return Share(of=of, value=share, low=max(0.0, middle - half), high=min(1.0, middle + half))


def _of_fault(name: str, items: Sequence[Item]) -> FaultResult:
    answered = [item for item in items if item.answer is not None]
    clean = [item for item in answered if item.severity == 0]
    false_alarms = wilson(sum(item.alarm for item in clean), len(clean))
    severities = sorted({item.severity for item in answered if item.severity > 0})
    seen = {}
    for severity in severities:
        there = [item for item in answered if item.severity == severity]
        seen[severity] = wilson(sum(item.alarm for item in there), len(there))
    return FaultResult(
        fault=name,
        answered=len(answered),
        unanswered=len(items) - len(answered),
        yes=sum(item.truth == "yes" for item in items) / len(items),
        accuracy=_accuracy(answered),
        kappa=_kappa(answered),
        false_alarms=false_alarms,
        discrimination=_discrimination(answered),
        by_polarity={
            name: _accuracy([item for item in answered if item.inverted is inverted])
            for name, inverted in (("present", False), ("absent", True))
        },
        seen={f"{severity:g}": share for severity, share in seen.items()},
        smallest=_smallest(seen, false_alarms),
    )


def noise_of(items: Sequence[Item]) -> Noise | None:
    """From all takes of all questions; None where none was asked twice."""
    asked: dict[tuple[str, float, str, bool], dict[int, bool]] = {}
    for item in items:
        if item.answer is not None:
            key = item.fault, item.severity, item.world, item.inverted
            asked.setdefault(key, {})[item.take] = item.alarm
    takes = 1 + max((item.take for item in items), default=0)
    subjects: dict[tuple[str, float], list[list[float]]] = {}
    pairs, same = 0, 0
    for (fault, severity, _, _), alarms in asked.items():
        row = [100.0 * (not alarms[take]) if take in alarms else math.nan for take in range(takes)]
        subjects.setdefault((fault, severity), []).append(row)
        for first, second in combinations(alarms.values(), 2):
            pairs, same = pairs + 1, same + (first == second)
    found = answer_noise([np.array(rows) for rows in subjects.values()])
    if found is None:
        return None
    return Noise(
        takes=takes,
        agreement=same / pairs,
        spread=found.spread,
        noise=found.noise,
        noise_once=found.noise_once,
        share=found.share,
        share_once=found.share_once,
    )


def _discrimination(answered: Sequence[Item]) -> float | None:
    there, clean = ([item.alarm for item in answered if (item.severity > 0) is faulty] for faulty in (True, False))
    return sum(there) / len(there) - sum(clean) / len(clean) if there and clean else None


def _smallest(seen: dict[float, Share], false_alarms: Share) -> float | None:
    """The least severity from which on every interval lies above that of the false alarms."""
    smallest = None
    for severity in sorted(seen, reverse=True):
        if seen[severity].low <= false_alarms.high:
            break
        smallest = severity
    return smallest


def _accuracy(answered: Sequence[Item]) -> Share:
    return wilson(sum(item.answer == item.truth for item in answered), len(answered))


def _kappa(answered: Sequence[Item]) -> float | None:
    if not answered:
        return None
    _, table = confusion([item.truth for item in answered], [str(item.answer) for item in answered])
    return cohen_kappa(table)
