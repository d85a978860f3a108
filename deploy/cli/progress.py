"""Show a job while it runs: bars on a terminal, else a line now and then."""

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
    """One line at every tenth of the passages, and when the job has to wait."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tenth = 0
        self._wait = ""

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
        done, total = job.get("chunks_done", 0), job.get("chunks_total", 0)
        of_all = job.get("documents_total")
        documents = f"{job.get('documents_done', 0)} of {of_all} documents, " if of_all else ""
        tenth = 10 * done // total if total else 0
        if tenth > self._tenth:
            self._tenth = tenth
            left = f", about {job['left_s']:.0f} s left" if job.get("left_s") else ""
            self._print(job, f"{documents}{done} of {total} passages{left}")

    def _print(self, job: dict[str, Any], text: str) -> None:
        line = f"  {job.get('book', '')}: {text}"
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _wait(job: dict[str, Any]) -> str:
    wait = _WAITS.get(job.get("waits_for") or "", "")
    return f"{wait}: {job['error']}" if wait and job.get("error") else wait
