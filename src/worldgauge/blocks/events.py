"""The event log: what happened, in which frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgauge.blocks.phases import Visibility
from worldgauge.blocks.processes.base import Act
from worldgauge.blocks.scene import Scene
from worldgauge.blocks.timeline import Contact

MILESTONES = (0.2, 0.4, 0.6, 0.8, 0.99)


@dataclass(frozen=True)
class Event:
    frame: int
    kind: str
    """contact, released, progress, left_view, reentered, returned"""
    subject: str
    text: str
    """One sentence."""
    value: float | None = None
    """Closing speed in m/s of a contact, finished share of a progress."""
    other: str = ""
    """Second thing of a contact."""


def list_events(
    scene: Scene, act: Act, contacts: tuple[Contact, ...], visibility: Visibility, time: NDArray[np.float64]
) -> tuple[Event, ...]:
    """Everything worth asking about, in order of frames."""
    name = act.target.name
    events = [_contact_event(c) for c in contacts]
    for body, until in act.holds.items():
        frame = int(np.searchsorted(time, until))
        held = next(i.name for i in scene.instances if body in i.bodies)
        if frame < len(time):
            events.append(Event(frame, "released", held, f"the {held} is let go"))
    events += _progress_events(act, time) + _view_events(name, visibility)
    return tuple(sorted(events, key=lambda e: (e.frame, e.kind, e.text)))


def _contact_event(contact: Contact) -> Event:
    first, second = contact.first, contact.second
    return Event(contact.frame, "contact", first, f"the {first} hits the {second}", contact.speed, second)


def _progress_events(act: Act, time: NDArray[np.float64]) -> list[Event]:
    if act.progress is None:
        return []
    done = np.array([act.progress(float(t)) for t in time])
    events = []
    for share in MILESTONES:
        reached = np.flatnonzero(done >= share)
        if len(reached) and done[0] < share:
            text = f"the {act.target.name} has {act.change} {round(share * 100)} %"
            events.append(Event(int(reached[0]), "progress", act.target.name, text, share))
    return events


def _view_events(name: str, visibility: Visibility) -> list[Event]:
    seen = visibility.pixels > 0
    events = [
        Event(int(k) + 1, "left_view", name, f"the {name} has left the view")
        if seen[k]
        else Event(int(k) + 1, "reentered", name, f"the {name} comes into view again")
        for k in np.flatnonzero(np.diff(seen))
    ]
    away = np.flatnonzero(~seen)
    if len(away):
        whole = np.flatnonzero(visibility.full[away[0] :])
        if len(whole):
            events.append(Event(int(away[0] + whole[0]), "returned", name, f"the whole {name} is in view again"))
    return events
