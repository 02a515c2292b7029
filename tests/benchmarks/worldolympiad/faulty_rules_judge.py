"""Judges of rules that fail in the ways the released code has a fallback for."""

from __future__ import annotations

from typing import Any

from benchmarks.worldolympiad.scripted_judge import answer, ids_of, kind_of, note
from worldgauge.judge.request import Request


def compliance_batches(request: Request) -> Any:
    """Relevance is fine; nobody can read what it says of several rules at once about a clip."""
    if kind_of(request) == "compliance" and len(ids_of(request)) > 1:
        return note(request) and "They are all fine."
    return answer(request)


def forgetful(request: Request) -> Any:
    """Leaves one rule out of every list at first, and tells it when that is shown to it."""
    found = answer(request)
    if kind_of(request) in ("relevance", "compliance") and len(found["results"]) > 1:
        found["results"] = found["results"][:1] if request.turns else found["results"][1:]
    return found


def sure(request: Request) -> Any:
    """Says how sure it is in words at first."""
    found = answer(request)
    if kind_of(request) == "compliance" and not request.turns:
        found["results"] = [{**one, "confidence": "high"} for one in found["results"]]
    return found


def wordy(request: Request) -> Any:
    """Writes truth values as text, which is never read as one."""
    found = answer(request)
    if kind_of(request) == "compliance" and "gravity" in ids_of(request):
        found["results"] = [{**one, "compliant": "false"} for one in found["results"]]
    return found


def no_relevance(request: Request) -> Any:
    """Cannot say whether one rule applies, alone or among others."""
    if kind_of(request) == "relevance" and "impact" in ids_of(request):
        return note(request) and "Hard to tell."
    return answer(request)
