"""Thick slime creeps down an upright board in a few tongues."""

from __future__ import annotations

from collections.abc import Callable

from worldgauge.blocks import palette, shapes
from worldgauge.blocks.processes.base import Act, Affine, Floats, Kit, Mover, Words, scale_about, shift
from worldgauge.blocks.scene import Look

_Share = Callable[[float], float]
START = 0.02
"""Age of the flow in the first frame, in durations: it has begun before."""


def build(kit: Kit) -> Act:
    name, colour = kit.colour()
    u, b = kit.unit, kit.b
    target = b.instance(f"board with {name} slime", "target")
    top, wide, face = 1.5 * u, 1.3 * u, -0.05 * u
    b.add(target, shapes.box(wide, 0.1 * u, top), Look("wood", palette.PINE, 0.8 * u), (0, 0, top / 2))
    for x in (-0.4, 0.4):
        b.add(target, shapes.box(0.1 * u, 0.5 * u, 0.08 * u), Look("plain", palette.DARK), (x * u, 0, 0.04 * u))
    slime = Look("blotches", colour, 0.5 * u, 0.9)
    ledge = 1.33 * u
    b.add(target, shapes.box(1.14 * u, 0.1 * u, 0.18 * u), slime, (0, face - 0.02 * u, ledge))

    def progress(t: float) -> float:
        # A given volume creeps down a wall as the cube root of time; 1 at the end of the clip.
        first = START ** (1 / 3)
        reached: float = (START + t / kit.duration) ** (1 / 3)
        return float((reached - first) / ((START + 1) ** (1 / 3) - first))

    movers: list[Mover] = []
    shares = 0.55 + 0.45 * kit.rng.permutation(5) / 4
    for k, share in enumerate(shares):
        x, bead = (k - 2) * 0.24 * u, 0.085 * u
        start, reach = 0.1 * u, float(share) * 1.05 * u
        tongue = b.add(target, shapes.cylinder(0.065 * u, start, 14), slime, (x, face, ledge - start / 2))
        drop = b.add(target, shapes.sphere(bead, 16, 1.25), slime, (x, face, ledge - start))
        movers.append(Mover((tongue,), _stretched((x, face, ledge), start, reach, progress)))
        movers.append(Mover((drop,), _lowered(reach, progress)))
    words = Words(
        f"slime begins to creep down the {target.name}",
        f"the tongues of slime on the {target.name} creep further down",
        f"the tongues of slime on the {target.name} reach much further down than at the beginning",
        f"the tongues of slime on the {target.name} are as short as at the beginning",
        "the slime only moves downwards, slower and slower",
        "the slime moves up the board",
    )
    return Act(target, (0, 0, 0.8 * u), words, ("gravity",), progress=progress, change="flowed",
               movers=tuple(movers))  # fmt: skip


def _stretched(about: tuple[float, float, float], start: float, reach: float, progress: _Share) -> Affine:
    """A tongue that grows from `start` by `reach` metres and thins to half."""

    def at(t: float) -> Floats:
        p = progress(t)
        thin = 1 - 0.5 * p
        return scale_about(about, thin, thin, 1 + reach * p / start)

    return at


def _lowered(reach: float, progress: _Share) -> Affine:
    return lambda t: shift(z=-reach * progress(t))
