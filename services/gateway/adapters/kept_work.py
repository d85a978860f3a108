"""Cache the work of a child process, and give it up when it takes too long."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Task = TypeVar("Task", bound=Hashable)
Made = TypeVar("Made")


class KeptWork(Generic[Task, Made]):
    """Does tasks one after the other, beside the event loop, and keeps what came of the newest.

    `do` makes something of a task, however long it takes; `is_kept` says whether that is kept.
    """

    def __init__(
        self, do: Callable[[Task], Made], is_kept: Callable[[Made], bool], most_kept: int
    ) -> None:
        self._do = do
        self._is_kept = is_kept
        self._most_kept = most_kept
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
            if self._is_kept(made[task]):
                self.kept[task] = made[task]
            while len(self.kept) > self._most_kept:
                self.kept.popitem(last=False)
