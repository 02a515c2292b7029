"""Action labels of chunks: keys that are held, or nothing; and the verbs they mean."""

from __future__ import annotations

from typing import Literal

from worldgauge.core.errors import WorldGaugeError

Sideways = Literal["move", "turn"]
"""What A and D mean: a step aside, as keys do, or a turn of the camera."""
NONE = "None"
KEYS = ("W", "A", "S", "D")
OPPOSITE = {"W": "S", "S": "W", "A": "D", "D": "A"}
ACTIONS = (NONE, *KEYS, *(f"{a}+{b}" for k, a in enumerate(KEYS) for b in KEYS[k + 1 :] if OPPOSITE[a] != b))
"""Every label: none, one key, or two that are held together."""
IDLE = "idle"
_MOVES = {
    NONE: IDLE,
    "W": "forward",
    "S": "backward",
    "A": "left",
    "D": "right",
    "W+A": "forward_left",
    "W+D": "forward_right",
    "A+S": "backward_left",
    "S+D": "backward_right",
}
_TURNS = {"A": "camera_l", "D": "camera_r"}
_WORDS = {"turn left": "camera_l", "turn right": "camera_r"}
"""Actions that the released example has in words: turns, whatever A and D are taken for. No label is among them."""


def read_action(text: str) -> str | None:
    """A label in its one spelling, whatever the order and case of its keys; None for what is none.

    >>> read_action("a + w"), read_action(""), read_action("none"), read_action("W+S"), read_action("turn left")
    ('W+A', 'None', 'None', None, None)
    """
    bare = text.strip()
    if not bare or bare.lower() == NONE.lower():
        return NONE
    held = {part.strip().upper() for part in bare.split("+")}
    found = "+".join(key for key in KEYS if key in held)
    return found if held <= set(KEYS) and found in ACTIONS else None


def verbs_of(action: str, sideways: Sideways = "move") -> tuple[str, ...]:
    """Verbs that are held together for an action: one, or two where the camera turns while it moves.

    >>> verbs_of("W+A"), verbs_of("W+A", "turn"), verbs_of("D", "turn"), verbs_of("")
    (('forward_left',), ('forward', 'camera_l'), ('camera_r',), ('idle',))
    >>> verbs_of("Turn left")
    ('camera_l',)
    """
    if (word := " ".join(action.lower().split())) in _WORDS:
        return (_WORDS[word],)
    label = read_action(action)
    if label is None:
        raise WorldGaugeError(f"'{action}' is no action", f"one of {', '.join(ACTIONS)}")
    if sideways == "move" or label == NONE:
        return (_MOVES[label],)
    return tuple(_TURNS.get(key) or _MOVES[key] for key in label.split("+"))
