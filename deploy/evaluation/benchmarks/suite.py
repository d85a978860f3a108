"""List what a folder of labelled sets allows to measure, the sample book always."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.evaluation.benchmarks.chunks import RETRIEVED
from deploy.evaluation.benchmarks.drafts import DraftFiles
from deploy.evaluation.benchmarks.jobs import (
    Draw,
    Job,
    chunks_job,
    drafts_job,
    golden_job,
    grounding_job,
    injection_job,
    refusal_job,
    retrieval_job,
)
from deploy.evaluation.datasets import DataError
from deploy.evaluation.report.history import CHECKOUT

SAMPLES = CHECKOUT / "deploy" / "samples"
SAMPLE_BOOK = SAMPLES / "physical-ai"
SAMPLE_QUESTIONS = SAMPLES / "physical-ai-golden.jsonl"
JUDGEMENTS = CHECKOUT / "tests" / "quality" / "questions" / "judged"
"""Of sets of golden questions, by their name: `NAME.jsonl`."""


@dataclass(frozen=True)
class Task:
    """One set: its benchmark and the files that this takes."""

    benchmark: str
    name: str
    paths: tuple[Path, ...]
    ingest: Path | None = None
    language: str = ""

    @property
    def judged(self) -> Path | None:
        """The judgements of what was shown for this set's questions, if there are any."""
        path = JUDGEMENTS / f"{self.name}.jsonl"
        return path if path.is_file() else None

    def prepare(self, draw: Draw) -> Job:
        """Read the files. Raises DataError."""
        first = self.paths[0]
        jobs: dict[str, Callable[[], Job]] = {
            "golden": lambda: golden_job(first, "", self.ingest, draw, self.judged),
            "retrieval": lambda: retrieval_job(first, self.language, draw),
            "chunks": lambda: chunks_job(first, RETRIEVED, draw),
            "grounding": lambda: grounding_job(self.paths, draw),
            "refusal": lambda: refusal_job(first, draw),
            "injection": lambda: injection_job(first, self.paths[1], self.paths[2], draw),
            "drafts": self._drafts(draw),
        }
        return jobs[self.benchmark]()

    def _drafts(self, draw: Draw) -> Callable[[], Job]:
        def prepare() -> Job:
            if self.ingest is None:
                raise DataError("Drafts need the book that they are about.")
            return drafts_job(DraftFiles(*self.paths), self.ingest, "words", draw)

        return prepare


def list_tasks(data: Path | None) -> list[Task]:
    """Return the sample book's task and those for which `data` holds the files."""
    tasks = [Task("golden", "sample", (SAMPLE_QUESTIONS,), SAMPLE_BOOK)]
    if data is not None:
        tasks += [*_books(data), *_sets(data / "data")]
    return tasks


def _books(data: Path) -> Iterator[Task]:
    """Golden files beside their books: `books/NAME_*.jsonl` is about `books/NAME`."""
    for questions in sorted((data / "books").glob("*.jsonl")):
        names = [path for path in questions.parent.iterdir() if path.is_dir()]
        homes = [path for path in names if questions.stem.startswith(f"{path.name}_")]
        if homes:
            yield Task("golden", questions.stem, (questions,), book_source(homes[0]))


def book_source(folder: Path) -> Path:
    """Return what to ingest of a book that lies there in several formats: its plainest."""
    for name in ("src", "html"):
        if (folder / name).is_dir():
            return folder / name
    return folder


def _sets(data: Path) -> Iterator[Task]:
    for corpus in sorted(data.glob("retrieval/*/corpus.jsonl")):
        folder = corpus.parent
        language = folder.name.rsplit("_", 1)[-1]
        yield Task(
            "retrieval",
            folder.name,
            (folder,),
            language=language if len(language) == 2 else "",
        )
    for table in sorted(data.glob("retrieval/*/questions_df.csv")):
        yield Task("chunks", table.parent.name, (table.parent,))
    claims = tuple(sorted(data.glob("grounding/*.jsonl")))
    if claims:
        yield Task("grounding", "grounding", claims)
    for questions in sorted(data.glob("refusal/*.jsonl")):
        yield Task("refusal", questions.stem, (questions,))
        yield Task("retrieval", questions.stem, (questions,))
    yield from _injections(data / "injection")
    yield from _drafts(data)


def _drafts(data: Path) -> Iterator[Task]:
    """Drafts and claims beside each other; the book and its golden questions by their name."""
    for drafts in sorted(data.glob("drafts/*_drafts.jsonl")):
        name = drafts.stem.removesuffix("_drafts")
        books = data.parent / "books"
        paths = (drafts, books / f"{name}_golden.jsonl", drafts.with_name(f"{name}_claims.jsonl"))
        if (books / name).is_dir() and all(path.is_file() for path in paths):
            yield Task("drafts", name, paths, book_source(books / name))


def _injections(folder: Path) -> Iterator[Task]:
    attacks = sorted((*folder.glob("*attacks*.jsonl"), *folder.glob("*inthewild*.jsonl")))
    contexts = sorted(folder.glob("*context*.jsonl"))
    benign = sorted(folder.glob("notinject*.jsonl"))
    if contexts and benign:
        for planted in attacks:
            yield Task("injection", planted.stem, (planted, contexts[0], benign[0]))
