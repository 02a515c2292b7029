"""What is to be measured in each case, out of the boxes that a run drew for its judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldgauge.benchmarks.worldolympiad.data.targets import write_targets
from worldgauge.benchmarks.worldolympiad.formulas.object_names import object_names
from worldgauge.benchmarks.worldolympiad.official.run_answers import each_signal
from worldgauge.benchmarks.worldolympiad.signals.objects import moving_boxes, moving_things
from worldgauge.core.case import Target
from worldgauge.core.errors import WorldGaugeError
from worldgauge.core.run_folder import Run
from worldgauge.core.signal import Arrays
from worldgauge.engine.evidence import key_of
from worldgauge.engine.inputs import CaseInputs
from worldgauge.engine.store import Store
from worldgauge.judge.session import answer_in


def freeze_targets(run: Run, root: Path, store: Path) -> tuple[Path, int]:
    """Write `targets.json`: of every case the largest thing that moves, in the first frame of its reference."""
    described = {
        found["signal"]: found
        for definition in run.file.definitions
        for found in each_signal(definition.signals)
        if found["of"] == "reference" and found["signal"] in (moving_boxes.name, moving_things.name)
    }
    kept, targets = Store(store), dict[str, Target]()
    for name, source in run.sources().items() if len(described) == 2 else ():
        inputs = CaseInputs(source.case, source.video)
        boxes = _stored(kept, described[moving_boxes.name], inputs)
        names = _stored(kept, described[moving_things.name], inputs)
        found = None if boxes is None or names is None else largest_thing(boxes, object_names(answer_in(names)))
        if found is not None:
            targets[name] = found
    if not targets:
        raise WorldGaugeError(
            "no box of a moving thing is kept from this run",
            "run with a judge and a phrase follower, and keep its store",
        )
    return write_targets(root, targets, run.name), len(targets)


def largest_thing(boxes: Arrays, names: Sequence[str]) -> Target | None:
    """The largest of the boxes of frame 0; None where it shows none."""
    if not len(boxes["frames"]) or int(boxes["frames"][0]) != 0 or not int(boxes["counts"][0]):
        return None
    first = slice(0, int(boxes["counts"][0]))
    chosen = int(boxes["areas"][first].argmax())
    left, top, right, bottom = (float(side) for side in boxes["boxes"][chosen])
    return Target(name=names[int(boxes["names"][chosen])], box=(left, top, right + 1, bottom + 1))


def _stored(store: Store, described: Mapping[str, Any], inputs: CaseInputs) -> Arrays | None:
    try:
        entry = store.load(key_of(described, inputs))
    except WorldGaugeError:
        # The case has no such part, so nothing was looked for.
        return None
    return None if entry is None or entry.unscored is not None else entry.arrays
