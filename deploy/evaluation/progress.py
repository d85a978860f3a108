"""Show how far the work is: a bar on a terminal, else nothing."""

from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress


class Progress:
    """Told how far the work is. This one shows nothing; an interface and its silent adapter."""

    def begin(self, what: str, total: int | None) -> None:
        """Start a new piece of work of `total` steps, None when that is not known yet."""

    def set(self, done: int, total: int | None) -> None: ...

    def step(self) -> None: ...

    def end(self) -> None: ...


class BarProgress(Progress):
    """One bar, gone when its work is done."""

    def __init__(self, console: Console) -> None:
        self._bars = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task: Any = None

    def begin(self, what: str, total: int | None) -> None:
        self._bars.start()
        self._task = self._bars.add_task(what, total=total)

    def set(self, done: int, total: int | None) -> None:
        self._bars.update(self._task, completed=done, total=total)

    def step(self) -> None:
        self._bars.advance(self._task)

    def end(self) -> None:
        self._bars.remove_task(self._task)
        self._bars.stop()


def progress_for(console: Console) -> Progress:
    """Return a bar for a terminal, silence for everything else."""
    return BarProgress(console) if console.is_terminal else Progress()


class JobBar:
    """Shows an ingest job on a Progress; a context manager."""

    def __init__(self, progress: Progress, what: str) -> None:
        self._progress = progress
        self._what = what

    def __enter__(self) -> Self:
        self._progress.begin(self._what, None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.end()

    def show(self, job: dict[str, Any]) -> None:
        self._progress.set(job.get("chunks_done", 0), job.get("chunks_total") or None)
