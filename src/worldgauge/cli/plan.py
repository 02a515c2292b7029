"""`worldgauge plan`: what a run would do and cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from worldgauge.cli.forecast import forecast_json, print_forecast
from worldgauge.cli.job_flags import JobFlags, takes_job_flags
from worldgauge.cli.options import Why
from worldgauge.core.submission import folders_in_words
from worldgauge.core.weights import total_in_words
from worldgauge.engine.job import Job
from worldgauge.engine.judging import sending
from worldgauge.engine.limits import gigabytes, parse_memory
from worldgauge.engine.plan import Plan, expected_between, make_plans
from worldgauge.engine.scale.forecast import forecast
from worldgauge.engine.scale.resources import CPUS_BESIDE_GPU
from worldgauge.report.terminal import duration_between
from worldgauge.verbs import AsJson, print_json, print_pairs, say

app = typer.Typer()

Gpus = Annotated[
    int,
    typer.Option(
        "--gpus", min=0, max=4096, envvar="WORLDGAUGE_PLAN_GPUS", help="Play it through on up to so many workers."
    ),
]
CpusPerGpu = Annotated[
    int,
    typer.Option(
        "--cpus-per-gpu", min=1, max=1024, envvar="WORLDGAUGE_CPUS_PER_GPU", help="With --gpus: cores beside each."
    ),
]
StoreBandwidth = Annotated[
    str | None,
    typer.Option(
        "--store-bandwidth",
        envvar="WORLDGAUGE_STORE_BANDWIDTH",
        help="With --gpus: what the store takes in a second, 200MB; else no limit.",
    ),
]


@app.command()
@takes_job_flags
def plan(
    flags: JobFlags,
    why: Why = False,
    as_json: AsJson = False,
    gpus: Gpus = 0,
    cpus_per_gpu: CpusPerGpu = CPUS_BESIDE_GPU,
    store_bandwidth: StoreBandwidth = None,
) -> None:
    """Say what a run with the same flags would do: cases, stored signals, time, memory. Nothing is computed.

    \b
    Examples:
      worldgauge plan my_videos/ -b cases/
      worldgauge plan my_videos/ -b cases/ --device cuda --gpus 256     where it stops scaling, and why
    """
    jobs = flags.jobs()
    plans = make_plans(jobs)
    bandwidth = parse_memory(store_bandwidth, "--store-bandwidth") if store_bandwidth else math.inf
    table = forecast(list(zip(jobs, plans, strict=True)), gpus, cpus_per_gpu, bandwidth) if gpus else None
    if as_json:
        told = plan_json(plans[0]) if len(plans) == 1 else {"plans": [plan_json(found) for found in plans]}
        print_json(told | ({"forecast": forecast_json(table)} if table else {}))
        return
    for found, job in zip(plans, jobs, strict=True):
        print_plan(found, job)
        print_why({**found.impossible, **found.excluded}, why)
    if table:
        print_forecast(table)


def print_why(reasons: Mapping[str, str], every: bool) -> None:
    """What cannot be computed: one line, or one for each with the reason. A few are told at once."""
    if every or len(reasons) <= _FEW:
        print_pairs((metric, reason) for metric, reason in sorted(reasons.items()))
    else:
        say(f"{len(reasons)} metrics need more: --why lists them")


_FEW = 2


def plan_json(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    return {
        "cases": plan.cases,
        "missing": plan.missing,
        "unknown_videos": plan.unknown,
        "left_out": dict(plan.left_out),
        "metrics": {d.id: d.fingerprint for d in plan.definitions},
        "impossible": plan.impossible,
        "excluded": dict(plan.excluded),
        "remarks": plan.remarks,
        "records_to_write": plan.records,
        "records_done": plan.done_records,
        "signals_to_compute": dict(plan.signals()),
        "signals_stored": plan.stored,
        "weights": {
            found.weights.id: {"here": found.path is not None, "megabytes": found.weights.size, "remark": found.remark}
            for found in plan.weights
        },
        "networks": {one.name: {"gigabytes": one.memory, "here": one.unavailable() is None} for one in plan.networks},
        "passes": [[network.name for network in networks] for networks in plan.stages.networks],
        "seconds_on_one_worker": round(plan.seconds, 1),
        "seconds_between": [round(end, 1) for end in plan.seconds_between],
        "gigabytes_per_worker": round(plan.gigabytes, 2),
        "judge": {
            "calls": plan.asking.calls,
            "images": plan.asking.images,
            "tokens": list(plan.asking.tokens),
            "cost": None if plan.asking.cost is None else list(plan.asking.cost),
            "expected_cost": plan.asking.likely,
            "sends_to": "" if plan.judge is None else ", ".join(plan.judge.places),
        },
        "too_large_gigabytes": {case: round(needed, 2) for case, needed in plan.too_large.items()},
    }


def print_plan(plan: Plan, job: Job) -> None:
    """The plan as a few lines."""
    file = job.benchmark.file
    found = plan.cases - len(plan.missing)
    signals = ", ".join(f"{name} x{count}" for name, count in sorted(plan.signals().items())) or "none"
    workers = max(1, min(job.workers, sum(bool(w.compute) for w in plan.works)))
    crew = "1 worker" if workers == 1 else f"{workers} workers"
    lines = [
        ("benchmark", f"{file.title or file.name}, protocol {job.protocol}, {job.setup.instrument_set} instruments"),
        ("model", job.submission.model.name),
        ("cases", f"{plan.cases}, {found} with a video" + _names("missing", plan.missing)),
        ("metrics", ", ".join(d.id for d in plan.definitions if d.id not in plan.impossible) or "none"),
        ("records", f"{plan.records} to write, {plan.done_records} done"),
        ("signals", f"{signals} to compute, {plan.stored} stored"),
        ("expected", f"{duration_between(*expected_between(plan, job))} on {crew}, {plan.gigabytes:.1f} GB each"),
    ]
    lines += _network_lines(plan) + _weights_lines(plan) + _judge_lines(plan, job)
    lines += [("remark", remark) for remark in plan.remarks]
    if plan.too_large and job.setup.limits.memory is not None:
        limit, most = gigabytes(job.setup.limits.memory), gigabytes(max(plan.too_large.values()) * 2**30)
        named = _names("", list(plan.too_large))
        lines.append(
            ("too large", f"{len(plan.too_large)} clips{named} need up to {most}, the limit is {limit} (--max-memory)")
        )
    if plan.unknown:
        lines.append(("ignored", f"{len(plan.unknown)} videos of no case" + _names("", plan.unknown)))
    if plan.left_out:
        lines.append(("left out", folders_in_words(plan.left_out)))
    print_pairs(lines)


def _network_lines(plan: Plan) -> list[tuple[str, str]]:
    """The networks with the memory they take, and how often the clips are gone over to have all of them."""
    if not plan.networks:
        return []
    reasons = {network.name: reason for network in plan.networks if (reason := network.unavailable()) is not None}
    missing = list(reasons)
    named = ", ".join(f"{network.name} {network.memory:g} GB" for network in plan.networks)
    lines = [("networks", named + _names("cannot run here:", missing))]
    # What is no matter of weights; those have lines of their own.
    ours = {found.reason for found in plan.weights}
    for reason in dict.fromkeys(reason for reason in reasons.values() if reason not in ours):
        lines.append(("to install", f"{', '.join(name for name in missing if reasons[name] == reason)}: {reason}"))
    # The pass of the answers is no pass over the clips.
    perceiving = plan.stages.networks[: plan.stages.asking]
    passes = [" + ".join(network.name for network in networks) or "none" for networks in perceiving]
    sizes = [sum(network.memory for network in networks) for networks in perceiving]
    told = "; ".join(f"{named} ({size:g} GB)" for named, size in zip(passes, sizes, strict=True))
    return [*lines, ("passes", f"{len(perceiving)}: {told}")] if len(missing) < len(plan.networks) else lines


def _judge_lines(plan: Plan, job: Job) -> list[tuple[str, str]]:
    """Who is asked how much, what that costs, and what leaves the machine."""
    judge, asking = plan.judge, plan.asking
    if judge is None or not asking.calls:
        return []
    low, high = asking.tokens
    cost = "no price is configured"
    if asking.cost is not None:
        likely = "" if asking.likely is None else f", about {asking.likely:.4f} to be expected"
        cost = f"cost {asking.cost[0]:.4f} to {asking.cost[1]:.4f}{likely}"
    counts = f"{asking.calls} calls, {asking.images} images, {low} to {high} tokens, {cost}"
    lines = [("judge", f"{judge.parameters.get('model') or judge.parameters.get('client')}: {counts}")]
    for place in judge.places:
        agreed = "" if place in job.send_to else f"; agree to it with --send-to {place}"
        lines.append(("sends", f"{sending(plan)} go to {place}{agreed}"))
    return lines


def _weights_lines(plan: Plan) -> list[tuple[str, str]]:
    """Which files of weights are here, what the others would cost, and what brings them."""
    missing = [found.weights for found in plan.weights if found.path is None]
    if not plan.weights:
        return []
    lines = [("weights", f"{len(plan.weights) - len(missing)} files here, {len(missing)} missing")]
    fetched = [entry.id for entry in missing if entry.repository or entry.url]
    if fetched:
        lines.append(("download", f"{total_in_words(missing)}: worldgauge fetch {' '.join(fetched)}"))
    lines += [("download", entry.command) for entry in missing if entry.id not in fetched]
    return lines + [("weights", f"{f.weights.id}: {f.remark}") for f in plan.weights if f.remark]


def _names(word: str, names: list[str], limit: int = 5) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > limit else ""
    return f" ({word + ' ' if word else ''}{', '.join(names[:limit])}{more})"
