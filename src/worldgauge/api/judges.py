"""Which judge is asked: by its name in the configuration, by what a run was made with, or as an object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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


def chosen_judge(
    judge: str | AskedInstrument | None, out: Path, takes: int | None = None, batch: bool = False
) -> AskedInstrument | None:
    """The judge that was named, or the panel of several; where none was, the only one that is configured; else none.

    `takes` says how often each is asked and `batch` sends by the provider's batch endpoint, whatever their tables say.
    """
    if isinstance(judge, AskedInstrument):
        return judge
    if judge is None:
        if len(_judges) != 1:
            return None
        (judge,) = _judges
    kind, _, named = judge.partition(":")
    if kind != REPLAY:
        return _panel(judge, takes, batch)
    if named:
        return _panel(named, takes, replays=True)
    return _judge_of_run(out) or _only_judge(takes)


def _panel(names: str, takes: int | None, batch: bool = False, replays: bool = False) -> AskedInstrument:
    """The judge of that name, or of several names with commas between them."""
    from worldgauge.judge.instrument import judge_of
    from worldgauge.judge.panel import panel_of
    from worldgauge.judge.settings import choose

    listed = [name.strip() for name in names.split(",")]
    if len(set(listed)) < len(listed):
        raise WorldGaugeError(f"--judge {names}: a judge is named twice", "ask one several times with --judge-takes")
    chosen = [choose(_judges, name) for name in listed]
    if batch:
        chosen = [settings.by_batch() for settings in chosen]
    return panel_of(
        [judge_of(settings, replays) for settings in chosen], [takes or settings.takes for settings in chosen]
    )


def refuse_unconfirmed_judge(judge: AskedInstrument, what: str, send_to: Iterable[str]) -> None:
    """Raise where `what` would leave the machine for a host that nobody has agreed to."""
    for place in judge.places:
        if place not in (*send_to, *_confirmed):
            raise WorldGaugeError(f"the judge would send {what} to {place}", f"agree to it with --send-to {place}")


def judge_to_ask(name: str | None, what: str, send_to: Iterable[str]) -> Judge:
    """One judge that can be asked from here, for a verb that is no run; `what` is what it will be sent."""
    from worldgauge.judge.instrument import Judge

    chosen = chosen_judge(name, Path(), takes=1)
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
    from worldgauge.judge.panel import Panel

    answered = {signal["signal"]: signal["instrument"] for signal in _asked_signals(RunFile.read(out))}
    for told in answered.values():
        if told["name"] == Judge.name:
            recorded = {signal: one["parameters"] for signal, one in answered.items()}
            return Judge(**told["parameters"], replays=True, recorded=recorded)
        judges = tuple(
            Judge(
                **one["parameters"],
                replays=True,
                recorded={signal: other["judges"][number]["parameters"] for signal, other in answered.items()},
            )
            for number, one in enumerate(told["judges"])
        )
        return Panel(judges, tuple(told["parameters"]["takes"]))
    return None


def _asked_signals(file: RunFile) -> Iterator[Mapping[str, Any]]:
    """The signals of a run's definitions that a judge or a panel answered, as they are described there."""
    pending = [signal for definition in file.definitions for signal in definition.signals]
    while pending:
        signal = pending.pop(0)
        pending += signal.get("needs", ())
        if (signal.get("instrument") or {}).get("name") in ("judge", "judge_panel"):
            yield signal


def _only_judge(takes: int | None) -> AskedInstrument:
    if len(_judges) != 1:
        raise WorldGaugeError(
            "--judge replay: the folder holds no judged run, and no single judge is configured",
            "say whose answers: --judge replay:NAME",
        )
    (name,) = _judges
    return _panel(name, takes, replays=True)
