"""Which metrics a set of cases and a set of instruments allow, and why not the others: known before anything runs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worldgauge.core.benchmark import MetricUse
from worldgauge.core.case import Case
from worldgauge.core.case_parts import having, in_words, offers
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.manifest import benchmarks
from worldgauge.core.metric import METRICS
from worldgauge.core.record_lines import RecordLines
from worldgauge.core.status import Policy, Status
from worldgauge.core.weight_files import locate
from worldgauge.engine.definitions import Definition, Seats, resolve
from worldgauge.engine.device_kind import check_device

if TYPE_CHECKING:
    from worldgauge.engine.job import Job
    from worldgauge.engine.plan import Plan


@dataclass(frozen=True)
class PossibleMetrics:
    """What is computed where no metric was named."""

    uses: tuple[MetricUse, ...]
    excluded: Mapping[str, str]
    """The other metrics, with the reason."""
    damaged: tuple[str, ...] = ()
    """Files of weights that are here and cannot be used, of metrics that would be computed with sound ones."""


def possible_metrics(cases: Sequence[Case], seats: Seats) -> PossibleMetrics:
    """Every registered metric that at least one case and the instruments allow; the others with the reason.

    A benchmark's metric is for the benchmark's cases, but where its manifest says that it is meaningful elsewhere.
    """
    definitions = resolve([MetricUse(id=name, use=name) for name in METRICS.names()], seats)
    cases = unlike(definitions, cases)
    reasons = why_not(definitions, cases)
    offered = {f"{name}/{metric}" for name, manifest in benchmarks().items() for metric in manifest.own_videos}
    bound = {d.id: d.metric.namespace for d in definitions if d.metric.namespace and d.id not in offered}
    for name, benchmark in bound.items():
        reasons[name] = "; ".join(filter(None, (f"needs cases of {benchmark}", reasons.get(name))))
    allowed = [d for d in definitions if d.id in reasons and d.id not in bound and any(not _lack(d, c) for c in cases)]
    return PossibleMetrics(
        tuple(MetricUse(id=d.id, use=d.id) for d in definitions if d.id not in reasons),
        reasons,
        damaged_weights(allowed),
    )


def damaged_weights(definitions: Iterable[Definition]) -> tuple[str, ...]:
    """One line for each file of weights that these definitions need and that is here but cannot be used."""
    names = dict.fromkeys(name for d in definitions for network in d.networks for name in network.weights)
    return tuple(found.reason for found in map(locate, names) if found.damaged)


def refuse_in_vain(planned: Sequence[tuple[Job, Plan]], here: bool = True) -> None:
    """Raise before any work where what was asked for cannot be computed.

    That is a column that was named and can have no value in any case, a damaged file of weights, or a device that is
    not there. With `here=False` other machines do the work: what this one lacks says nothing about them.
    """
    if here:
        for job, plan in planned:
            check_device(job.setup.device)
            if damaged := (*damaged_weights(plan.definitions), *job.damaged):
                raise WorldGaugeError(damaged[0])
    reasons = [_hopeless(job, plan, here) for job, plan in planned]
    found = {
        name: next(of_job[name] for of_job in reasons if name in of_job)
        for name in dict.fromkeys(name for job, _ in planned for name in job.named)
        if all(name in of_job for of_job in reasons)
    }
    if found:
        listing = ", ".join(f"{name} ({reason})" for name, reason in found.items())
        raise WorldGaugeError(f"no case can have a value of {listing}", "provide what it needs, or leave it out")


def _hopeless(job: Job, plan: Plan, here: bool) -> dict[str, str]:
    """The named columns without a value in any case of the whole run, whatever the shard, with the reason."""
    named = [d for d in plan.definitions if d.id in job.named and d.id not in _zeros_of(job)]
    if not named:
        return {}
    chosen = [job.benchmark.cases[i] for i in job.chosen]
    with_video = [case for case in chosen if any(take is not None for take in job.submission.takes(case.id))]
    chosen, with_video = unlike(named, chosen), unlike(named, with_video)
    found = {}
    for definition in named:
        reason = _reason(definition, chosen, here)
        if not reason and _reason(definition, with_video, here):
            reason = "the submission has no video of a case that it applies to"
        # A value that an earlier command has left stays good where the network that made it is gone.
        if reason and (_reason(definition, with_video, False) or not _has_value(job, plan, definition)):
            found[definition.id] = reason
    return found


def _zeros_of(job: Job) -> set[str]:
    """Columns that are 0 for the submission's model, which cannot do their cases: they need no video."""
    card = job.submission.model.model_dump()
    uses = [use for use in job.benchmark.file.metrics if use.zero_for]
    return {use.id for use in uses if use.policy_for(Policy(), card).missing == 0.0}


def _has_value(job: Job, plan: Plan, definition: Definition) -> bool:
    """Whether an earlier command has left a value of this very definition in the run folder."""
    done = {(work.case.id, work.take) for work in plan.works if definition.id not in work.todo}
    about = definition.id, definition.fingerprint, Status.OK.value
    return bool(done) and any(
        (line["case"], line.get("take", 0)) in done and (line["metric"], line["fingerprint"], line["status"]) == about
        for line in RecordLines(job.setup.out)
    )


def why_not(definitions: Iterable[Definition], cases: Sequence[Case]) -> dict[str, str]:
    """Metric id to the reason why no case can be scored, for those that have one."""
    definitions = list(definitions)
    cases = unlike(definitions, cases)
    reasons = {d.id: _reason(d, cases, True) for d in definitions}
    return {metric: reason for metric, reason in reasons.items() if reason}


def unlike(definitions: Sequence[Definition], cases: Sequence[Case]) -> list[Case]:
    """The first case of each kind: of a hundred thousand cases all but a few have the same parts and tags."""
    has = having(part for definition in definitions for part in definition.parts)
    tags = sorted({tag for definition in definitions for tag in definition.tags})
    kinds: dict[Hashable, Case] = {}
    for case in cases:
        kinds.setdefault((has(case), *map(case.tags.get, tags)), case)
    return list(kinds.values())


def _reason(definition: Definition, cases: Sequence[Case], here: bool) -> str:
    lacks = [_lack(definition, case) for case in cases]
    # The case that comes nearest says what is really needed.
    least = min(lacks, key=len, default=[])
    needed = [f"needs {_joined(least)}"] if least else []
    return "; ".join([*needed, *([definition.unavailable] if definition.unavailable and here else [])])


def _lack(definition: Definition, case: Case) -> list[str]:
    """In words, what this case does not have."""
    tags = [f"a case with {tag} {value}" for tag, value in definition.tags.items() if case.tags.get(tag) != value]
    return tags + [in_words(part) for part in definition.parts if not offers(case, part)]


def _joined(parts: Sequence[str]) -> str:
    """
    >>> _joined(["a prompt", "a camera path", "phases"])
    'a prompt, a camera path and phases'
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
