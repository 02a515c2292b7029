"""What servers of files answer, read from the errors of many packages; and waiting for one that says nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http import HTTPStatus
from queue import Empty, Queue
from typing import TypeVar

T = TypeVar("T")

_NOBODY = {"NoCredentialsError", "PartialCredentialsError", "NoAuthHandlerFound", "DefaultCredentialsError"}
"""Of the protocols' own packages: they were not told who asks."""
_REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def status_of(error: BaseException) -> int | None:
    """The status that a server answered with, as the packages of the protocols hand it on; None where none is told."""
    for each in (error, error.__cause__):
        response = getattr(each, "response", None)
        told = response.get("ResponseMetadata", {}).get("HTTPStatusCode") if isinstance(response, dict) else None
        for status in (told, getattr(each, "status", None), getattr(each, "code", None)):
            if isinstance(status, int):
                return status
    # Of Google's: an error of the system with nothing but words.
    return int(HTTPStatus.FORBIDDEN) if isinstance(error, OSError) and str(error).startswith("Forbidden:") else None


def is_refusal(error: BaseException) -> bool:
    """Whether a server does not let us, which asking again does not mend."""
    return isinstance(error, PermissionError) or type(error).__name__ in _NOBODY or status_of(error) in _REFUSALS


def is_torn(error: BaseException) -> bool:
    """Whether what came is not what the server says that it keeps."""
    return type(error).__name__ == "FlexibleChecksumError"


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call returns or raises; `TimeoutError` where it does neither in time, and is left to itself."""
    ended: Queue[tuple[T | None, Exception | None]] = Queue()

    def work() -> None:
        try:
            ended.put((call(), None))
        except Exception as error:  # noqa: BLE001  handed on
            ended.put((None, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        answer, error = ended.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"nothing came for {seconds:.0f} s") from None
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]
