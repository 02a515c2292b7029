"""The released request about a clip's questions, made by the authors' own function."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from worldgauge.core.authors_code import AuthorsCode, AuthorsMessage, Shown, record

ASK = "evaluation/vqa/llm-vqa.py:evaluate_video"


def answers(code: AuthorsCode, values: Mapping[str, Any]) -> AuthorsMessage:
    """The whole clip as a video, then one text with the bank; `values` holds the `questions` in the released keys.

    The released code hands over the text of the bank as it is stored, which `json.dumps` writes again to the byte.
    """
    client = SimpleNamespace(models=SimpleNamespace(generate_content=record))
    names = code.namespace(ASK, client=client, upload_and_wait=lambda *_: Shown(), MODEL_ID="")
    sent = code.first_call(ASK, lambda: names["evaluate_video"]("", json.dumps(values["questions"])))
    return AuthorsMessage(tuple(sent.named["contents"]), translate=_items)


def _items(content: Any) -> Any:
    """The items that this text requests, in the keys of our form. An answer under another key is no answer."""
    if not isinstance(content, list):
        return content
    items = [one for one in content if isinstance(one, Mapping)]
    return {
        "answers": [
            {"id": str(one.get("ID")), "answer": one.get("Answer"), "reason": str(one.get("Reasoning", ""))}
            for one in items
        ]
    }
