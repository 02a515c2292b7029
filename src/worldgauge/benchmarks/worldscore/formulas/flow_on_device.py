"""The benchmark's rules for optical flow on stacks of fields (N, H, W, 2) that lie on a GPU as tensors.

Each gives one number per field, on the device; the rules themselves are explained beside their twins for arrays.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from worldgauge.benchmarks.worldscore.formulas.motion_regions import DILATION
from worldgauge.core.errors import WorldGaugeError
from worldgauge.functional.on_device import magnitude, mean_where, round_trip

MARGIN = 15


def cycle_errors(forward: Tensor, backward: Tensor, margin: int = MARGIN) -> Tensor:
    """`flow_cycle.cycle_error` of each pair; NaN where nothing is left without the margin.

    Source: released code at commit 344983c.
    """
    height, width = (side - 2 * margin for side in forward.shape[1:3])
    if min(height, width) <= 0:
        return torch.full((len(forward),), torch.nan, dtype=torch.float64, device=forward.device)
    there, back = (_inner(field, margin).double() for field in (forward, backward))
    across = torch.arange(width, device=there.device, dtype=torch.float64)
    down = torch.arange(height, device=there.device, dtype=torch.float64)[:, None]
    # Halves go to the even pixel, as NumPy rounds.
    column = (across + there[..., 0]).round().clamp(0, width - 1).long()
    row = (down + there[..., 1]).round().clamp(0, height - 1).long()
    of_stack = torch.arange(len(there), device=there.device)[:, None, None]
    off = there + back[of_stack, row, column]
    return off.square().sum(-1).sqrt().mean((1, 2))


def printed_cycle_errors(forward: Tensor, backward: Tensor, margin: int = MARGIN) -> Tensor:
    """`flow_cycle.printed_cycle_error` of each pair; NaN where no point is left.

    Source: arXiv 2504.00983, S4 to S6.
    """
    if min(forward.shape[1:3]) <= 2 * margin:
        return torch.full((len(forward),), torch.nan, dtype=torch.float64, device=forward.device)
    error, inside, _ = round_trip(forward, backward)
    return mean_where(_inner(error, margin), _inner(inside, margin))


def median_magnitudes(flow: Tensor) -> Tensor:
    """`flow_cycle.median_magnitude` of each field.

    Source: released code at commit 344983c.
    """
    return magnitude(flow).flatten(1).median(1).values


def grow(mask: Tensor, side: int = DILATION) -> Tensor:
    """A mask (H, W) dilated by a square."""
    grown: Tensor = functional.max_pool2d(mask[None, None].float(), side, 1, side // 2)[0, 0] > 0
    return grown


def contrast_or_nan(flow: Tensor, mask: Tensor) -> Tensor:
    """`motion_regions.contrast_or_nan` of one field (H, W, 2), NaN where the object is lost or fills the view.

    Source: released code at commit 344983c.
    """
    length = _lengths(flow, mask)
    inside, outside = (torch.where(part, length, -torch.inf).max() for part in (mask, ~mask))
    return torch.where(inside.isfinite() & outside.isfinite(), inside - outside, torch.nan)


def printed_contrast(flow: Tensor, mask: Tensor) -> Tensor:
    """`motion_regions.printed_contrast` of one field (H, W, 2).

    Source: arXiv 2504.00983, S7.
    """
    length = _lengths(flow, mask)
    return (length * mask).max() - (length * ~mask).max()


def _lengths(flow: Tensor, mask: Tensor) -> Tensor:
    if flow.shape[:2] != mask.shape:
        raise WorldGaugeError(
            f"a mask of {mask.shape[1]}x{mask.shape[0]} px does not fit a flow of {flow.shape[1]}x{flow.shape[0]} px"
        )
    return magnitude(flow)


def _inner(field: Tensor, margin: int) -> Tensor:
    return field[:, margin:-margin, margin:-margin] if margin else field
