"""What a judge is asked about a fault: a question that yes answers where it is there, and one where it is not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FaultQuestion:
    """Both polarities; `{target}` stands for the target's name."""

    present: str
    """Yes: the fault is there."""
    absent: str
    """Yes: it is not."""

    def text(self, inverted: bool, target: str) -> str:
        return (self.absent if inverted else self.present).format(target=target)


FAULT_QUESTIONS = {
    "frozen_camera": FaultQuestion(
        "Does the camera stand still where the caption asks it to move?",
        "Does the camera make the whole motion that the caption asks for?",
    ),
    "wrong_action": FaultQuestion(
        "Does the camera move in another way than the caption asks?", "Does the camera move as the caption asks?"
    ),
    "camera_drift": FaultQuestion(
        "Does the view end in another direction than the caption's motion would lead to?",
        "Does the view end where the caption's motion leads to?",
    ),
    "vanish": FaultQuestion(
        "Is the {target} missing when its place is in view again?",
        "Is the {target} there whenever its place is in view?",
    ),
    "identity_drift": FaultQuestion(
        "Does the {target} change its shape or become another one?", "Does the {target} keep its shape throughout?"
    ),
    "teleport": FaultQuestion(
        "Is the {target} in a place that it cannot have reached when it is seen again?",
        "Is the {target} always where its motion has brought it?",
    ),
    "state_reset": FaultQuestion(
        "Does what happens go back to an earlier state after it was out of view?",
        "Has what happens gone on while it was out of view?",
    ),
    "still_life": FaultQuestion(
        "Does what should go on in the scene stand still?", "Does everything that should go on in the scene go on?"
    ),
    "chunk_reset": FaultQuestion(
        "Does what happens jump back or ahead in time at any moment?", "Does time pass evenly throughout the clip?"
    ),
    "background_swap": FaultQuestion(
        "Do things in the background look different after the camera comes back?",
        "Do all things in the background look the same after the camera comes back?",
    ),
    "geometry_wobble": FaultQuestion(
        "Do things that should stand still sway or bend?", "Do all things that should stand still keep their place?"
    ),
    "flicker": FaultQuestion(
        "Does the brightness of the picture jump from frame to frame?", "Is the brightness of the picture steady?"
    ),
    "lighting_drift": FaultQuestion(
        "Does the light change its colour or strength over the clip?", "Does the light stay the same over the clip?"
    ),
    "style_drift": FaultQuestion(
        "Does the style of the picture change over the clip?", "Does the style of the picture stay the same?"
    ),
    "stutter": FaultQuestion("Does the motion halt and go on again and again?", "Is the motion free of halts?"),
    "blur": FaultQuestion("Is the picture blurred?", "Is the picture sharp?"),
    "noise": FaultQuestion("Is there grain or noise on the picture?", "Is the picture free of grain and noise?"),
    "compression": FaultQuestion(
        "Are there blocks in the picture as strong compression leaves them?",
        "Is the picture free of the blocks that strong compression leaves?",
    ),
    "floating": FaultQuestion(
        "Does the {target} rise or hover without anything that holds it?",
        "Is the {target} always carried by something?",
    ),
    "pass_through": FaultQuestion(
        "Does the {target} pass through something solid?", "Does the {target} stay outside of everything solid?"
    ),
    "hand_shake": FaultQuestion("Does the view shake as if a hand held the camera?", "Is the view free of shaking?"),
    "time_reversal": FaultQuestion(
        "Does any part of what happens run backwards in time?", "Does everything that happens run forwards in time?"
    ),
    "speed_change": FaultQuestion(
        "Does what is seen speed up and then slow down again?", "Does what is seen keep its natural speed?"
    ),
    "loop": FaultQuestion(
        "Does the clip go back and show a stretch once more?", "Is every stretch of the clip shown only once?"
    ),
    "frame_drops": FaultQuestion(
        "Are short pieces of the motion left out, so that it jumps ahead?",
        "Is the motion shown without missing pieces?",
    ),
    "flash": FaultQuestion(
        "Do single frames flash white or black?", "Is the clip free of single frames that are white or black?"
    ),
    "mirror": FaultQuestion(
        "Are left and right swapped in some part of the clip?",
        "Do left and right stay as they are throughout the clip?",
    ),
    "ghosting": FaultQuestion(
        "Are there double images, as if frames were laid over each other?", "Is the picture free of double images?"
    ),
    "banding": FaultQuestion(
        "Are there visible steps where tones should run smoothly?", "Do tones run smoothly, without visible steps?"
    ),
}
"""By the name of the fault."""
