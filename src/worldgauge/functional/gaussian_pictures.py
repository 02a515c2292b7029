"""Pictures of Gaussians in plain PyTorch, by the rules of gsplat 1.5: nearest first, each behind what is before it.

Every Gaussian is spread over the pixels it reaches; of all these pairs, sorted by pixel, light is summed up along each
pixel at once. Rows of the picture are drawn in bands, so that memory is bounded. torch is imported here; who has no
tensors does not come here.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

NEAR = 0.01
"""Units of the scene; what is nearer is not drawn."""
BLUR = 0.3
"""Px^2 added to the spread of each Gaussian in the picture, so that none falls between pixels."""
REACH = 3.33
"""Standard deviations up to which one is drawn."""
LEAST_ALPHA, MOST_ALPHA = 1 / 255, 0.999
LEAST_LEFT = 1e-4
"""Share of the light that must be left behind a Gaussian for it to count."""
BEYOND = 0.3
"""Share of the view's half width beyond its border up to which slants are told apart."""
MOST_PAIRS = 2**24


@dataclass(frozen=True, eq=False)
class Cloud:
    """Gaussians as tensors on one device; the fields are those of `functional.gaussians.Gaussians`."""

    means: Tensor
    quaternions: Tensor
    scales: Tensor
    opacities: Tensor
    harmonics: Tensor


@dataclass(frozen=True, eq=False)
class _Flat:
    """Gaussians as one camera sees them, nearest first."""

    centre: Tensor
    """(V, 2) px."""
    conic: Tensor
    """(V, 3) inverse of the spread: xx, xy, yy."""
    reach: Tensor
    """(V, 2) px."""
    opacity: Tensor
    colour: Tensor


def draw(cloud: Cloud, world_to_camera: Tensor, lens: Tensor, size: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """Colours (H, W, 3) on black and how much of each pixel is covered (H, W), from a camera (4, 4) with a lens (3, 3)
    in px of `size`, width and height."""
    flat = _flattened(cloud, world_to_camera, lens, size)
    colours = torch.zeros(size[1], size[0], 3, dtype=torch.float32, device=cloud.means.device)
    covered = torch.zeros(size[1], size[0], dtype=torch.float32, device=cloud.means.device)
    bands = [(0, size[1])]
    while bands:
        first, last = bands.pop()
        pairs = _pairs_in(flat, size[0], first, last)
        if int(pairs.sum()) > MOST_PAIRS and last - first > 1:
            middle = (first + last) // 2
            bands += [(first, middle), (middle, last)]
        else:
            colours[first:last], covered[first:last] = _band(flat, pairs, size[0], first, last)
    return colours, covered


def _flattened(cloud: Cloud, pose: Tensor, lens: Tensor, size: tuple[int, int]) -> _Flat:
    seen = cloud.means @ pose[:3, :3].T + pose[:3, 3]
    kept = torch.nonzero((seen[:, 2] > NEAR) & (cloud.opacities >= LEAST_ALPHA)).squeeze(1)
    kept = kept[torch.argsort(seen[kept, 2], stable=True)]
    x, y, z = seen[kept].unbind(1)
    turn = pose[:3, :3] @ _rotations(cloud.quaternions[kept])
    axes = turn * cloud.scales[kept, None, :]
    focal = lens[0, 0], lens[1, 1]
    slant = []
    for place, f, c, side in ((x, focal[0], lens[0, 2], size[0]), (y, focal[1], lens[1, 2], size[1])):
        more = BEYOND * 0.5 * side / f
        slant.append(torch.clamp(place / z, -c / f - more, (side - c) / f + more))
    rows = [
        (f / z)[:, None] * (axes[:, k] - slant[k][:, None] * axes[:, 2])
        for k, f in enumerate(focal)
    ]  # fmt: skip
    xx, yy = (row.square().sum(1) + BLUR for row in rows)
    xy = (rows[0] * rows[1]).sum(1)
    determinant = xx * yy - xy.square()
    centre = torch.stack([focal[0] * x / z + lens[0, 2], focal[1] * y / z + lens[1, 2]], dim=1)
    opacity = cloud.opacities[kept]
    far = torch.clamp(torch.sqrt(2 * torch.log(opacity / LEAST_ALPHA).clamp_min(0)), max=REACH)
    reach = torch.ceil(far[:, None] * torch.sqrt(torch.stack([xx, yy], dim=1).clamp_min(0)))
    wide = torch.tensor(size, dtype=centre.dtype, device=centre.device)
    visible = (determinant > 0) & (reach > 0).all(1) & (centre + reach > 0).all(1) & (centre - reach < wide).all(1)
    toward = torch.nn.functional.normalize(cloud.means[kept] + pose[:3, :3].T @ pose[:3, 3], dim=1)
    colour = _colours(cloud.harmonics[kept], toward)
    conic = torch.stack([yy, -xy, xx], dim=1) / determinant[:, None]
    return _Flat(centre[visible], conic[visible], reach[visible], opacity[visible], colour[visible])


def _rows_and_columns(flat: _Flat, width: int, first: int, last: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    left = (flat.centre[:, 0] - flat.reach[:, 0]).floor().clamp(0, width).long()
    right = (flat.centre[:, 0] + flat.reach[:, 0]).ceil().clamp(0, width).long()
    top = (flat.centre[:, 1] - flat.reach[:, 1]).floor().clamp(first, last).long()
    bottom = (flat.centre[:, 1] + flat.reach[:, 1]).ceil().clamp(first, last).long()
    return left, right, top, bottom


def _pairs_in(flat: _Flat, width: int, first: int, last: int) -> Tensor:
    """(V,) pixels of a band that each Gaussian reaches."""
    left, right, top, bottom = _rows_and_columns(flat, width, first, last)
    return (right - left).clamp_min(0) * (bottom - top).clamp_min(0)


def _band(flat: _Flat, pairs: Tensor, width: int, first: int, last: int) -> tuple[Tensor, Tensor]:
    """Colours and cover of the rows of a band."""
    left, right, top, _ = _rows_and_columns(flat, width, first, last)
    device, pixels = flat.centre.device, (last - first) * width
    own = torch.repeat_interleave(torch.arange(len(pairs), device=device), pairs)
    number = torch.arange(len(own), device=device) - (pairs.cumsum(0) - pairs)[own]
    across = (right - left)[own].clamp_min(1)
    column, row = left[own] + number % across, top[own] + number // across
    dx, dy = flat.centre[own, 0] - (column + 0.5), flat.centre[own, 1] - (row + 0.5)
    a, b, c = flat.conic[own].unbind(1)
    power = 0.5 * (a * dx.square() + c * dy.square()) + b * dx * dy
    alpha = torch.clamp(flat.opacity[own] * torch.exp(-power), max=MOST_ALPHA)
    counted = (power >= 0) & (alpha >= LEAST_ALPHA)
    pixel, own, alpha = ((row - first) * width + column)[counted], own[counted], alpha[counted]
    # Nearest first already: a stable sort by pixel keeps that order within each.
    pixel, order = torch.sort(pixel, stable=True)
    own, alpha = own[order], alpha[order]
    ends = torch.bincount(pixel, minlength=pixels).cumsum(0)
    starts = ends - torch.bincount(pixel, minlength=pixels)
    left_over = torch.log1p(-alpha.double()).cumsum(0)
    before = torch.cat([left_over.new_zeros(1), left_over])
    at_start = before[starts[pixel]]
    behind = torch.exp(left_over - at_start)
    weight = torch.exp(before[:-1] - at_start) * alpha * (behind > LEAST_LEFT)
    # Sums over pixels are differences of one running sum. One channel at a time: a GPU scans a single row at once.
    channels = [weight * flat.colour[own, k] for k in range(3)] + [weight]
    running = [torch.cat([channel.new_zeros(1), channel.cumsum(0)]) for channel in channels]
    summed = torch.stack([total[ends] - total[starts] for total in running], dim=1).float()
    summed = summed.reshape(last - first, width, 4)
    return summed[..., :3], summed[..., 3]


def _rotations(quaternions: Tensor) -> Tensor:
    """(V, 3, 3) of w, x, y, z."""
    w, x, y, z = torch.nn.functional.normalize(quaternions, dim=1).unbind(1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, dim=1).reshape(-1, 3, 3)


def _colours(harmonics: Tensor, toward: Tensor) -> Tensor:
    """(V, 3) of coefficients (V, K, 3) in directions (V, 3): real spherical harmonics up to the third degree."""
    x, y, z = toward.unbind(1)
    one = torch.ones_like(x)
    basis = [0.28209479177387814 * one]
    if harmonics.shape[1] > 1:
        basis += [-0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x]
    if harmonics.shape[1] > 4:
        basis += [
            1.0925484305920792 * x * y,
            -1.0925484305920792 * y * z,
            0.31539156525252005 * (3 * z * z - 1),
            -1.0925484305920792 * x * z,
            0.5462742152960396 * (x * x - y * y),
        ]
    if harmonics.shape[1] > 9:
        basis += [
            -0.5900435899266435 * y * (3 * x * x - y * y),
            2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (5 * z * z - 1),
            0.3731763325901154 * z * (5 * z * z - 3),
            -0.4570457994644658 * x * (5 * z * z - 1),
            1.445305721320277 * z * (x * x - y * y),
            -0.5900435899266435 * x * (x * x - 3 * y * y),
        ]
    return ((torch.stack(basis, dim=1)[..., None] * harmonics).sum(1) + 0.5).clamp_min(0)
