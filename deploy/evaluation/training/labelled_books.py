"""Books with questions whose answers are known, made from a folder of labelled sets."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.evaluation.benchmarks.suite import Task, list_tasks
from deploy.evaluation.datasets import (
    Gold,
    GoldenRow,
    RefusalRow,
    read_chunks,
    read_golden,
    read_refusals,
)
from deploy.evaluation.report.plain import write_documents

ELSEWHERE = "elsewhere"
"""Kind of a question that is asked of a book it is not about."""

_LONGEST_QUESTION = 4000


@dataclass(frozen=True)
class LabelledBook:
    """A book and its questions. `source` returns what to ingest; it may write it into the folder."""

    name: str
    rows: tuple[GoldenRow, ...]
    source: Callable[[Path], Path]
    files: tuple[Path, ...] = ()
    language: str = ""
    exact: bool = True
    """Whether gold is quotations, so that it tells sentences apart, and not documents or sections."""

    @property
    def subject(self) -> str:
        """Books of one name are of one subject: the one may answer the other's questions."""
        return re.sub(r"[^a-z]", "", self.name.lower().split("-")[0])


def list_books(data: Path | None, most: int, seed: int) -> list[LabelledBook]:
    """Return the sample book and those that `data` holds, `most` questions of each at most.

    Raises DataError for a file that breaks its format.
    """
    books = [book for task in list_tasks(data) for book in _books_of(task)]
    return [replace(book, rows=tuple(_draw(book.rows, most, seed))) for book in books]


def _draw(rows: Sequence[GoldenRow], most: int, seed: int) -> list[GoldenRow]:
    if len(rows) <= most:
        return list(rows)
    drawn = random.Random(seed).sample(range(len(rows)), most)  # noqa: S311 - not a secret
    return [rows[at] for at in sorted(drawn)]


def _books_of(task: Task) -> Iterator[LabelledBook]:
    if task.benchmark == "golden" and task.ingest is not None:
        yield _golden_book(task.name, task.paths[0], task.ingest)
    elif task.benchmark == "chunks":
        yield from _corpora(task.paths[0])
    elif task.benchmark == "refusal":
        yield _paragraphs(task.name, task.paths[0])


def _golden_book(name: str, file: Path, ingest: Path) -> LabelledBook:
    rows = tuple(read_golden(file))
    exact = any(gold.quote for row in rows for gold in row.gold)
    return LabelledBook(name, rows, lambda _: ingest, (file,), exact=exact)


def _corpora(folder: Path) -> Iterator[LabelledBook]:
    """Every corpus is a book of its own; an excerpt's range is told by its text."""
    held = read_chunks(folder)
    for name, text in held.corpora.items():
        rows = tuple(
            GoldenRow(
                row_id=f"{name}-{number}",
                kind="excerpts",
                question=excerpts.question[:_LONGEST_QUESTION],
                answerable=True,
                gold=tuple(Gold("", text[start:end]) for start, end in excerpts.ranges),
            )
            for number, excerpts in enumerate(held.questions)
            if excerpts.corpus == name
        )
        yield LabelledBook(name, rows, _writer({name: ("", text)}), (folder,))


def _paragraphs(name: str, file: Path) -> LabelledBook:
    """All paragraphs make a book; only questions that one of them answers are taken.

    The others differ from those by a word or two, which is for the answer's checks to see.
    """
    rows = [row for row in read_refusals(file) if row.answerable and any(row.answers)]
    contexts = list(dict.fromkeys(row.context for row in rows))
    texts = {str(number): ("", context) for number, context in enumerate(contexts)}
    names = {context: number for number, context in enumerate(contexts)}
    width = len(str(len(contexts)))
    golden = tuple(
        GoldenRow(
            row.row_id,
            "paragraph",
            row.question,
            answerable=True,
            gold=_answers(row, f"{names[row.context]:0{width}}.md"),
        )
        for row in rows
    )
    return LabelledBook(name, golden, _writer(texts), (file,))


def _answers(row: RefusalRow, document: str) -> tuple[Gold, ...]:
    return tuple(Gold(document, answer) for answer in dict.fromkeys(row.answers) if answer)[:1]


def _writer(texts: dict[str, tuple[str, str]]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        write_documents(folder, texts)
        return folder

    return write


def foreign_rows(
    book: LabelledBook, books: Sequence[LabelledBook], most: int, seed: int
) -> list[GoldenRow]:
    """Return questions that other books answer, drawn by the seed; this one does not answer them."""
    known = [
        replace(
            row,
            row_id=f"{ELSEWHERE}/{other.name}/{row.row_id}",
            kind=ELSEWHERE,
            answerable=False,
            gold=(),
            history=(),
        )
        for other in books
        if other.subject != book.subject
        for row in other.rows
        if row.answerable and row.selection is None and not row.history
    ]
    return _draw(known, most, seed)
