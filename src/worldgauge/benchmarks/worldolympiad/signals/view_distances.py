"""The released option without a judge: the first views of the path against the frames, number by number.

View k lies about an eighth of the way from frame to frame along, so other cameras are compared: kept as it is released.
"""

from __future__ import annotations

import numpy as np

from worldgauge.benchmarks.worldolympiad.formulas.splat_views import SIDE, shown_pixels
from worldgauge.benchmarks.worldolympiad.signals.objects import moving_boxes
from worldgauge.benchmarks.worldolympiad.signals.scene_inputs import filled_frames
from worldgauge.benchmarks.worldolympiad.signals.views import (
    NETWORK_SIDE,
    camera_at,
    path_of,
    released_scene,
    scene_needs,
)
from worldgauge.core.clip import Clip
from worldgauge.core.signal import Arrays, signal
from worldgauge.core.stacks import in_stacks
from worldgauge.signals.poses import poses
from worldgauge.signals.seats import ImageDistance, ReconstructionInstrument


@signal(
    version=3,
    reads=("video",),
    needs=(moving_boxes(), poses()),
    needs_by=scene_needs,
    seat="reconstruction",
    kept=False,
    cost=2.0,
    dense=12.0,
)
def first_views(clip: Clip, boxes: Arrays, path: Arrays, instrument: ReconstructionInstrument) -> Arrays:
    """As many views from the beginning of the released path as the scene has frames, and these frames.

    `shown` (N, 512, 512, 3) the views, `seen` (N, 512, 512, 3) the frames, stretched to the square as the original
    does, `frames` (N,) their numbers.
    """
    from worldgauge.media.resize import resize

    scene, taken = released_scene(clip, boxes, path, instrument)
    frames, _ = filled_frames(clip, boxes, instrument)
    route = path_of(scene.cameras.scaled(NETWORK_SIDE))
    count = min(len(taken), len(route.focal))
    views = [shown_pixels(scene.render(*camera_at(route, k), (SIDE, SIDE))[0]) for k in range(count)]
    return {
        "shown": np.stack(views),
        "seen": np.stack([resize(frame, (SIDE, SIDE), "bilinear") for frame in frames[:count]]),
        "frames": np.array(taken[:count], np.int64),
    }


@signal(version=1, reads=(), needs=(first_views(),), seat="perceptual_distance", cost=0.3)
def view_distances(drawn: Arrays, network: ImageDistance) -> Arrays:
    """`distance` (N,) of every view to the frame of its number, `frames` (N,) as `first_views` has them."""
    found = in_stacks(network, network.distances, drawn["shown"], drawn["seen"])
    return {"distance": np.asarray(found, np.float64), "frames": drawn["frames"]}
