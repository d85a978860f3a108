"""Limit the memory of a process that reads what others wrote."""

import contextlib
import os
import resource
from pathlib import Path

MIB = 1024 * 1024
_STATM = Path("/proc/self/statm")
_PAGE = os.sysconf("SC_PAGESIZE")


def memory_now() -> tuple[int, int]:
    """Return the bytes of address space, and those in memory; zeros where that can't be told."""
    try:
        total, resident = _STATM.read_text().split()[:2]
    except OSError:
        return 0, 0
    return int(total) * _PAGE, int(resident) * _PAGE


def limit_memory(memory_mib: int) -> None:
    """Let this process take so much memory beside what it has."""
    now = memory_now()[0]
    if now:
        with contextlib.suppress(ValueError, OSError):
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (now + memory_mib * MIB, hard))
