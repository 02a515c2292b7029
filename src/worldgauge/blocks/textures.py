"""Procedural surface textures: small square RGB images that tile without a seam.

Every function takes a random generator and returns (N, N, 3) floats in [0, 1]; `paint` turns a name into bytes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

Floats = NDArray[np.float64]
RGB = tuple[float, float, float]
SIDE = 128
"""Pixels along one side of a texture."""
_BLUR = 0.9
"""Standard deviation in texture pixels."""


def smooth_noise(rng: np.random.Generator, roughness: float = 1.0, side: int = SIDE) -> Floats:
    """Periodic smooth noise in [0, 1] with a 1/f^roughness spectrum, (side, side)."""
    spectrum = np.fft.fft2(rng.standard_normal((side, side)))
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side)))
    frequency[0, 0] = 1.0
    values = np.real(np.fft.ifft2(spectrum / frequency**roughness))
    low, high = np.percentile(values, (1, 99))
    return np.asarray(np.clip((values - low) / (high - low), 0, 1))


def _grid() -> tuple[Floats, Floats]:
    axis = (np.arange(SIDE) + 0.5) / SIDE
    y, x = np.meshgrid(axis, axis, indexing="ij")
    return y, x


def _blend(a: RGB, b: RGB, weight: Floats) -> Floats:
    return np.asarray(a) * (1 - weight[..., None]) + np.asarray(b) * weight[..., None]


def _shade(colour: RGB, factor: float) -> RGB:
    return (colour[0] * factor, colour[1] * factor, colour[2] * factor)


def brick(rng: np.random.Generator, colour: RGB) -> Floats:
    rows, columns = 8, 4
    y, x = _grid()
    row = np.floor(y * rows)
    shifted = x * columns + 0.5 * (row % 2)
    column = np.floor(shifted) % columns
    mortar = ((y * rows) % 1 < 0.12) | (shifted % 1 < 0.06)
    tone = rng.uniform(0.75, 1.1, (rows, columns))[row.astype(int), column.astype(int)]
    face = np.asarray(colour) * (tone * (0.85 + 0.3 * smooth_noise(rng, 0.6)))[..., None]
    return np.where(mortar[..., None], np.asarray((0.72, 0.70, 0.66)), face)


def wood(rng: np.random.Generator, colour: RGB) -> Floats:
    y, x = _grid()
    planks = 4
    plank = np.floor(y * planks).astype(int)
    offset = rng.uniform(0, 1, planks)[plank]
    tone = rng.uniform(0.8, 1.1, planks)[plank]
    warp = smooth_noise(rng, 1.6)
    grain = 0.5 + 0.5 * np.sin(2 * np.pi * (y * 24 + 3 * warp + 2 * np.sin(2 * np.pi * (x + offset))))
    seam = (y * planks) % 1 < 0.05
    face = _blend(_shade(colour, 0.72), colour, 0.6 * grain + 0.4 * smooth_noise(rng, 0.8)) * tone[..., None]
    return np.where(seam[..., None], np.asarray(_shade(colour, 0.35)), face)


def checker(rng: np.random.Generator, colour: RGB) -> Floats:
    y, x = _grid()
    dark = (np.floor(y * 4) + np.floor(x * 4)) % 2 == 0
    base = np.where(dark[..., None], np.asarray(_shade(colour, 0.45)), np.asarray(colour))
    return base * (0.9 + 0.2 * smooth_noise(rng, 1.0))[..., None]


def tiles(rng: np.random.Generator, colour: RGB) -> Floats:
    y, x = _grid()
    grout = ((y * 4) % 1 < 0.06) | ((x * 4) % 1 < 0.06)
    tone = rng.uniform(0.85, 1.08, (4, 4))[np.floor(y * 4).astype(int), np.floor(x * 4).astype(int)]
    face = np.asarray(colour) * (tone * (0.95 + 0.1 * smooth_noise(rng, 1.0)))[..., None]
    return np.where(grout[..., None], np.asarray(_shade(colour, 0.55)), face)


def speckle(rng: np.random.Generator, colour: RGB) -> Floats:
    """Asphalt, gravel, concrete: fine grain over slow patches."""
    fine, slow = smooth_noise(rng, 0.35), smooth_noise(rng, 1.8)
    return np.asarray(colour) * (0.6 + 0.45 * fine + 0.25 * slow)[..., None]


def grass(rng: np.random.Generator, colour: RGB) -> Floats:
    fine, slow = smooth_noise(rng, 0.7), smooth_noise(rng, 2.0)
    return _blend(_shade(colour, 0.5), (colour[0] * 1.3, colour[1] * 1.15, colour[2] * 0.9), 0.55 * fine + 0.45 * slow)


def stripes(rng: np.random.Generator, colour: RGB) -> Floats:
    """Six pairs of bands along y, the second of each pair pale."""
    y, _ = _grid()
    pale = np.floor(y * 12) % 2 == 1
    base = np.where(pale[..., None], np.asarray((0.93, 0.92, 0.88)), np.asarray(colour))
    return base * (0.93 + 0.1 * smooth_noise(rng, 1.2))[..., None]


def blotches(rng: np.random.Generator, colour: RGB) -> Floats:
    return _blend(_shade(colour, 0.55), colour, smooth_noise(rng, 1.4))


def windows(rng: np.random.Generator, colour: RGB) -> Floats:
    """A facade: four by four windows with frames, some lit."""
    y, x = _grid()
    cell_y, cell_x = (y * 4) % 1, (x * 4) % 1
    frame = (np.abs(cell_y - 0.5) < 0.33) & (np.abs(cell_x - 0.5) < 0.25)
    glass = (np.abs(cell_y - 0.5) < 0.28) & (np.abs(cell_x - 0.5) < 0.20) & (np.abs(cell_x - 0.5) > 0.015)
    lit = (rng.random((4, 4)) < 0.3)[np.floor(y * 4).astype(int), np.floor(x * 4).astype(int)]
    pane = np.where(lit[..., None], np.asarray((0.85, 0.75, 0.5)), np.asarray((0.22, 0.28, 0.35)))
    pane = pane * (0.8 + 0.4 * cell_y)[..., None]
    wall = brick(rng, colour)
    out = np.where(frame[..., None], np.asarray((0.85, 0.84, 0.8)), wall)
    return np.where(glass[..., None], pane, out)


def books(rng: np.random.Generator, colour: RGB) -> Floats:
    """Spines in a row, one shelf high."""
    y, x = _grid()
    edges = np.sort(rng.uniform(0, 1, 17))
    spine = np.searchsorted(edges, x)
    hues = rng.uniform(0.15, 0.75, (18, 3)) * 0.8 + 0.2 * np.asarray(colour)
    height = rng.uniform(0.7, 0.97, 18)[spine]
    face = hues[spine] * (0.85 + 0.3 * smooth_noise(rng, 0.8))[..., None]
    band = np.abs(y - 0.3) < 0.02
    face = np.where(band[..., None], face * 0.4 + 0.5, face)
    return np.where((y > height)[..., None], np.asarray((0.06, 0.05, 0.04)), face)


def plain(rng: np.random.Generator, colour: RGB) -> Floats:
    """A bland surface, as walls and lacquer are."""
    return np.asarray(colour) * (0.985 + 0.03 * smooth_noise(rng, 1.5))[..., None]


TEXTURES: dict[str, Callable[[np.random.Generator, RGB], Floats]] = {
    f.__name__: f for f in (brick, wood, checker, tiles, speckle, grass, stripes, blotches, windows, books, plain)
}


def paint(name: str, rng: np.random.Generator, colour: RGB) -> NDArray[np.uint8]:
    """The named texture as bytes, (SIDE, SIDE, 3), first row at v = 0.

    A slight blur keeps hard edges from flickering between pixels when the camera moves.
    """
    image = gaussian_filter(TEXTURES[name](rng, colour), (_BLUR, _BLUR, 0), mode="wrap")
    return np.asarray(np.round(np.clip(image, 0, 1) * 255), np.uint8)


def sky(rng: np.random.Generator, zenith: RGB, horizon: RGB, cloud: float, side: int = 128) -> NDArray[np.uint8]:
    """Six faces of a cube map stacked (6*side, side, 3), y up: gradient with clouds drawn by direction, so no seams."""
    field = smooth_noise(rng, 1.7, 256)
    axis = (np.arange(side) + 0.5) / side * 2 - 1
    t, s = np.meshgrid(axis, axis, indexing="ij")
    one = np.ones_like(s)
    faces = ((one, -t, -s), (-one, -t, s), (s, one, t), (s, -one, -t), (s, -t, one), (-s, -t, -one))
    out = []
    for x, y, z in faces:
        length = np.sqrt(x * x + y * y + z * z)
        up = y / length
        lift = np.maximum(up, 0.08)
        row = ((x / length / lift * 0.12 + 0.5) * 256).astype(int) % 256
        column = ((z / length / lift * 0.12 + 0.5) * 256).astype(int) % 256
        cover = np.clip((field[row, column] - (1 - cloud)) * 2.5, 0, 1) * np.clip(up * 4, 0, 1) * 0.8
        base = _blend(horizon, zenith, np.clip(up, 0, 1) ** 0.6)
        out.append(base * (1 - cover[..., None]) + np.asarray((0.97, 0.97, 0.98)) * cover[..., None])
    return np.asarray(np.round(np.clip(np.concatenate(out), 0, 1) * 255), np.uint8)
