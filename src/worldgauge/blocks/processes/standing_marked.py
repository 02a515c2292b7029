"""The mannequin that stands still, in paint that nowhere comes around again: a gauge of how far it is from its place.

A picture of a repeating pattern, moved by a whole period, looks like itself, so likeness would rise with the distance.
"""

from __future__ import annotations

from worldgauge.blocks.processes.base import Act, Kit
from worldgauge.blocks.processes.standing import mannequin


def build(kit: Kit) -> Act:
    """Tiles are wider than the girth of what they cover."""
    return mannequin(kit, "blotches", (2.4, 2.2, 1.2))
