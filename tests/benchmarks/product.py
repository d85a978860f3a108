"""Run the whole product in an empty folder, its processes known by name."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.processes import CpuUse, Memory, cpu_seconds, measured_cpu, memory
from tests.support.stack import NAMES, STOP_S, RunningStack, start_stack

SUPERVISOR = "supervisor"
_START_S = 180.0
_POLL_S = 0.01


class ProductError(Exception):
    """The product did not start, or lost a process while it was measured."""


@dataclass(frozen=True)
class Start:
    """What it took from the command to the moment when every part was ready."""

    wall_s: float
    cpu_s: float


class Product:
    """The product in one home: started, measured, stopped, and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._stack: RunningStack | None = None
        self._pids: dict[str, int] = {}

    @property
    def url(self) -> str:
        return self._running().url

    @property
    def cache_dir(self) -> Path:
        """Where its model graph and vocabulary are kept."""
        return self.home / "cache"

    def start(self) -> Start:
        """Run `quoth up` and return once everything is ready. Raises ProductError."""
        began = time.perf_counter()
        self._stack = stack = start_stack(self.home)
        while not all(stack.entry(name).get("ready") for name in NAMES):
            if stack.supervisor.poll() is not None or time.perf_counter() - began > _START_S:
                raise ProductError(f"The product did not start:\n{stack.output()[-2000:]}")
            time.sleep(_POLL_S)
        wall_s = time.perf_counter() - began
        self._pids = stack.pids()
        return Start(wall_s, cpu_seconds(stack.supervisor.pid))

    def stop(self) -> None:
        """End it; nothing is left running."""
        if self._stack is None:
            return
        try:
            self._stack.stop()
        except subprocess.TimeoutExpired:
            self._stack.supervisor.kill()
            self._stack.supervisor.wait(STOP_S)
            raise
        finally:
            self._stack = None

    @contextmanager
    def measured(self) -> Iterator[CpuUse]:
        """Measure the CPU time of every process while the block runs. Raises ProductError.

        `SUPERVISOR` is what the supervisor itself took.
        """
        stack = self._running()
        with measured_cpu({SUPERVISOR: stack.supervisor.pid, **self._pids}) as use:
            yield use
        now = {name: stack.entry(name).get("pid") for name in NAMES}
        if now != self._pids:  # a process that died has taken its figures with it
            raise ProductError(f"A process died while measured:\n{stack.output()[-2000:]}")
        # Its tree holds all the others.
        own_s = 2 * use.seconds[SUPERVISOR] - use.total_s
        use.seconds[SUPERVISOR] = max(0.0, round(own_s, 3))

    def memory(self) -> dict[str, Memory]:
        """Return the memory of every process by name, the supervisor's own included."""
        return {
            SUPERVISOR: memory(self._running().supervisor.pid, with_children=False),
            **{name: memory(pid) for name, pid in self._pids.items()},
        }

    def _running(self) -> RunningStack:
        if self._stack is None:
            raise ProductError("The product is not running.")
        return self._stack


@contextmanager
def product_in(home: Path) -> Iterator[Product]:
    """A product that is surely stopped at the end; start it."""
    product = Product(home)
    try:
        yield product
    finally:
        product.stop()
