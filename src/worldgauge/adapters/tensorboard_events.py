"""TensorBoard: `pip install 'worldgauge[tensorboard]'`, or any writer that has `add_scalar`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from worldgauge.adapters.numbers import Result, finite_numbers


def log_to_tensorboard(result: Result, writer: Any, *, step: int = 0) -> None:
    """Write a run's scores, or a Gauge's dictionary, with a `SummaryWriter`, or into a folder of event files."""
    numbers = finite_numbers(result)
    if isinstance(writer, (str, Path)):
        _write_events(Path(writer), numbers, step)
        return
    for name, value in numbers.items():
        writer.add_scalar(name, value, step)


def _write_events(folder: Path, numbers: dict[str, float], step: int) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    file = EventFileWriter(str(folder))
    try:
        values = [Summary.Value(tag=name, simple_value=value) for name, value in numbers.items()]
        file.add_event(Event(step=step, wall_time=time.time(), summary=Summary(value=values)))
    finally:
        file.close()
