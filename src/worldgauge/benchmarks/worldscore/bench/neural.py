"""What `python -m bench.neural` needs of this benchmark: cases for made clips, and the released code's order of calls.

The order, batch sizes and decodes are those of a static world in the released code; networks that are not part of this
package yet are left out on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL import Image

from worldgauge.benchmarks.worldscore.data.cases import as_case
from worldgauge.benchmarks.worldscore.data.worlds import WorldSpec
from worldgauge.benchmarks.worldscore.formulas.flow_cycle import cycle_error
from worldgauge.benchmarks.worldscore.formulas.image_fit import squashed
from worldgauge.core.case import Case
from worldgauge.media.frame_folder import frame_files, read_image

METRICS = ["optical_flow_aepe", "gram_matrix", "clip_iqa", "clip_aesthetic", "clip_score"]
SMALL = (
    "flow_fields=sea_raft_m:batch=2",
    "anchor_qualities=clip_iqa_plus:batch=2",
    "anchor_styles=vgg19:shorter=32,batch=2",
)
"""The official ones in smaller stacks and sizes, to see on a CPU that everything runs."""
PLAIN = ("flow_fields=sea_raft_m:half=true,dtype=float32",)
"""Every network in torch's own default; the released code has this one in float16."""
Network = Callable[[str], Any]
Timed = Callable[[str, Callable[[], Any]], Any]


def cases(folder: Path, clips: Mapping[str, Path], references: Mapping[str, Path]) -> list[Case]:
    """A static world of one layout for each clip; its picture is the clip's first frame."""
    found = []
    for name, clip in clips.items():
        picture = folder / f"{name}.jpg"
        Image.fromarray(read_image(frame_files(clip)[0])).save(picture, quality=95)
        record = {
            "visual_movement": "static", "visual_style": "photorealistic", "scene_type": "indoor", "category": "made",
            "style": "photorealistic", "camera_path": ["move_left"], "content_list": ["Room, chair", "Room, lamp"],
            "prompt_list": [f"A room with chair {name}.", "A room with a lamp."], "image": str(picture),
        }  # fmt: skip
        found.append(as_case(WorldSpec.model_validate(record)).model_copy(update={"id": name}).at(folder))
    return found


def original(network: Network, timed: Timed, case: Case, clip: Path) -> None:
    """One clip as the released code goes over it; `network` gives the instrument of a signal for single rows."""
    files = frame_files(clip)
    anchors = [files[0], files[-1]]

    def text() -> None:
        for file, prompt in zip(anchors, case.extras["prompt_list"], strict=True):
            network("anchor_text_similarities").similarities([squashed(read_image(file))], [prompt])

    def flow() -> None:
        sea_raft = network("flow_fields")
        for first, second in pairwise(files):
            pair = [read_image(first), read_image(second)]
            # Either way by itself: both frames are encoded again.
            there, back = (sea_raft.flows(pair, [way])[0] for way in ((0, 1), (1, 0)))
            cycle_error(there, back)

    def gram() -> None:
        vgg = network("anchor_styles")
        given = read_image(anchors[0])
        later = read_image(anchors[1])
        for _ in range(5):
            # Of the reference: once for each layer that is looked at.
            vgg.grams([given])
        vgg.grams([later])

    def quality() -> None:
        for file in anchors:
            network("anchor_qualities").scores([squashed(read_image(file))])

    def taste() -> None:
        for file in anchors:
            network("anchor_aesthetics").scores([squashed(read_image(file))])

    for part in (text, flow, gram, quality, taste):
        timed(part.__name__, part)
