"""Calls over HTTP: what each kind of failure means, and which of them may have cost something."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.reading import parse_json
from worldgauge.judge.clients.bounded import Bounds
from worldgauge.judge.request import Denied, Failed
from worldgauge.judge.secrets import Secret

if TYPE_CHECKING:
    import httpx

NO_USE = (401, 403, 404)
"""The key, the right or the model is missing: no further call will do better."""
LATER = (408, 409, 425, 429)
TOLD = 200
"""Characters of a server's own words in a reason."""


def open_client(
    endpoint: str, headers: Mapping[str, str], timeout: float, concurrency: int, here: bool, bounds: Bounds
) -> httpx.Client:
    """A connection pool; proxies of the environment are for hosts elsewhere, redirects are not followed."""
    import httpx

    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    return httpx.Client(
        base_url=endpoint,
        headers=dict(headers),
        timeout=httpx.Timeout(timeout, connect=10.0, pool=None),
        limits=limits,
        trust_env=not here,
        event_hooks=bounds.hooks,
    )


def post(client: httpx.Client, path: str, content: Mapping[str, Any], secret: Secret) -> tuple[Any, httpx.Headers]:
    """The JSON that a server answers with, and its headers. Raises `Failed`."""
    response = called(client, "POST", path, secret, json=content)
    return content_of(response, secret), response.headers


def called(client: httpx.Client, method: str, path: str, secret: Secret, **sent: Any) -> httpx.Response:
    """The response of a server that did what it was asked. Raises `Failed`."""
    import httpx

    try:
        response = client.request(method, path, **sent)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise Failed("unreachable", f"{client.base_url.host} cannot be reached ({type(error).__name__})") from None
    except httpx.TimeoutException:
        raise Failed("slow", f"no reply within {client.timeout.read:g} s", charged=None) from None
    except httpx.HTTPError as error:
        # The request was on its way: whether it was worked on, and paid for, nobody can tell.
        raise Failed("cut", f"the connection was cut ({type(error).__name__})", charged=None) from None
    if response.status_code >= 300:
        raise _refused(response, secret)
    return response


def content_of(response: httpx.Response, secret: Secret) -> Any:
    """The JSON of a response."""
    try:
        return parse_json(response.content, "the response")
    except WorldGaugeError as error:
        raise Failed("garbled", secret.hidden_in(str(error))[:TOLD], charged=None) from None


def _refused(response: httpx.Response, secret: Secret) -> Failed:
    status = response.status_code
    words = secret.hidden_in(" ".join(response.text.split()))[:TOLD]
    reason = f"status {status}" + (f" ({words})" if words else "")
    if status in NO_USE:
        return Denied(reason)
    again = status in LATER or status >= 500
    return Failed(str(status), reason, after=seconds_in(response.headers.get("retry-after", "")), again=again)


def wait_told(headers: Mapping[str, str]) -> float:
    """Seconds until the next call is taken, where the rate-limit headers say that no more is taken now."""
    for kind in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0":
            return seconds_in(headers.get(f"x-ratelimit-reset-{kind}", "")) or 0.0
    return 0.0


def seconds_in(text: str) -> float | None:
    """Seconds in a header: a number, `1m30s`, `200ms`, or a date; None where it says nothing.

    >>> seconds_in("2"), seconds_in("1m30s"), seconds_in("250ms"), seconds_in("soon")
    (2.0, 90.0, 0.25, None)
    """
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,9})?", text):
        return float(text)
    parts = re.findall(r"([0-9]{1,7}(?:\.[0-9]{1,9})?)(ms|s|m|h)", text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}[unit] for number, unit in parts)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
