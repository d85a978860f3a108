"""Which worker runs which tests: two of five those that start the whole product, one what computes.

What starts processes waits for most of its time. As long as there is something that only computes, one
worker does that meanwhile, in the time that the others leave.
"""

from collections.abc import Iterable
from enum import Enum
from functools import cache
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

_ROOT = Path(__file__).parent.parent.parent
_HEAVY = ("pytest.mark.stack", "running_stack(", "sample_stack: RunningStack")
_COMPUTING = ("tests/architecture/", "tests/unit/")


class Kind(Enum):
    """What the tests of a file do for most of their time."""

    HEAVY = "start the whole product"
    WAITING = "start a few processes, or a browser"
    COMPUTING = "compute"


WORKERS = (Kind.HEAVY, Kind.WAITING, Kind.HEAVY, Kind.WAITING, Kind.COMPUTING)
"""What each worker takes as long as there is some of it, in the order in which they come."""
LONGEST = (
    "tests/quality/test_known_books.py",
    "tests/quality/test_village.py",
    "tests/e2e/test_local.py",
    "tests/e2e/test_edited_often.py",
    "tests/e2e/test_model_move.py",
    "tests/faults/test_home_lost.py",
    "tests/faults/test_erasure.py",
    "tests/faults/test_disk_full.py",
    "tests/unit/ingest/test_properties.py",
    "tests/unit/ingest/test_linear_work.py",
)
"""What takes a minute to thirteen, by the durations of a whole run. One that begins last is run by
its worker alone while the others have nothing left."""


class SpreadScheduling(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    """Files of tests as they come, those of a kind for the workers of this kind.

    A whole product is nine processes. Where every worker has one, each is so slow that what the product
    allows a stage, and a test a start, is up before it is through. Whoever has none left of its own
    kind takes one of another.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self._workers = list[WorkerController]()

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node not in self._workers:
            self._workers.append(node)
        kind = WORKERS[self._workers.index(node) % len(WORKERS)]
        if (chosen := choose(self.workqueue, kind)) is not None:
            self.workqueue.move_to_end(chosen, last=False)
        super()._assign_work_unit(node)


def choose(waiting: Iterable[str], kind: Kind) -> str | None:
    """Return which of the waiting files a worker of this kind takes next: those that take longest.

    None where none of its kind is left.
    """
    own = [path for path in waiting if kind_of(path) is kind]
    longest = (path for path in LONGEST if path in own)
    # Of the others the last of the heavy ones, those of quality, take longest.
    return next(longest, own[-1 if kind is Kind.HEAVY else 0] if own else None)


@cache
def kind_of(path: str) -> Kind:
    """Return the kind of a file, by its path from the project's folder."""
    text = (_ROOT / path).read_text("utf-8")
    if any(sign in text for sign in _HEAVY):
        return Kind.HEAVY
    return Kind.COMPUTING if path.startswith(_COMPUTING) else Kind.WAITING
