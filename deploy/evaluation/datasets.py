"""Read and check labelled files, for every benchmark."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

T = TypeVar("T")
Need = Literal["all", "any"]
Record = dict[str, Any]


class DataError(Exception):
    """A file that breaks its format; the message names file, line and fault."""


PARAPHRASE = "paraphrase"
"""Kind of a question in other words than the book's: so a row says in `sub`."""


@dataclass(frozen=True)
class Gold:
    """Where the answer stands; without a quote, anywhere in the document."""

    path: str
    quote: str = ""


@dataclass(frozen=True)
class SelectedText:
    """What a reader selected before asking, in the source's own spelling."""

    path: str
    text: str


@dataclass(frozen=True)
class GoldenRow:
    """One question to a book, and what the book says."""

    row_id: str
    kind: str
    question: str
    answerable: bool
    gold: tuple[Gold, ...] = ()
    need: Need = "any"
    history: tuple[dict[str, str], ...] = ()
    selection: SelectedText | None = None
    grades: Mapping[str, int] | None = None
    """Of sentences that were shown for it, by their key (`judgements.py`); None where nobody judged."""


@dataclass(frozen=True)
class RetrievalSet:
    """Documents (id, title, text), questions (id, text) and judged gains by question and document."""

    documents: dict[str, tuple[str, str]]
    questions: dict[str, str]
    gains: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Excerpts:
    """One question of a chunking set and the ranges of its corpus that answer it."""

    question: str
    corpus: str
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ChunkSet:
    """Whole corpora by name, and questions with exact excerpts."""

    corpora: dict[str, str]
    questions: tuple[Excerpts, ...]


@dataclass(frozen=True)
class ClaimRow:
    """A claim, the text it is held against, and whether that text supports it."""

    row_id: str
    context: str
    claim: str
    supported: bool
    question: str = ""


@dataclass(frozen=True)
class RefusalRow:
    """A question, one paragraph, and whether the paragraph answers it."""

    row_id: str
    question: str
    context: str
    answerable: bool
    answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlantedText:
    """A text to plant in a passage: an attack, or harmless text that looks like one."""

    row_id: str
    text: str
    category: str = ""


@dataclass(frozen=True)
class Carrier:
    """A passage to plant texts in, with a question about it."""

    context: str
    question: str


@dataclass(frozen=True)
class Question:
    """A question alone. `answerable` is what its file says of it, true when it says nothing."""

    row_id: str
    text: str
    answerable: bool = True


@dataclass(frozen=True)
class _Line:
    """One object of a JSONL file, with its place for messages."""

    place: str
    record: Record = field(repr=False)

    def text(self, *names: str, default: str | None = None) -> str:
        for name in names:
            value = self.record.get(name)
            if isinstance(value, str) and (value.strip() or default is not None):
                return value
        if default is not None:
            return default
        raise DataError(f"{self.place}: needs {' or '.join(names)}")

    def row_id(self, number: int) -> str:
        return str(self.record.get("id", number))


def read_golden(path: Path) -> list[GoldenRow]:
    """Read golden rows, or quiz rows that name only the document that holds the answer."""
    return _unique(path, _each(path, _golden_row), lambda row: row.row_id)


def _golden_row(line: _Line, number: int) -> GoldenRow:
    gold = _gold_of(line)
    answerable = line.record.get("answerable", True)
    if not isinstance(answerable, bool):
        raise DataError(f"{line.place}: answerable must be true or false")
    if answerable and not gold:
        raise DataError(f"{line.place}: an answerable row needs gold or gold_path")
    need = line.record.get("need") or "any"
    if need not in get_args(Need):
        raise DataError(f"{line.place}: need must be all or any")
    selected = line.record.get("selection")
    return GoldenRow(
        row_id=line.row_id(number),
        kind=PARAPHRASE
        if line.record.get("sub") == PARAPHRASE
        else line.text("kind", default="fact"),
        question=line.text("question"),
        answerable=answerable,
        gold=gold,
        need=cast("Need", need),
        history=tuple(line.record.get("history") or ()),
        selection=SelectedText(selected["path"], selected["text"]) if selected else None,
    )


def _gold_of(line: _Line) -> tuple[Gold, ...]:
    listed = line.record.get("gold")
    if listed is None and "gold_path" in line.record:
        return (Gold(line.text("gold_path"), line.text("answer_section", default="")),)
    try:
        return tuple(Gold(item["path"], item["quote"]) for item in listed or ())
    except (TypeError, KeyError) as error:
        raise DataError(f"{line.place}: gold needs path and quote") from error


def read_retrieval(path: Path) -> RetrievalSet:
    """Read a folder of `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, or a file of refusal's format.

    Unjudged and unanswerable questions are left out.
    """
    return _read_collection(path) if path.is_dir() else _collect_paragraphs(path)


def _collect_paragraphs(file: Path) -> RetrievalSet:
    """Make each paragraph a document, the one that its questions are to find."""
    rows = read_refusals(file)
    names = {
        text: f"p{number}" for number, text in enumerate(dict.fromkeys(r.context for r in rows))
    }
    asked = [row for row in rows if row.answerable]
    if not asked:
        raise DataError(f"{file}: no question is answerable")
    return RetrievalSet(
        {name: ("", text) for text, name in names.items()},
        {row.row_id: row.question for row in asked},
        {row.row_id: {names[row.context]: 1.0} for row in asked},
    )


def _read_collection(folder: Path) -> RetrievalSet:
    documents = {
        line.row_id(number): (line.text("title", default=""), line.text("text"))
        for number, line in _lines(folder / "corpus.jsonl")
    }
    asked = {
        line.row_id(number): line.text("text", "question")
        for number, line in _lines(folder / "queries.jsonl")
    }
    gains: dict[str, dict[str, float]] = {}
    for question, document, gain in _judgements(folder / "qrels.tsv"):
        if document not in documents:
            raise DataError(f"{folder / 'qrels.tsv'}: no document {document!r} in corpus.jsonl")
        gains.setdefault(question, {})[document] = gain
    questions = {name: text for name, text in asked.items() if name in gains}
    if not questions:
        raise DataError(f"{folder}: no question has a judgement")
    return RetrievalSet(documents, questions, gains)


def _judgements(path: Path) -> Iterator[tuple[str, str, float]]:
    with _open(path) as file:
        for number, row in enumerate(csv.reader(file, delimiter="\t"), start=1):
            if number == 1 and not row[-1].lstrip("-").isdigit():
                continue
            # BEIR has three columns, TREC four.
            columns = [row[0], *row[-2:]]
            try:
                yield columns[0], columns[1], float(columns[2])
            except ValueError as error:
                raise DataError(f"{path}:{number}: the last column must be a number") from error


def read_chunks(folder: Path) -> ChunkSet:
    """Read `corpora/*.md` and `questions_df.csv` of the chunking evaluation."""
    corpora = {
        path.stem: path.read_bytes().decode("utf-8") for path in sorted(folder.glob("corpora/*.md"))
    }
    table = folder / "questions_df.csv"
    csv.field_size_limit(1 << 30)
    with _open(table) as file:
        questions = tuple(
            _excerpts(record, f"{table}:{number}", corpora)
            for number, record in enumerate(csv.DictReader(file), start=2)
        )
    return ChunkSet(corpora, questions)


def _excerpts(record: dict[str, str], place: str, corpora: dict[str, str]) -> Excerpts:
    try:
        listed = json.loads(record["references"])
        ranges = tuple((int(item["start_index"]), int(item["end_index"])) for item in listed)
        found = Excerpts(record["question"], record["corpus_id"], ranges)
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{place}: needs question, corpus_id and references") from error
    if found.corpus not in corpora:
        raise DataError(f"{place}: no corpora/{found.corpus}.md")
    return found


def read_claims(path: Path) -> list[ClaimRow]:
    """Read claims with their context, given whole or as `context_sentences`."""

    def row(line: _Line, number: int) -> ClaimRow:
        context = line.text("context", default="") or " ".join(
            line.record.get("context_sentences") or ()
        )
        label = line.record.get("label")
        if label not in (0, 1):
            raise DataError(f"{line.place}: label must be 0 or 1")
        question = line.text("question", default="")
        return ClaimRow(line.row_id(number), context, line.text("claim"), label == 1, question)

    return _each(path, row)


def read_refusals(path: Path) -> list[RefusalRow]:
    """Read questions with one paragraph each."""

    def row(line: _Line, number: int) -> RefusalRow:
        answerable = line.record.get("answerable")
        if not isinstance(answerable, bool):
            raise DataError(f"{line.place}: answerable must be true or false")
        answers = tuple(line.record.get("answers") or ())
        return RefusalRow(
            line.row_id(number), line.text("question"), line.text("context"), answerable, answers
        )

    return _each(path, row)


def read_planted(path: Path) -> list[PlantedText]:
    """Read attacks or benign texts; empty ones are left out."""

    def row(line: _Line, number: int) -> PlantedText:
        return PlantedText(
            line.row_id(number), line.text("text", default=""), line.text("category", default="")
        )

    return [item for item in _each(path, row) if item.text.strip()]


def read_carriers(path: Path) -> list[Carrier]:
    """Read passages with a question each."""
    return _each(path, lambda line, _: Carrier(line.text("context"), line.text("question")))


def read_questions(path: Path) -> list[Question]:
    """Read questions alone, from any format that has them."""
    return _each(
        path,
        lambda line, number: Question(
            line.row_id(number),
            line.text("question", "text"),
            answerable=line.record.get("answerable", True) is True,
        ),
    )


def _each(path: Path, make: Callable[[_Line, int], T]) -> list[T]:
    rows = [make(line, number) for number, line in _lines(path)]
    if not rows:
        raise DataError(f"{path}: holds no rows")
    return rows


def _unique(path: Path, rows: list[T], name: Callable[[T], str]) -> list[T]:
    seen: set[str] = set()
    for row in rows:
        if name(row) in seen:
            raise DataError(f"{path}: the id {name(row)!r} is there twice")
        seen.add(name(row))
    return rows


def _lines(path: Path) -> Iterator[tuple[int, _Line]]:
    with _open(path) as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            place = f"{path}:{number}"
            try:
                record = json.loads(text)
            except ValueError as error:
                raise DataError(f"{place}: is not JSON") from error
            if not isinstance(record, dict):
                raise DataError(f"{place}: is not an object")
            yield number, _Line(place, record)


def _open(path: Path) -> Any:
    try:
        return path.open(encoding="utf-8", newline="")
    except OSError as error:
        raise DataError(f"{path}: can't be read ({error.strerror})") from error
