"""The requests of a released code and ours in its words, side by side."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldgauge.core.authors_code import AuthorsMessage, Shown

RUNNER = Path(__file__).with_name("run_released.py")
Call = tuple[str, str, list[Any], dict[str, Any]]
"""File, function, arguments and named arguments."""


def requests_of(checkout: Path, calls: Sequence[Call]) -> list[list[Any]]:
    """What each call of the released code would have sent, from its own modules."""
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(checkout)],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[Any]] = json.loads(done.stdout)
    return found


def as_sent(message: AuthorsMessage) -> Any:
    """Our request in the same form."""
    parts = ["<shown>" if isinstance(one, Shown) else one for one in message.parts]
    return {"messages": [["system", [message.system]], ["user", parts]]}


def digest(request: Any) -> str:
    return hashlib.sha256(json.dumps(request, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
