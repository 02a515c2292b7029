"""Errors with one line for the user, and outcomes that become a record's status instead of a crash."""

from __future__ import annotations

from typing import Any

from worldgauge.core.reasons import is_code


def one_line(text: str) -> str:
    """The text with everything that is not printable spelled out.

    >>> print(one_line("a name\\nwith a break"))
    a name\\nwith a break
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class WorldGaugeError(Exception):
    """A known problem: the command line prints the message as one line and exits with 2."""

    def __init__(self, message: str, hint: str = "") -> None:
        """`message` says what is wrong, `hint` what to do about it."""
        # Names out of files may hold line breaks and escape sequences of a terminal. A hint may be a table of ours.
        self.message = one_line(message)
        self.hint = "\n".join(map(one_line, hint.split("\n")))
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[type[WorldGaugeError], tuple[str, ...]]:
        # Exceptions cross process borders; the default pickling would lose the hint.
        return type(self), (self.message, self.hint)


class StopsRun(WorldGaugeError):
    """No fault of the case at hand: the run stops."""


class NoRoom(StopsRun):
    """A network ran out of the GPU's memory."""

    def __init__(self, instrument: str, batch: int) -> None:
        super().__init__(f"{instrument} has no room on the GPU for {batch} rows at a time", "use a smaller batch")
        self.instrument, self.batch = instrument, batch

    def __reduce__(self) -> Any:
        return NoRoom, (self.instrument, self.batch)


class CannotWrite(StopsRun):
    """The store or the run folder cannot be written: the run stops, and what is on disk stays."""


class Outcome(WorldGaugeError):
    """Raised inside a signal or a metric to say why there is no number. Each subclass is one status."""


class _WithCode(Outcome):
    """An outcome whose reason has a word for rules, such as `too-few-frames` (see `worldgauge.core.reasons`)."""

    def __init__(self, message: str, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint)
        if code and not is_code(code):
            raise ValueError(f"reason code {code!r} must be small letters and digits, joined by hyphens")
        self.code = code

    def __reduce__(self) -> tuple[type[_WithCode], tuple[str, ...]]:
        return type(self), (self.message, self.hint, self.code)


class InvalidVideo(_WithCode):
    """The model's video cannot be judged: undecodable, truncated, too short. Status `invalid`."""


class Unscored(_WithCode):
    """The instrument looked and could not decide: tracker lost, no parallax. Status `unscored`; remembered."""


class Unavailable(Outcome):
    """The instrument cannot run here: no weights, no library. Status `unscored`; never remembered."""


class NotApplicable(Outcome):
    """The case does not have what the metric is about. Status `skipped`."""
