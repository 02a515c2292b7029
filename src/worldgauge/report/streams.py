"""Standard output and standard error: what they cannot encode is spelt out, a reader who has left is not missed."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import IO

from worldgauge.core.errors import CannotWrite

_SUBSTITUTES = {
    "─": "-", "━": "-", "│": "|", "↑": "^", "↓": "v", "→": ">", "←": "<", "±": "+-", "×": "x", "·": ".", "…": "...",
    "†": "+", "‡": "#",
}  # fmt: skip
"""Our own symbols where the locale has none of them."""
_HANDLER = "worldgauge"


def prepare_streams() -> None:
    """Make the three standard streams usable. A closed one leads nowhere, so that work goes on and the first file that
    is opened does not take its number, which a library may write to.

    Every text passes whatever the locale is: our symbols get stand-ins, other characters their codes.
    """
    _open_closed_streams()
    codecs.register_error(_HANDLER, _substitute)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def _open_closed_streams() -> None:
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free, which is this one: those below it are open by now.
            os.open(os.devnull, os.O_RDWR)
        # The interpreter sets a stream to None whose number was closed when it began.
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def write(text: str, err: bool = False) -> None:
    """Write to a standard stream at once. Work goes on when the reader has left; a full disk is an error."""
    stream = sys.stderr if err else sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)
        name = "standard error" if err else "standard output"
        raise CannotWrite(f"cannot write to {name} ({error.strerror})", "free space or write elsewhere") from error


def silence(stream: IO[str]) -> None:
    """Send the rest to nowhere; else the interpreter would try again at its end, and complain."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # No file behind it: nothing is left to be written at the end either.
        return


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    spelt = (_SUBSTITUTES.get(c) or c.encode("ascii", "backslashreplace").decode("ascii") for c in lost)
    return "".join(spelt), error.end
