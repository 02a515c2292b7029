"""What a model is told: prompts with style and camera, and how the clips of a large world are chained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from worldgauge.benchmarks.worldscore.formulas.protocols import Protocol
from worldgauge.benchmarks.worldscore.formulas.trajectory_layouts import total_frames

ModelKind = Literal["i2v", "t2v", "3d", "4d"]
CameraTold = Literal["words", "matrices"]
"""How a model is told the camera: in its prompt, or as a path beside a prompt that is left as it is."""

MOTIONLESS: Final = "Everything in the scene remains completely motionless."

_CAMERA_TEXT: Final = {
    "pull_left": "move left, pull out, then pan left",
    "pull_right": "move right, pull out, then pan right",
}
"""Two layouts that have a text in the released table but no trajectory."""


def camera_text(layout: str) -> str:
    """The words for a layout.

    >>> camera_text("push_in")
    'push in'
    """
    return _CAMERA_TEXT.get(layout, layout.replace("_", " "))


def with_style(prompt: str, style: str) -> str:
    """A prompt with its style.

    >>> with_style("A pier", "anime"), with_style("A pier.", "anime")
    ('A pier. anime', 'A pier. anime')
    """
    return f"{prompt} {style}" if prompt.endswith(".") else f"{prompt}. {style}"


def usual_camera(kind: ModelKind, protocol: Protocol = "released") -> CameraTold:
    """How a kind of model is told the camera. The paper gives 4D models matrices, the released code words.

    >>> usual_camera("3d"), usual_camera("i2v"), usual_camera("4d"), usual_camera("4d", "paper")
    ('matrices', 'words', 'words', 'matrices')
    """
    return "matrices" if kind == "3d" or (kind == "4d" and protocol == "paper") else "words"


def static_prompts(
    prompts: Sequence[str], style: str, layouts: Sequence[str], kind: ModelKind, camera: CameraTold
) -> list[str]:
    """Prompts of a static world: one per layout, for 3D models one per scene. Only `words` speak of the camera."""
    styled = [with_style(prompt, style) for prompt in prompts]
    if camera == "matrices":
        return styled if kind == "3d" else styled[1 : len(layouts) + 1]
    return [
        f"Camera {camera_text(layout)}. {prompt}. {MOTIONLESS}"
        # Prompts beyond the camera path are not looked at.
        for layout, prompt in zip(layouts, styled[1:], strict=False)
    ]


def dynamic_prompts(prompt: str, style: str, camera: CameraTold) -> list[str]:
    """The one prompt of a dynamic world.

    >>> dynamic_prompts("The flag waves", "anime", "words")
    ['Camera fixed. The flag waves. anime']
    """
    styled = with_style(prompt, style)
    return [styled if camera == "matrices" else f"Camera fixed. {styled}"]


def conditioning_images(scenes: int, kind: ModelKind) -> list[str | None]:
    """The image file each clip starts from: the input image, then the last frame of the clip before.

    >>> conditioning_images(3, "i2v")
    ['input_image.png', 'input_image_1.png', 'input_image_2.png']
    """
    if kind != "i2v":
        return [None] * scenes
    return ["input_image.png", *(f"input_image_{i}.png" for i in range(1, scenes))]


def frame_source(index: int, frames: int) -> tuple[int, int]:
    """Clip, and frame in it, that a frame of the chained video comes from.

    Later clips lose their first frame, which repeats the last one of the clip before.

    >>> frame_source(48, 49), frame_source(49, 49)
    ((0, 48), (1, 1))
    """
    clip = max(index - 1, 0) // (frames - 1)
    return clip, index - clip * (frames - 1)


def chain(scenes: int, frames: int) -> list[dict[str, list[int]]]:
    """Which frames of the video each clip gives, and which of its own these are; first and last of each.

    >>> chain(2, 49)
    [{'frames': [0, 48], 'of_clip': [0, 48]}, {'frames': [49, 96], 'of_clip': [1, 48]}]
    """
    sources = [frame_source(index, frames) for index in range(total_frames(scenes, frames))]
    rows = []
    for clip in range(scenes):
        own = [index for index, (source, _) in enumerate(sources) if source == clip]
        first, last = own[0], own[-1]
        rows.append({"frames": [first, last], "of_clip": [sources[first][1], sources[last][1]]})
    return rows
