"""Canonical JSON and digests: the same content gives the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and no NaN.

    >>> canonical_json({"b": 1, "a": [1.5, None]})
    '{"a":[1.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def digest_of(value: Any) -> str:
    """sha256 of the canonical JSON, as hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def short(digest: str) -> str:
    """The first 16 hexadecimal digits: enough to tell definitions apart in a table or a record."""
    return digest[:16]
