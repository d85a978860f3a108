"""Show a job while it runs: bars on a terminal, else a line now and then."""

import math
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from deploy.rest_client.ingest import JobDisplay

_WAITS = {
    "book": "waiting for another job of this book",
    "worker": "waiting: every worker is busy with other books",
    "retry": "waiting to be tried again",
}

_EVERY_S = 10.0


def display_for(console: Console) -> JobDisplay:
    """Return what suits the console."""
    return BarDisplay(console) if console.is_terminal else LineDisplay(console)


class BarDisplay:
    """Two bars: documents and passages."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            transient=True,
        )
        self._documents = self._progress.add_task("documents", total=None, left="")
        self._chunks = self._progress.add_task("passages", total=None, left="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def show(self, job: dict[str, Any]) -> None:
        for task, what in ((self._documents, "documents"), (self._chunks, "chunks")):
            self._progress.update(
                task,
                total=job.get(f"{what}_total") or None,
                completed=job.get(f"{what}_done", 0),
            )
        left = f"{job['left_s']:.0f} s left" if job.get("left_s") else ""
        self._progress.update(self._chunks, left=left or _wait(job))


class LineDisplay:
    """A line at once, when the job has to wait, and every ten seconds in which it has come on."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._said = self._wait = ""
        self._next_s = -math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def show(self, job: dict[str, Any]) -> None:
        if (wait := _wait(job)) != self._wait:
            self._wait = wait
            if wait:
                self._print(job, wait)
        text = _come_on(job)
        # The passages known so far grow with the documents: a share of them tells no time.
        if text not in ("", self._said) and self._clock() >= self._next_s:
            self._said, self._next_s = text, self._clock() + _EVERY_S
            self._print(job, text)

    def _print(self, job: dict[str, Any], text: str) -> None:
        line = f"  {job.get('book', '')}: {text}"
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _come_on(job: dict[str, Any]) -> str:
    """Return how many documents and passages are done, of those that are known; "" of none."""
    counted = [
        f"{job.get(f'{what}_done', 0)} of {total} {name}"
        for what, name in (("documents", "documents"), ("chunks", "passages"))
        if (total := job.get(f"{what}_total"))
    ]
    left = [f"about {job['left_s']:.0f} s left"] if job.get("left_s") else []
    return ", ".join([*counted, *left])


def _wait(job: dict[str, Any]) -> str:
    wait = _WAITS.get(job.get("waits_for") or "", "")
    return f"{wait}: {job['error']}" if wait and job.get("error") else wait
