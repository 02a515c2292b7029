"""What a provider package raises, as one of our failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worldgauge.judge.clients.http import LATER, NO_USE, TOLD, seconds_in
from worldgauge.judge.request import Denied, Failed
from worldgauge.judge.secrets import Secret

_NEVER_SENT = ("ConnectError", "ConnectTimeout", "ConnectionRefusedError", "PoolTimeout")
"""Errors after which the server has seen nothing."""


def failed_call(
    status: int | None, words: str, retry_after: str, secret: Secret, error: BaseException | None = None
) -> Failed:
    """The failure of a call; `status` is None where no response came."""
    told = secret.hidden_in(" ".join(words.split()))[:TOLD]
    if isinstance(error, Failed):
        return error
    if status is None:
        kinds = {type(each).__name__ for each in _chain(error)}
        if kinds.intersection(_NEVER_SENT):
            return Failed("unreachable", f"the endpoint cannot be reached ({told})")
        slow = any("Timeout" in kind for kind in kinds)
        return Failed("slow" if slow else "cut", f"no whole response ({told})", charged=None)
    if status in NO_USE:
        return Denied(f"status {status} ({told})")
    again = status in LATER or status >= 500
    return Failed(str(status), f"status {status} ({told})", after=seconds_in(retry_after), again=again)


def wait_in(headers: Mapping[str, str], prefix: str) -> float:
    """Seconds until the next call is taken, where the headers say that no more is taken now."""
    for kind in ("requests", "tokens"):
        if headers.get(f"{prefix}-{kind}-remaining", "").strip() == "0":
            return seconds_in(headers.get(f"{prefix}-{kind}-reset", "")) or 0.0
    return 0.0


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
