"""The rooms of a service that a question goes through, one after the other, as it is answered."""

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

_SERVICES = Path(__file__).parents[2] / "services"


@cache
def _room_of(file: str) -> tuple[str, str]:
    """Return the service and the room that a file stands in; "" for another file."""
    path = Path(file)
    if not path.is_relative_to(_SERVICES):
        return "", ""
    service, room = path.relative_to(_SERVICES).parts[:2]
    return service, room.removesuffix(".py")


@contextmanager
def recorded_walk(service: str) -> Iterator[list[str]]:
    """Note each room that the service's pipeline enters, while the block runs.

    A room is a module or a folder at the top of the service. What a room calls itself is its own way.
    """
    walk: list[str] = []
    seen: set[FrameType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        # A coroutine that goes on was entered before.
        if event != "call" or frame in seen:
            return
        of, room = _room_of(frame.f_code.co_filename)
        if of != service or room == "pipeline" or frame.f_code.co_name.startswith("<"):
            return
        seen.add(frame)
        if _calling_room(frame.f_back, service) == "pipeline":
            walk.append(room)

    sys.setprofile(note)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def _calling_room(frame: FrameType | None, service: str) -> str:
    while frame is not None:
        of, room = _room_of(frame.f_code.co_filename)
        if of == service:
            return room
        frame = frame.f_back
    return ""


def list_rooms(walk: Sequence[str], data: Collection[str]) -> list[str]:
    """Return the rooms in the order of the walk, without those of `data`: what the others speak of."""
    return [room for room, _ in groupby(room for room in walk if room not in data)]


def list_returns(rooms: Sequence[str]) -> list[str]:
    """Return the rooms that are come back to, each as often as that happens."""
    return [room for place, room in enumerate(rooms) if room in rooms[:place]]
