"""What SAM 3 asks a compiled kernel for, in plain torch and OpenCV: which masks overlap, how large regions are."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def generic_nms(overlaps: Tensor, scores: Tensor, limit: float, use_iou_matrix: bool = True) -> Tensor:
    """Numbers of the masks kept, surest first: none overlaps a surer kept one by more than the limit.

    `overlaps` (K, K) are shares of their unions.

    >>> generic_nms(torch.tensor([[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]]), torch.tensor([0.5, 0.9, 0.1]), 0.5).tolist()
    [1, 2]
    """
    shared = overlaps.cpu()
    kept: list[int] = []
    for row in torch.argsort(scores, descending=True, stable=True).tolist():
        if not kept or bool((shared[row, kept] <= limit).all()):
            kept.append(row)
    return torch.tensor(kept, dtype=torch.long, device=scores.device)


def cc_2d(masks: Tensor, get_counts: bool = True) -> tuple[Tensor, Tensor]:
    """Connected regions (corners connect) of masks (N, 1, H, W): their numbers, and at each pixel its region's size.

    >>> cc_2d(torch.tensor([[[[1, 0, 1], [0, 0, 1]]]], dtype=torch.uint8))[1].tolist()
    [[[[1, 0, 2], [0, 0, 2]]]]
    """
    import cv2

    labels, counts = [], []
    for mask in masks[:, 0].cpu().numpy():
        _, numbers, told, _ = cv2.connectedComponentsWithStats(np.ascontiguousarray(mask, np.uint8), connectivity=8)
        labels.append(numbers)
        counts.append(np.where(mask > 0, told[:, cv2.CC_STAT_AREA][numbers], 0))
    parts = (torch.from_numpy(np.stack(part)[:, None].astype(np.int32)).to(masks.device) for part in (labels, counts))
    first, second = parts
    return first, second
