"""Kill or halt the processes of a product at random, again and again."""

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter
from dataclasses import dataclass, field

from tests.support.engines import children_of
from tests.support.stack import NAMES, RunningStack

EVERY_S = 3.0
SHARE = 0.3
_HALTED_SHARE = 0.2
_HALTED_S = 2.0


@dataclass
class Killer:
    """Every three seconds, with three chances in ten, one process is killed or stands still a while."""

    stack: RunningStack
    chance: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    halted: Counter[str] = field(default_factory=Counter)

    async def run(self) -> None:
        """Go on until this is cancelled; nothing is left standing still."""
        while True:
            await asyncio.sleep(EVERY_S)
            if self.chance.random() < SHARE:
                name = self.chance.choice(NAMES)
                with contextlib.suppress(
                    KeyError, TypeError, ValueError, ProcessLookupError, OSError
                ):
                    await self._harm(name)

    async def _harm(self, name: str) -> None:
        pid = self.stack.pid(name)
        if self.chance.random() >= _HALTED_SHARE:
            os.kill(pid, signal.SIGKILL)
            self.killed[name] += 1
            return
        pid = children_of(pid)[0] if name == "postgres" else pid
        os.kill(pid, signal.SIGSTOP)
        self.halted[name] += 1
        try:
            await asyncio.sleep(_HALTED_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
