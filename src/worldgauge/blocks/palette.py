"""Named colours. Targets are saturated and props are muted, so that a name points at one thing."""

from __future__ import annotations

from worldgauge.blocks.textures import RGB

VIVID: dict[str, RGB] = {
    "red": (0.85, 0.10, 0.09),
    "yellow": (0.95, 0.80, 0.08),
    "blue": (0.10, 0.28, 0.85),
    "green": (0.08, 0.62, 0.22),
    "orange": (0.95, 0.45, 0.06),
    "purple": (0.52, 0.16, 0.68),
    "pink": (0.95, 0.38, 0.60),
}
MUTED: dict[str, RGB] = {
    "grey": (0.52, 0.53, 0.54),
    "beige": (0.74, 0.68, 0.56),
    "brown": (0.45, 0.32, 0.21),
    "slate": (0.33, 0.38, 0.43),
    "cream": (0.86, 0.83, 0.74),
    "olive": (0.42, 0.43, 0.28),
    "teal": (0.28, 0.43, 0.43),
    "rust": (0.55, 0.33, 0.24),
}
WOOD: RGB = (0.58, 0.42, 0.26)
PINE: RGB = (0.76, 0.60, 0.38)
LEAF: RGB = (0.22, 0.42, 0.17)
STEEL: RGB = (0.58, 0.60, 0.63)
DARK: RGB = (0.13, 0.13, 0.14)
BRICK: RGB = (0.62, 0.30, 0.22)
