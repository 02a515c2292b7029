"""Keys come from the environment and go nowhere but into a request's header."""

from __future__ import annotations

import os

from worldgauge.core.errors import Unavailable

HIDDEN = "***"


class Secret:
    """A key that does not show itself: not when printed, not when pickled, not in a traceback."""

    def __init__(self, variable: str) -> None:
        """`variable`: name of the environment variable that holds it."""
        self.variable = variable

    def value(self) -> str:
        """The key; raises where the environment has none."""
        found = self.value_or_nothing()
        if not found:
            raise Unavailable(f"the environment variable {self.variable} is not set", "put the judge's key there")
        return found

    def value_or_nothing(self) -> str:
        return os.environ.get(self.variable, "").strip() if self.variable else ""

    def hidden_in(self, text: str) -> str:
        """The text without the key, wherever a server may have echoed it."""
        found = self.value_or_nothing()
        return text.replace(found, HIDDEN) if len(found) >= 4 else text
