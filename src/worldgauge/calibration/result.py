"""The calibration file: dose-response of every metric to every fault, and what became of the declarations."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import benchmarks, manifests
from worldgauge.core.reading import first_problem, read_bytes

SCHEMA: Final = 1
KINDS = {
    "returns": "worlds whose target comes back",
    "layouts": "worlds with one camera layout each",
    "fixed": "worlds with a fixed camera",
}
"""Kinds of worlds in words."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, use_attribute_docstrings=True)


class Dose(_Model):
    """One severity of one fault, against the oracle on the same worlds."""

    severity: float
    quantity: float
    """What the fault changed on average, in the fault's own quantity."""
    cases: int
    """Worlds in which the metric gave a value both for the subject and for the oracle."""
    mean: float | None
    """The metric in its own unit."""
    interval: tuple[float, float] | None
    """95 %, over worlds."""
    difference: float | None
    """Subject minus oracle, turned so that negative is worse; for metrics without a direction, subject minus oracle."""
    p_value: float | None
    """Two-sided sign-flip test over worlds."""
    seen: float | None = None
    """Share of the worlds in which the clip alone tells; None where there is nothing that the metric must ignore."""


class Verdict(_Model):
    """A declared expectation and whether it held."""

    expects: Literal["worse", "better", "still", "no better"]
    holds: bool | None
    """None: it could not be judged."""
    why: str
    known: str = ""
    """For a known blind spot: the reason."""
    up_to: float = 1.0
    """Severity up to which it is asked."""


class Response(_Model):
    """A metric's answer to a fault."""

    fault: str
    doses: list[Dose]
    rho: float | None
    """Mean over worlds of Spearman's rho between severity and the turned score; negative: worse as severity rises."""
    detects: float | None
    """Smallest severity from which on the metric sees the fault: it differs from the oracle at 95 %."""
    clear_from: float | None = None
    """Smallest severity from which on the fault is seen in 95 % of the clips."""
    verdict: Verdict | None = None


class GaugeResult(_Model):
    """One metric."""

    id: str
    metric: str
    parameters: dict[str, Any] = {}
    fingerprint: str
    quality: str | None
    unit: str
    higher_is_better: bool | None
    oracle: float | None
    """Mean over worlds of the fault-free subject."""
    reason: str = ""
    """Why there is no number."""
    noise: float | None = None
    """What 95 % of the clips with faults that it must ignore stay below; a clip that moves further tells."""
    specificity: float | None = None
    """Share of these clips that move by no more than a still metric may."""
    ignored_clips: int = 0
    """How many they are."""
    responses: list[Response] = []

    def response(self, fault: str) -> Response | None:
        return next((r for r in self.responses if r.fault == fault), None)

    def lines(self, where: str) -> list[str]:
        """What a user of the metric should know, a line each; `where` says on which worlds."""
        if not self.responses:
            return [f"{self.id} on {where}: not measured ({self.reason})"]
        of = f"; about {self.quality}" if self.quality else ""
        lines = [f"{self.id} on {where}: oracle {self.oracle:.4g}{self.unit and ' ' + self.unit}{of}"]
        for r in self.responses:
            if r.detects is None and (r.verdict is None or r.verdict.holds is not False):
                continue
            seen = f"seen from severity {r.detects:g}" if r.detects is not None else "not seen"
            rho = "" if r.rho is None else f", rho {r.rho:+.2f}"
            clear = "" if r.clear_from is None else f", in 95 % of clips from {r.clear_from:g}"
            lines.append(f"  {r.fault}: {seen}{clear}{rho}{_declared(r)}")
        return lines


def _declared(response: Response) -> str:
    """What was declared of a fault and what became of it, in how many worlds; nothing where nothing was."""
    verdict = response.verdict
    if verdict is None or verdict.holds is None:
        return ""
    if verdict.holds:
        return f"; must {must(verdict)}, holds over {response.doses[-1].cases} worlds"
    return f"; DECLARATION FAILS, must {must(verdict)}" + (f" ({verdict.known})" if verdict.known else "")


class ErrorTable(_Model):
    """Errors of one instrument against truth."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = []


class CalibrationFile(_Model):
    """`calibration.json`."""

    schema_version: Literal[1] = Field(default=SCHEMA, alias="schema")
    preset: str
    kind: str = "returns"
    """Of worlds."""
    worlds: list[str]
    size: tuple[int, int]
    frames: int
    severities: list[float]
    held_out: bool = False
    """Nothing was tuned on these worlds."""
    instruments: dict[str, str]
    """Seat to instrument."""
    environment: dict[str, str]
    faults: dict[str, str]
    """Fault to the quantity its severity changes."""
    gauges: list[GaugeResult]
    errors: list[ErrorTable] = []
    """Instrument errors, where they were measured."""

    @property
    def where(self) -> str:
        """The worlds in words."""
        return f"{len(self.worlds)} {KINDS[self.kind]}"

    @property
    def stem(self) -> str:
        """Of the files written: `calibration` or, for worlds of another kind, such as `calibration_layouts`."""
        return "calibration" if self.kind == "returns" else f"calibration_{self.kind}"

    def failures(self) -> list[str]:
        """One line per declaration that does not hold, known blind spots left out."""
        return [line for line, known in self._broken() if not known]

    def blind_spots(self) -> list[str]:
        """One line per declaration that is known not to hold."""
        return [f"{line}: {known}" for line, known in self._broken() if known]

    def _broken(self) -> list[tuple[str, str]]:
        return [
            (f"{gauge.id} x {r.fault}: must {must(r.verdict)}; {r.verdict.why}", r.verdict.known)
            for gauge in self.gauges
            for r in gauge.responses
            if r.verdict is not None and r.verdict.holds is False
        ]

    def write(self, file: Path) -> None:
        partial = file.with_name(f".{file.name}.partial")
        partial.write_text(self.model_dump_json(by_alias=True, indent=1) + "\n", "utf-8")
        partial.replace(file)

    @classmethod
    def read(cls, file: Path) -> CalibrationFile:
        try:
            return cls.model_validate_json(read_bytes(file, missing="run 'worldgauge calibrate'"))
        except ValidationError as error:
            raise WorldGaugeError(f"{file}: {first_problem(error)}") from error


@cache
def shipped() -> tuple[CalibrationFile, ...]:
    """The calibrations that came with the packages, one per kind of worlds, each owner's results joined."""
    files: dict[str, CalibrationFile] = {}
    for manifest in sorted((m for m in manifests() if m.calibration), key=lambda manifest: manifest.name):
        for file in sorted(manifest.folder.glob("calibration*.json")):
            part = CalibrationFile.read(file)
            known = files.setdefault(part.kind, part)
            if known is not part:
                joined = {"gauges": [*known.gauges, *part.gauges], "errors": [*known.errors, *part.errors]}
                files[part.kind] = known.model_copy(update=joined)
    return tuple(files[kind] for kind in KINDS if kind in files)


def lines_about(metric: str) -> list[str]:
    """What the shipped calibrations, and that of its benchmark's own, say about a registered metric."""
    found = [(file.where, gauge) for file in shipped() for gauge in file.gauges]
    owner = benchmarks().get(metric.rpartition("/")[0])
    if owner is not None and owner.own_calibration:
        found += owner.resolve(owner.own_calibration)()
    return [line for where, gauge in found if gauge.metric == metric for line in gauge.lines(where)]


def must(verdict: Verdict) -> str:
    words = {"worse": "get worse", "better": "get better", "still": "stay still", "no better": "not get better"}
    limit = f" up to severity {verdict.up_to:g}" if verdict.up_to < 1 else ""
    return words[verdict.expects] + limit
