"""Read CPU seconds and memory of processes, and of all they started, from /proc."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


@dataclass(frozen=True)
class Stat:
    """What /proc/PID/stat says. `cpu_s` includes children that have ended and were waited for."""

    pid: int
    parent: int
    cpu_s: float


def parse_stat(text: str) -> Stat:
    # The name stands in parentheses and may itself hold spaces and parentheses.
    pid, _, rest = text.partition(" ")
    fields = rest.rpartition(")")[2].split()
    ticks = sum(int(value) for value in fields[11:15])  # utime stime cutime cstime
    return Stat(int(pid), int(fields[1]), ticks / _TICKS_PER_S)


def list_tree(root: int, proc: Path = PROC) -> list[Stat]:
    """Return the process and all its living descendants; [] when it is gone."""
    stats = {stat.pid: stat for stat in _all_stats(proc)}
    children: dict[int, list[int]] = {}
    for stat in stats.values():
        children.setdefault(stat.parent, []).append(stat.pid)
    found, waiting = [], [root] if root in stats else []
    while waiting:
        pid = waiting.pop()
        found.append(stats[pid])
        waiting += children.get(pid, [])
    return found


def cpu_seconds(root: int, proc: Path = PROC) -> float:
    """Return the CPU time of the process and all it started, ended children included."""
    return sum(stat.cpu_s for stat in list_tree(root, proc))


@dataclass(frozen=True)
class Memory:
    """Bytes. `shared_once` (PSS) counts a page of several processes in parts; None if unreadable."""

    resident: int
    shared_once: int | None


def memory(root: int, proc: Path = PROC, *, with_children: bool = True) -> Memory:
    """Return the memory of the process and all it started."""
    resident, shares = 0, []
    tree = list_tree(root, proc)
    for stat in tree if with_children else tree[:1]:
        with contextlib.suppress(OSError):
            resident += int((proc / str(stat.pid) / "statm").read_text().split()[1]) * _PAGE_BYTES
            shares.append(_proportional(proc / str(stat.pid)))
    known = [share for share in shares if share is not None]
    return Memory(resident, sum(known) if known and len(known) == len(shares) else None)


def _proportional(folder: Path) -> int | None:
    try:
        lines = (folder / "smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    sizes = [int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")]
    return sizes[0] if sizes else None


def status_mb(pid: int, proc: Path = PROC) -> dict[str, float]:
    """Return the sizes that /proc/PID/status names, such as VmRSS and RssAnon, in MB."""
    lines = (proc / str(pid) / "status").read_text().splitlines()
    sizes = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(kilobytes) * 1024 / 1e6 for name, kilobytes, _ in sizes}


def _all_stats(proc: Path) -> Iterator[Stat]:
    for folder in proc.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):  # it may end while we read
                yield parse_stat((folder / "stat").read_text())


@dataclass
class CpuUse:
    """CPU seconds by name of process, spent inside a `measured_cpu` block."""

    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def total_s(self) -> float:
        return sum(self.seconds.values())


@contextmanager
def measured_cpu(roots: Mapping[str, int], proc: Path = PROC) -> Iterator[CpuUse]:
    """Measure what the named processes and all they started spend while the block runs."""
    before = {name: cpu_seconds(pid, proc) for name, pid in roots.items()}
    use = CpuUse()
    yield use
    use.seconds.update({name: cpu_seconds(pid, proc) - before[name] for name, pid in roots.items()})
