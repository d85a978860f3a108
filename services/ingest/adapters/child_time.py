"""Limit the processor time of a process that reads what others wrote."""

import contextlib
import math
import resource


def limit_time(seconds: float) -> None:
    """Let this process compute so long from now on; a signal ends it then, whatever it does.

    Time of the processor alone counts, so that a busy machine makes no document take longer.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime + seconds)
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (until, hard))


def leave_no_core() -> None:
    """Let nothing of a book be written to a file when a signal ends this process."""
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
