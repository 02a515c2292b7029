"""Files as transformers saves them: parameters, and beside them a `config.json` that says what network they are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worldgauge.core.errors import WorldGaugeError

CONFIG = "config.json"


def config_beside(path: Path) -> dict[str, Any] | None:
    """What stands in the `config.json` beside a file of weights; `None` where there is none."""
    file = path.with_name(CONFIG)
    if not file.is_file():
        return None
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise WorldGaugeError(f"{file} cannot be read: {error}", "delete it and fetch the weights again") from error
    if not isinstance(found, dict):
        raise WorldGaugeError(f"{file} holds no configuration", "delete it and fetch the weights again")
    return found
