"""The selective scan of Mamba (Gu and Dao, 2023) in plain torch: a long recurrence as a few hundred wide steps.

h[t] = exp(step[t] A) h[t-1] + step[t] B[t] u[t] and y[t] = C[t] h[t] + D u[t], one position after the other, would be
as many steps as there are positions. Here the sequence is cut into about as many chunks as a chunk has positions. All
chunks march side by side from zero, what each hands on is worked out from chunk to chunk, and they march once more
from where they truly begin. Exponents are never positive, so nothing overflows however strong the decay is.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional


def selective_scan(
    inputs: Tensor, steps: Tensor, rates: Tensor, entering: Tensor, leaving: Tensor, past: Tensor
) -> Tensor:
    """The recurrence over the last axis, from a state of zero; returns y, (N, G, D, L).

    `inputs` u and `steps`, not below zero, are (N, G, D, L); `rates` A, not above zero, (G, D, S); `entering` B and
    `leaving` C (N, G, S, L), shared by the channels of a group; `past` D (G, D), what goes by the state.
    """
    length = inputs.shape[-1]
    each = math.ceil(math.sqrt(length))
    # Filled up by steps of zero, which leave a state as it is.
    time, flow, enter, leave = (_cut(part, each) for part in (steps, steps * inputs, entering, leaving))
    decay = rates[None, ..., None]
    shape = (*inputs.shape[:3], rates.shape[-1], time.shape[-1])

    def onward(state: Tensor, t: int) -> Tensor:
        kept = torch.exp(time[t][..., None, :] * decay)
        return torch.addcmul(flow[t][..., None, :] * enter[t][:, :, None], kept, state)

    state = inputs.new_zeros(shape)
    for t in range(each):
        state = onward(state, t)
    state = _begin(state, torch.exp(time.sum(0)[..., None, :] * decay))
    found = torch.empty_like(time)
    for t in range(each):
        state = onward(state, t)
        torch.sum(state * leave[t][:, :, None], 3, out=found[t])
    joined = found.permute(1, 2, 3, 4, 0).flatten(-2)[..., :length]
    return joined + past[None, ..., None] * inputs


def _cut(values: Tensor, each: int) -> Tensor:
    """(..., L) as (each, ..., chunks): positions of a chunk first."""
    filled = functional.pad(values, (0, -values.shape[-1] % each))
    return filled.unflatten(-1, (-1, each)).movedim(-1, 0).contiguous()


def _begin(ends: Tensor, kept: Tensor) -> Tensor:
    """The state each chunk begins with: what the one before began with, as far as it keeps that, and what it gained."""
    begins = torch.zeros_like(ends)
    for chunk in range(1, ends.shape[-1]):
        before = chunk - 1
        begins[..., chunk] = torch.addcmul(ends[..., before], kept[..., before], begins[..., before])
    return begins
