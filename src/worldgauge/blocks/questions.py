"""Yes/no questions with their true answers, in four dimensions and both polarities.

A statement that is true of the world becomes a question answered "yes"; its counterpart that is false becomes one
answered "no". Statements come from the event log, the visibility of things and the words of the process.

Source: MemoBench (the four dimensions).
"""

from __future__ import annotations

import numpy as np

from worldgauge.blocks.block import Truth
from worldgauge.blocks.describe import article, camera_clause, props_in_view
from worldgauge.blocks.paths import find_path
from worldgauge.core.case import Question

INSTRUCTION = "Instruction Following"
OBJECTS = "Object and Background"
MEMORY = "Continuity of Memory"
PHYSICS = "Physics Adherence"
DIMENSIONS = (INSTRUCTION, OBJECTS, MEMORY, PHYSICS)
_STRANGERS = ("elephant", "piano", "sailing boat", "helicopter", "snowman", "fountain")

Fact = tuple[str, str, str]
"""Dimension, question whose answer is yes, question whose answer is no."""


def questions(truth: Truth) -> tuple[Question, ...]:
    """Both polarities of every fact, numbered."""
    facts = [*_instruction(truth), *_objects(truth), *_memory(truth), *_physics(truth)]
    made: list[Question] = []
    for dimension, yes, no in facts:
        made.append(Question(text=yes, answer="yes", dimension=dimension, id=str(len(made) + 1)))
        made.append(Question(text=no, answer="no", dimension=dimension, id=str(len(made) + 1)))
    return tuple(made)


def _instruction(truth: Truth) -> list[Fact]:
    name, words = truth.target, truth.world.act.words
    moves = bool(np.abs(np.diff(truth.camera.poses, axis=0)).max(initial=0) > 0)
    by_camera = find_path(truth.block.path).hiding == "camera"
    facts = [
        (
            INSTRUCTION,
            f"Is it true at the beginning that {words.begins}?",
            f"Is the first frame empty, without the {name}?",
        ),
        (
            INSTRUCTION,
            f"Does the clip follow this instruction: {camera_clause(truth)}?",
            "Does the camera stand still from the first to the last frame?"
            if moves
            else "Does the camera turn or travel?",
        ),
    ]
    if truth.phases is not None:
        leaves = (
            f"Does the {name} leave the view during the clip?" if by_camera else f"Is the {name} hidden for a while?"
        )
        facts.append((INSTRUCTION, leaves, f"Is the {name} in view all the time?"))
    return facts


def _objects(truth: Truth) -> list[Fact]:
    first, last = props_in_view(truth, 0, 12), props_in_view(truth, truth.block.frames - 1, 12)
    stranger = _STRANGERS[truth.block.seed % len(_STRANGERS)]
    facts = [(OBJECTS, f"Is there {article(truth.target)} in the clip?", f"Is there {article(stranger)} in the clip?")]
    for prop in [p for p in first if p in last][:2]:
        facts.append(
            (
                OBJECTS,
                f"Is the {prop} of the first frame still there at the end?",
                f"Has the {prop} of the first frame changed its colour?",
            )
        )
    return facts


def _memory(truth: Truth) -> list[Fact]:
    name, words, phases = truth.target, truth.world.act.words, truth.phases
    if phases is None:
        return [
            (
                MEMORY,
                f"Is the {name} the same object from beginning to end?",
                f"Is the {name} replaced by another object?",
            )
        ]
    facts = [
        (
            MEMORY,
            f"Does the {name} appear again after it was out of view?",
            f"Has the {name} vanished when the observer looks again?",
        ),
        (
            MEMORY,
            f"Does the {name} look like the same object when it is in view again?",
            f"Are there two of the {name} when it is in view again?",
        ),
    ]
    if truth.ended:
        facts.append(
            (MEMORY, f"Is it true at the end that {words.ends}?", f"Is it true at the end that {words.wrong}?")
        )
    return facts


def _physics(truth: Truth) -> list[Fact]:
    name, act = truth.target, truth.world.act
    words = act.words
    facts = [
        (PHYSICS, f"Is it true throughout that {words.law}?", f"Does it happen at any moment that {words.breach}?")
    ]
    for hit in [e for e in truth.events if e.kind == "contact"][:2]:
        pair = f"the {hit.subject}", f"the {hit.other}"
        facts.append((PHYSICS, f"Does {pair[0]} touch {pair[1]}?", f"Does {pair[0]} pass through {pair[1]}?"))
    if act.progress is not None:
        least = max(int(act.progress(float(truth.world.timeline.time[-1])) * 10) - 1, 1) * 10
        state = f"percent {act.change} at the end?"
        facts.append((PHYSICS, f"Is the {name} at least {least} {state}", f"Is the {name} less than {least} {state}"))
    return facts
