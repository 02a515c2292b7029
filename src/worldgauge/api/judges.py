"""Which judge is asked: by its name in the configuration, by what a run was made with, or as an object."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldgauge.core.asking import AskedInstrument
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_file import FILE_NAME, RunFile

if TYPE_CHECKING:
    from worldgauge.judge.instrument import Judge

REPLAY = "replay"

_judges: dict[str, Any] = {}
"""Settings of the configured judges, by name."""
_confirmed: list[str] = []


def place_judges(table: Any, where: str, trust: bool) -> None:
    """Make the judges of a `[judge]` table known. Only a trusted one may say where frames go, or name code."""
    from worldgauge.judge.settings import read_judges

    table = dict(table) if isinstance(table, dict) else table
    hosts = table.pop("send_to", []) if isinstance(table, dict) else []
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise WorldGaugeError(f"{where} send_to takes a list of hosts", 'write send_to = ["api.example.org"]')
    found = read_judges(table, where)
    scripted = next((name for name, one in found.items() if one.client == "scripted"), None)
    if (hosts or scripted) and not trust:
        what = "says where frames may be sent" if hosts else "names code to run"
        raise WorldGaugeError(f"{where} {what}", "look at it, then give --trust or WORLDGAUGE_TRUST=1")
    _judges.clear()
    _judges.update(found)
    _confirmed[:] = hosts


def configured_judges() -> dict[str, Any]:
    """Settings by name."""
    return dict(_judges)


def confirmed_hosts() -> tuple[str, ...]:
    """Hosts that the configuration allows frames and texts to be sent to."""
    return tuple(_confirmed)


def chosen_judge(judge: str | AskedInstrument | None, out: Path) -> AskedInstrument | None:
    """The judge that was named; where none was, the only one that is configured; else none."""
    if isinstance(judge, AskedInstrument):
        return judge
    if judge is None:
        if len(_judges) != 1:
            return None
        (judge,) = _judges
    from worldgauge.judge.instrument import judge_of
    from worldgauge.judge.settings import choose

    kind, _, named = judge.partition(":")
    if kind != REPLAY:
        return judge_of(choose(_judges, judge))
    if named:
        return judge_of(choose(_judges, named), replays=True)
    return _judge_of_run(out) or _only_judge()


def refuse_unconfirmed_judge(judge: AskedInstrument, what: str, send_to: Iterable[str]) -> None:
    """Raise where `what` would leave the machine for a host that nobody has agreed to."""
    if not judge.is_here and judge.place not in (*send_to, *_confirmed):
        raise WorldGaugeError(
            f"the judge would send {what} to {judge.place}", f"agree to it with --send-to {judge.place}"
        )


def judge_to_ask(name: str | None, what: str, send_to: Iterable[str]) -> Judge:
    """One judge that can be asked from here, for a verb that is no run; `what` is what it will be sent."""
    from worldgauge.judge.instrument import Judge

    chosen = chosen_judge(name, Path())
    if not isinstance(chosen, Judge):
        hint = "write a [judge] table into worldgauge.toml, or name a script: --judge scripted:FILE.py:FUNCTION"
        raise WorldGaugeError("this needs one judge", hint)
    if reason := chosen.unavailable():
        raise WorldGaugeError(f"the judge cannot be asked: {reason}")
    refuse_unconfirmed_judge(chosen, what, send_to)
    return chosen


def _judge_of_run(out: Path) -> AskedInstrument | None:
    """The judge that a run folder's definitions name, to be replayed."""
    if not (out / FILE_NAME).is_file():
        return None
    from worldgauge.judge.instrument import Judge

    for definition in RunFile.read(out).definitions:
        for signal in definition.signals:
            told = signal.get("instrument") or {}
            if told.get("name") == Judge.name:
                return Judge(**told["parameters"], replays=True)
    return None


def _only_judge() -> AskedInstrument:
    from worldgauge.judge.instrument import judge_of

    if len(_judges) != 1:
        raise WorldGaugeError(
            "--judge replay: the folder holds no judged run, and no single judge is configured",
            "say whose answers: --judge replay:NAME",
        )
    (settings,) = _judges.values()
    return judge_of(settings, replays=True)
