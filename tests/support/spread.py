"""Which worker runs which tests: those that start the whole product are run by half of them."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

_ROOT = Path(__file__).parent.parent.parent
_HEAVY = ("pytest.mark.stack", "running_stack(", "sample_stack: RunningStack")
LONGEST = (
    "tests/quality/test_known_books.py",
    "tests/quality/test_village.py",
    "tests/e2e/test_local.py",
    "tests/e2e/test_edited_often.py",
    "tests/e2e/test_model_move.py",
    "tests/faults/test_home_lost.py",
    "tests/faults/test_erasure.py",
    "tests/faults/test_disk_full.py",
)
"""What takes a minute to thirteen, by the durations of a whole run. One that begins last is run by
its worker alone while the others have nothing left."""


class SpreadScheduling(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    """Files of tests as they come, those that start the whole product for one half of the workers.

    Such a product is nine processes. Where every worker has one, each is so slow that what the product
    allows a stage, and a test a start, is up before it is through. Whoever has none left of its own
    kind takes one of the other.
    """

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self._workers = list[WorkerController]()

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node not in self._workers:
            self._workers.append(node)
        heavy = self._workers.index(node) % 2 == 0
        if (chosen := choose(self.workqueue, heavy=heavy)) is not None:
            self.workqueue.move_to_end(chosen, last=False)
        super()._assign_work_unit(node)


def choose(waiting: Iterable[str], *, heavy: bool) -> str | None:
    """Return which of the waiting files a worker of this kind takes next: those that take longest.

    None where none of its kind is left.
    """
    own = [path for path in waiting if is_heavy(path) == heavy]
    longest = (path for path in LONGEST if path in own)
    # Of the others the last of the heavy ones, those of quality, take longest.
    return next(longest, own[-1 if heavy else 0] if own else None)


@cache
def is_heavy(path: str) -> bool:
    """Whether a file, by its path from the project's folder, has tests that start the whole product."""
    text = (_ROOT / path).read_text("utf-8")
    return any(sign in text for sign in _HEAVY)
