"""Ports of this worker's own: nobody else of a run takes one between its choice and its use.

What is started binds a port seconds after it was found free, the gateway last of all. Drawn at random
from one range by several workers, two products got the same now and then.
"""

import os
import random

from deploy.evaluation.stack import is_free

_FIRST, _EACH, _WORKERS = 10_000, 1_000, 10
"""Below those that evaluations draw from, which tests start beside their products."""
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _WORKERS
# Another run on this machine begins somewhere else.
_drawn = random.randrange(_EACH)


def free_ports(count: int) -> int:
    """Return the first of `count` ports in a row that are free on 127.0.0.1, others each time."""
    global _drawn  # noqa: PLW0603 - one sequence a process
    for _ in range(_EACH):
        begin = _drawn if _drawn + count <= _EACH else 0
        _drawn = begin + count
        first = _FIRST + _EACH * _WORKER + begin
        if all(is_free(first + step) for step in range(count)):
            return first
    raise RuntimeError(f"no {count} free ports in a row were found")
