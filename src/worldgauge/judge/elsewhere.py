"""A judge whose calls are made on other machines: what is opened there, and the client here.

Purse, pace, repairs and ledger stay with the session of this process, so limits hold for all who call together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from worldgauge.core.asking import Caller, CallLost, Connection, OpensJudge
from worldgauge.judge.clients.open import open_client
from worldgauge.judge.request import Client, Denied, Failed, Reply, Request
from worldgauge.judge.settings import Settings


@dataclass(frozen=True)
class Unsent:
    """Why a call brought no reply, on its way here: exceptions of ours do not travel by themselves."""

    kind: str
    reason: str
    after: float | None = None
    charged: bool | None = False
    again: bool = True
    denied: bool = False

    @classmethod
    def of(cls, problem: Failed) -> Unsent:
        about = (problem.kind, problem.reason, problem.after, problem.charged, problem.again)
        return cls(*about, denied=isinstance(problem, Denied))

    def exception(self) -> Failed:
        if self.denied:
            return Denied(self.reason)
        return Failed(self.kind, self.reason, after=self.after, charged=self.charged, again=self.again)


class Sender:
    """What is opened there; called from many threads at once."""

    def __init__(self, settings: Settings) -> None:
        self._client: Client | None = None
        self._problem = ""
        try:
            self._client = open_client(settings)
        except Exception as error:  # noqa: BLE001  told by the machine that asks
            self._problem = f"{type(error).__name__}: {error}"

    def __call__(self, request: Request) -> Reply | Unsent:
        if self._client is None:
            return Unsent("denied", self._problem, denied=True)
        try:
            return self._client.send(request)
        except Failed as problem:
            return Unsent.of(problem)


class Elsewhere:
    """The client here."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def send(self, request: Request) -> Reply:
        try:
            told: Reply | Unsent = self._caller.call(request)
        except CallLost as lost:
            # Nobody knows whether the question had been put.
            raise Failed("lost", str(lost), charged=None) from lost
        if isinstance(told, Unsent):
            raise told.exception()
        return told

    def close(self) -> None:
        self._caller.close()


def opened(settings: Settings, opens: OpensJudge | None) -> Client:
    """The client of a judge: where `opens` takes it, else in this process. A batch endpoint is spoken to by one."""
    if opens is not None and not settings.batch:
        about = (settings.client == "local", settings.at_once, settings.key_variable)
        caller = opens(Connection(partial(Sender, settings), *about))
        if caller is not None:
            return Elsewhere(caller)
    return open_client(settings)
