"""Exit codes, and how every verb comes to one. Whatever goes wrong is one line on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from worldgauge.core.errors import WorldGaugeError
from worldgauge.report.plain import plain
from worldgauge.report.streams import silence, write

FINISHED, FAULTS, USAGE, OURS, INTERRUPTED = 0, 1, 2, 3, 130

EXPLAINED = """\b
Exit codes:
  0    finished; rows that are skipped, unscored, missing or invalid are counted
  1    finished with error records, without a single value, without a value of a
       metric that was named, or with anything but ok and skipped under --strict;
       a check that does not hold (validate, parity, calibrate, verify)
  2    wrong usage or input, also: not one video matched, a metric was named that
       no case can have a value of, a file of weights is damaged
  3    our own failure; --debug or WORLDGAUGE_DEBUG=1 prints the traceback
  130  interrupted; the same command goes on from there
"""

DEBUG = "WORLDGAUGE_DEBUG"
_USAGE_ERROR: Any = typer.BadParameter.__base__
"""What the parser raises on a wrong flag or verb; typer has no public name for it."""


def exit_code_of(command: Callable[[], Any]) -> int:
    """Run a command and say what came of it."""
    code = _told(command)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as error:
        silence(sys.stdout)
        return code or _tell(f"cannot write to standard output ({error.strerror})", USAGE)
    return code


def _told(command: Callable[[], Any]) -> int:
    try:
        code = command()
    except WorldGaugeError as error:
        return _tell(str(error), USAGE, error)
    except _USAGE_ERROR as error:
        return _wrong_usage(error)
    except (KeyboardInterrupt, typer.Abort):
        return _tell("stopped", INTERRUPTED)
    except OSError as error:
        # A disk or a permission, not a mistake in a program.
        where = f"{error.filename}: " if error.filename else ""
        return _tell(f"{where}{error.strerror or error}", USAGE, error)
    except Exception as error:  # noqa: BLE001  the last place where one line can be made of it
        return _our_failure(error)
    return code if isinstance(code, int) else FINISHED


def tell(line: str) -> None:
    """A line on standard error."""
    write(f"{plain(line)}\n", err=True)


def _tell(message: str, code: int, error: BaseException | None = None) -> int:
    if error is not None and os.environ.get(DEBUG):
        write(_trace(error), err=True)
    try:
        # Definitions that differ are printed side by side, over several lines.
        write(f"worldgauge: {plain(message, keep=chr(10))}\n", err=True)
    except WorldGaugeError:
        # Nobody can be told; the code remains.
        return code
    return code


def _wrong_usage(error: Any) -> int:
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":
        write(error.format_message() + "\n", err=True)
        return USAGE
    message = error.format_message().strip().rstrip(".")
    hint = f"; '{context.command_path} --help' lists what there is" if context is not None else ""
    return _tell(plain(message) + hint, USAGE)


def _our_failure(error: Exception) -> int:
    import tempfile

    trace = _trace(error)
    what = plain(f"{type(error).__name__}: {error}"[:500])
    if os.environ.get(DEBUG):
        write(trace, err=True)
        return _tell(f"our own failure, not yours: {what}", OURS)
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="worldgauge-", suffix=".traceback", delete=False
        ) as file:
            file.write(trace)
        where = f"the traceback is in {file.name}, --debug prints it"
    except OSError:
        where = "--debug prints the traceback"
    return _tell(f"our own failure, not yours: {what}; {where}", OURS)


def _trace(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error))
