"""Cache the work of a child process, and give it up when it takes too long."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Task = TypeVar("Task", bound=Hashable)
Made = TypeVar("Made")

_MOST_BYTES = 16 << 20
_LEAST_KEPT = 64
"""What takes more than this part of the room is not kept, so that it drives out no others."""


class KeptWork(Generic[Task, Made]):
    """Does tasks one after the other, beside the event loop, and keeps what came of the newest.

    `do` makes something of a task, however long it takes; `size_of` says how many bytes both take.
    Those kept take `most_bytes` together at most.
    """

    def __init__(
        self,
        do: Callable[[Task], Made],
        size_of: Callable[[Task, Made], int],
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        self._do = do
        self._size_of = size_of
        self._most_bytes = most_bytes
        self._bytes = 0
        self.kept: OrderedDict[Task, Made] = OrderedDict()
        # One at a time: the pool's threads wait, the process works.
        self._turns = ThreadPoolExecutor(1, "children")

    async def do(self, tasks: Sequence[Task], total_s: float) -> list[Made | None]:
        """Return what is made of each in that time, waiting for others included; None of the rest."""
        new = [one for one in dict.fromkeys(tasks) if one not in self.kept]
        made: dict[Task, Made] = {}
        if new:
            ends_s = time.monotonic() + total_s
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(self._turns, self._do_new, new, ends_s, made)
            await asyncio.wait((work,), timeout=total_s)
        found = {**made, **{one: self.kept[one] for one in tasks if one in self.kept}}
        return [found.get(one) for one in tasks]

    def _do_new(self, tasks: Sequence[Task], ends_s: float, made: dict[Task, Made]) -> None:
        for task in tasks:
            if time.monotonic() >= ends_s:
                return
            made[task] = self._do(task)
            self._keep(task, made[task])

    def _keep(self, task: Task, made: Made) -> None:
        size = self._size_of(task, made)
        if task in self.kept or size > self._most_bytes // _LEAST_KEPT:
            return
        self.kept[task] = made
        self._bytes += size
        while self._bytes > self._most_bytes:
            self._bytes -= self._size_of(*self.kept.popitem(last=False))
