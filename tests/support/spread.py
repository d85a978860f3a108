"""Which worker runs which tests: those that start the whole product are run by half of them."""

from functools import cache
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

_ROOT = Path(__file__).parent.parent.parent
_HEAVY = ("pytest.mark.stack", "running_stack(", "sample_stack: RunningStack")


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
        # The last of the heavy ones, those of quality, take longest: they come first.
        waiting = reversed(self.workqueue) if heavy else iter(self.workqueue)
        own = (scope for scope in waiting if is_heavy(scope) == heavy)
        if (chosen := next(own, None)) is not None:
            self.workqueue.move_to_end(chosen, last=False)
        super()._assign_work_unit(node)


@cache
def is_heavy(path: str) -> bool:
    """Whether a file, by its path from the project's folder, has tests that start the whole product."""
    text = (_ROOT / path).read_text("utf-8")
    return any(sign in text for sign in _HEAVY)
