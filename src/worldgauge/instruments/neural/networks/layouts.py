"""Published checkpoints under a network's own names: a layout is a table of renames, nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from worldgauge.core.errors import WorldGaugeError

Change = Literal["same", "transpose", "join", "drop"]
PARTS = "qkv"
"""Order in which separate projections of an attention are joined; the first letter of the group `part` tells which."""


@dataclass(frozen=True)
class Rule:
    """One kind of entry: the names it covers, the name they get, and what is done to the values."""

    pattern: str
    """Regular expression of the whole published name."""
    target: str = ""
    """The new name; groups of the pattern as `\\1`."""
    change: Change = "same"


Layout = tuple[Rule, ...]

POSITION_IDS = Rule(r".*\bposition_ids", change="drop")
"""A counter 0, 1, 2, ... that older files hold as if it were a parameter."""


def renamed(state: Mapping[str, Tensor], layout: Layout) -> dict[str, Tensor]:
    """A checkpoint under the network's names; an entry no rule covers keeps its own, so strict loading reports it."""
    found: dict[str, Tensor] = {}
    joined: dict[str, dict[str, Tensor]] = {}
    for name, value in state.items():
        name = name.removeprefix("module.")
        for rule in layout:
            match = re.fullmatch(rule.pattern, name)
            if match is None:
                continue
            target = match.expand(rule.target)
            if rule.change == "join":
                joined.setdefault(target, {})[match["part"][0]] = value
            elif rule.change != "drop":
                found[target] = value.T if rule.change == "transpose" else value
            break
        else:
            found[name] = value
    for target, parts in joined.items():
        if sorted(parts) == sorted(PARTS):
            found[target] = torch.cat([parts[part] for part in PARTS])
    return found


def count_of(state: Mapping[str, Tensor], prefix: str) -> int:
    """How many numbered parts stand below a prefix: `layers.0`, `layers.1`, ... are two."""
    start = len(prefix) + 1
    return len({name[start:].split(".", 1)[0] for name in state if name.startswith(f"{prefix}.")})


def shape_of(state: Mapping[str, Tensor], entry: str, network: str) -> tuple[int, ...]:
    """The shape of an entry that tells the network's size."""
    if entry not in state:
        raise WorldGaugeError(
            f"the weights of {network} do not fit: no {entry}",
            "the file is of another network or another version of it; fetch it again",
        )
    return tuple(state[entry].shape)
