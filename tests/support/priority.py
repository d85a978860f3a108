"""Let what only computes go behind what has to answer in time."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOWER = 10
"""As ingest's threads that embed: beside them such tests get as much of the processor."""


def can_return() -> bool:
    """Whether a process may go back to the priority that it had before it lowered it."""
    return sys.platform == "linux" and os.geteuid() == 0


@contextmanager
def giving_way() -> Iterator[None]:
    """Within the block this thread, and what it starts, gets the processor when others leave it."""
    if not can_return():
        yield
        return
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, min(usual + LOWER, 19))
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, usual)
