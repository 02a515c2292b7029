"""Rigid motions as matrices (..., 4, 4); a tangent (..., 6) is translation, then rotation."""

from __future__ import annotations

import torch
from torch import Tensor

SMALL = 1e-2
"""Square of an angle, below which series are used; their first omitted term is under 1e-15."""


def identity(count: int, like: Tensor) -> Tensor:
    """(count, 4, 4), in double precision on the device of `like`."""
    return torch.eye(4, dtype=torch.float64, device=like.device).repeat(count, 1, 1)


def cross(vectors: Tensor) -> Tensor:
    """The matrices (..., 3, 3) whose product with a vector is the cross product."""
    x, y, z = vectors.unbind(-1)
    zero = torch.zeros_like(x)
    return torch.stack((zero, -z, y, z, zero, -x, -y, x, zero), -1).unflatten(-1, (3, 3))


def inverse(motions: Tensor) -> Tensor:
    turned = motions[..., :3, :3].mT
    return assembled(turned, -(turned @ motions[..., :3, 3:])[..., 0])


def assembled(rotation: Tensor, translation: Tensor) -> Tensor:
    """Matrices of rotations (..., 3, 3) and translations (..., 3)."""
    upper = torch.cat((rotation, translation[..., None]), -1)
    last = upper.new_tensor((0.0, 0.0, 0.0, 1.0)).expand(*upper.shape[:-2], 1, 4)
    return torch.cat((upper, last), -2)


def adjoint(motions: Tensor) -> Tensor:
    """(..., 6, 6): what a tangent applied before a motion is when applied after it."""
    rotation = motions[..., :3, :3]
    lifted = cross(motions[..., :3, 3]) @ rotation
    upper = torch.cat((rotation, lifted), -1)
    return torch.cat((upper, torch.cat((torch.zeros_like(rotation), rotation), -1)), -2)


def exp(tangents: Tensor) -> Tensor:
    """The motions (..., 4, 4) of tangents."""
    shift, turn = tangents.split(3, -1)
    square = (turn**2).sum(-1)[..., None, None]
    angle = square.clamp(min=SMALL / 4).sqrt()
    small = square < SMALL
    first = torch.where(small, _series(square, (1, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880)), angle.sin() / angle)
    half = angle / 2
    second = torch.where(
        small, _series(square, (1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800)), 0.5 * (half.sin() / half) ** 2
    )
    third = torch.where(
        small,
        _series(square, (1 / 6, -1 / 120, 1 / 5040, -1 / 362880)),
        (1 - angle.sin() / angle) / square.clamp(min=SMALL / 4),
    )
    around = cross(turn)
    twice = around @ around
    one = torch.eye(3, dtype=tangents.dtype, device=tangents.device)
    moved = (one + second * around + third * twice) @ shift[..., None]
    return assembled(one + first * around + second * twice, moved[..., 0])


def log(motions: Tensor) -> Tensor:
    """The tangents (..., 6) of motions that turn by less than a full half turn."""
    turn = _rotation_vector(motions[..., :3, :3])
    square = (turn**2).sum(-1)[..., None, None]
    angle = square.clamp(min=SMALL / 4).sqrt()
    # (1 - a / 2b) / angle^2 with a = sin / angle, b = (1 - cos) / angle^2.
    ratio = (1 - 0.5 * angle * (angle / 2).cos() / (angle / 2).sin()) / angle**2
    factor = torch.where(square < SMALL, _series(square, (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600)), ratio)
    around = cross(turn)
    one = torch.eye(3, dtype=motions.dtype, device=motions.device)
    shift = (one - 0.5 * around + factor * (around @ around)) @ motions[..., :3, 3:]
    return torch.cat((shift[..., 0], turn), -1)


def _series(square: Tensor, terms: tuple[float, ...]) -> Tensor:
    total = torch.zeros_like(square)
    for term in reversed(terms):
        total = total * square + term
    return total


def _rotation_vector(rotation: Tensor) -> Tensor:
    """By the quaternion whose largest part is found first: exact near no turn and near a half turn alike."""
    r = rotation
    trace = r.diagonal(dim1=-2, dim2=-1)
    sides = torch.stack((r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]), -1)
    squares = torch.cat((trace.sum(-1, keepdim=True), 2 * trace - trace.sum(-1, keepdim=True)), -1) + 1
    # Four times the outer product of the quaternion (w, x, y, z) with itself; its best row is the quaternion.
    outer = torch.diag_embed(squares)
    outer[..., 0, 1:] = outer[..., 1:, 0] = sides
    outer[..., 1:, 1:] += (r + r.mT) * (1 - torch.eye(3, dtype=r.dtype, device=r.device))
    best = squares.argmax(-1)[..., None, None].expand(*squares.shape[:-1], 1, 4)
    row = outer.gather(-2, best)[..., 0, :]
    row = row / row.norm(dim=-1, keepdim=True)
    row = torch.where(row[..., :1] < 0, -row, row)
    length = row[..., 1:].norm(dim=-1, keepdim=True)
    angle = 2 * torch.atan2(length, row[..., :1])
    return row[..., 1:] * torch.where(length > 1e-12, angle / length.clamp(min=1e-12), 2 / row[..., :1].clamp(min=0.5))
