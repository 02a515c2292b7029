"""How a judge did on questions whose answers are known: beside chance, beside constant answers, by severity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgauge.stats.agreement import cohen_kappa, confusion

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
    smallest: float | None = None
    """From this severity on the fault is seen more often than it is imagined; null: at none."""


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
        seen={f"{severity:g}": share for severity, share in seen.items()},
        smallest=_smallest(seen, false_alarms),
    )


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
