"""Books with questions whose answers are known, made from a folder of labelled sets."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

from deploy.evaluation.benchmarks.suite import Task, list_tasks
from deploy.evaluation.datasets import (
    Gold,
    GoldenRow,
    RefusalRow,
    SelectedText,
    read_chunks,
    read_golden,
    read_refusals,
)
from deploy.evaluation.judgements import add_judgements
from deploy.evaluation.report.plain import write_documents

ELSEWHERE = "elsewhere"
"""Kind of a question that is asked of a book it is not about."""

SELECTED = "selected_paragraph"
"""Kind of a question that is asked of a selected paragraph, which answers it or almost does."""

BESIDE = "beside"
"""Kind of a question that is asked of another paragraph on the same subject."""

OF_SELECTIONS = frozenset({SELECTED, BESIDE, "selection_elsewhere"})

_LONGEST_QUESTION = 4000
_LONGEST_SELECTION = 5000
_AWAY = 2
"""Paragraphs from one to another that is likely on the same subject, but does not go on from it."""


@dataclass(frozen=True)
class LabelledBook:
    """A book and its questions. `source` returns what to ingest; it may write it into the folder."""

    name: str
    rows: tuple[GoldenRow, ...]
    source: Callable[[Path], Path]
    of_selections: tuple[GoldenRow, ...] = ()
    """Questions that are asked of selected paragraphs."""

    files: tuple[Path, ...] = ()
    judged: Path | None = None
    """Grades of what was shown for its questions, if they are kept."""

    language: str = ""
    exact: bool = True
    """Whether gold is quotations, so that it tells sentences apart, and not documents or sections."""

    @property
    def read(self) -> tuple[Path, ...]:
        """All files that its labels are from."""
        return (*self.files, self.judged) if self.judged else self.files

    @property
    def subject(self) -> str:
        """Books whose questions begin with one name are of one subject.

        The one may answer the other's questions. Parts of a set are told apart by their own names.
        """
        named = self.files[0].stem if len(self.files) == 1 and self.files[0].suffix else self.name
        return re.split(r"[^a-z]", named.lower(), maxsplit=1)[0]


def list_books(data: Path | None, most: int, seed: int) -> list[LabelledBook]:
    """Return the sample book and those that `data` holds, `most` questions of each at most.

    Raises DataError for a file that breaks its format.
    """
    books = [book for task in list_tasks(data) for book in _books_of(task)]
    return [
        replace(
            book,
            rows=tuple(_draw(book.rows, most, seed)),
            of_selections=_draw_of_selections(book, most, seed),
        )
        for book in books
    ]


def _draw_of_selections(book: LabelledBook, most: int, seed: int) -> tuple[GoldenRow, ...]:
    """Return at most `most` rows of each kind and label from those about selections."""
    apart: dict[tuple[str, bool], list[GoldenRow]] = {}
    for row in book.of_selections:
        apart.setdefault((row.kind, row.answerable), []).append(row)
    return tuple(row for held in apart.values() for row in _draw(held, most, seed))


def _draw(rows: Sequence[GoldenRow], most: int, seed: int) -> list[GoldenRow]:
    if len(rows) <= most:
        return list(rows)
    drawn = random.Random(seed).sample(range(len(rows)), most)  # noqa: S311 - not a secret
    return [rows[at] for at in sorted(drawn)]


def _books_of(task: Task) -> Iterator[LabelledBook]:
    if task.benchmark == "golden" and task.ingest is not None:
        yield _golden_book(task, task.ingest)
    elif task.benchmark == "chunks":
        yield from _corpora(task.paths[0])
    elif task.benchmark == "refusal":
        yield _paragraphs(task.name, task.paths[0])


def _golden_book(task: Task, ingest: Path) -> LabelledBook:
    """Return the book with its questions and what judges said of answers to them, if they did."""
    file = task.paths[0]
    rows = tuple(add_judgements(read_golden(file), task.judged))
    exact = any(gold.quote for row in rows for gold in row.gold)
    return LabelledBook(
        task.name, rows, lambda _: ingest, files=(file,), judged=task.judged, exact=exact
    )


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
        yield LabelledBook(name, rows, _writer({name: ("", text)}), files=(folder,))


def _paragraphs(name: str, file: Path) -> LabelledBook:
    """All paragraphs make a book; only questions that one of them answers are taken.

    The others differ from those by a word or two, which is for the answer's checks to see.
    """
    every = read_refusals(file)
    rows = [row for row in every if row.answerable and any(row.answers)]
    contexts = list(dict.fromkeys(row.context for row in rows))
    texts = {str(number): ("", context) for number, context in enumerate(contexts)}
    width = len(str(len(contexts)))
    names = {context: f"{number:0{width}}.md" for number, context in enumerate(contexts)}
    golden = tuple(
        GoldenRow(
            row.row_id,
            "paragraph",
            row.question,
            answerable=True,
            gold=_answers(row, names[row.context]),
        )
        for row in rows
    )
    of_selections = (*_of_paragraphs(every, names), *_beside_paragraphs(rows, contexts, names))
    return LabelledBook(name, golden, _writer(texts), of_selections, (file,))


def _of_paragraphs(rows: Sequence[RefusalRow], names: Mapping[str, str]) -> Iterator[GoldenRow]:
    """Yield every question with its paragraph selected, whether that answers it or only seems to."""
    for row in rows:
        if row.context in names:
            yield GoldenRow(
                f"{SELECTED}/{row.row_id}",
                SELECTED,
                row.question,
                row.answerable,
                _answers(row, names[row.context]),
                selection=_select(row.context, names),
            )


def _beside_paragraphs(
    rows: Sequence[RefusalRow], contexts: Sequence[str], names: Mapping[str, str]
) -> Iterator[GoldenRow]:
    """Yield every question with another paragraph selected, which does not hold the answer."""
    places = {context: place for place, context in enumerate(contexts)}
    for row in rows:
        other = contexts[(places[row.context] + _AWAY) % len(contexts)]
        said = any(answer and answer.lower() in other.lower() for answer in row.answers)
        if other != row.context and not said:
            yield GoldenRow(
                f"{BESIDE}/{row.row_id}",
                BESIDE,
                row.question,
                answerable=False,
                selection=_select(other, names),
            )


def _select(context: str, names: Mapping[str, str]) -> SelectedText:
    return SelectedText(names[context], context[:_LONGEST_SELECTION])


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


def foreign_selections(
    book: LabelledBook, books: Sequence[LabelledBook], most: int, seed: int
) -> list[GoldenRow]:
    """Return questions of other books with paragraphs of this one selected, which do not answer."""
    selections = [row.selection for row in book.of_selections]
    rows = foreign_rows(book, books, most, seed) if selections else []
    return [
        replace(row, kind="selection_elsewhere", selection=selection)
        for row, selection in zip(rows, cycle(selections), strict=False)
    ]
