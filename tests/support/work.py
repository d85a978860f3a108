"""Count the work that code does, where a clock would tell how busy the machine is."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from cProfile import Profile
from time import process_time


def count_calls(run: Callable[[], object]) -> int:
    """Return how many functions are called meanwhile, in Python and in C, by this thread.

    The profiler counts them in C: a function of ours, called at each, took thrice the work itself.
    """
    profile, before = Profile(subcalls=False), sys.getprofile()
    profile.enable()
    try:
        run()
    finally:
        profile.disable()
        sys.setprofile(before)
    return sum(entry.callcount for entry in profile.getstats())


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail if the block takes more of the processor's time; others may have it meanwhile."""
    begun = process_time()
    yield
    assert process_time() - begun < seconds
