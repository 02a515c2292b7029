"""Static things to stand around: each function adds one instance at (x, y) with a yaw in degrees.

Sizes are metres times `unit`. Props are decoration: physics does not see them, so families keep them off the stage.
"""

from worldgauge.blocks.props.common import Prop
from worldgauge.blocks.props.indoor import (
    alarm_clock,
    book_row,
    bookcase,
    chair,
    column,
    lamp_floor,
    plant,
    sofa,
    statue,
    table,
    vase,
)
from worldgauge.blocks.props.outdoor import (
    barrel,
    bench,
    bin_,
    bollard,
    bush,
    car,
    crate,
    fir,
    lamp,
    lounger,
    parasol,
    tree,
)

__all__ = [
    "Prop",
    "alarm_clock",
    "barrel",
    "bench",
    "bin_",
    "bollard",
    "book_row",
    "bookcase",
    "bush",
    "car",
    "chair",
    "column",
    "crate",
    "fir",
    "lamp",
    "lamp_floor",
    "lounger",
    "parasol",
    "plant",
    "sofa",
    "statue",
    "table",
    "tree",
    "vase",
]
