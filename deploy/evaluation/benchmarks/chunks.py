"""Measure how much of exact excerpts, and how little else, the product retrieves.

Whole passages are scored, as everybody's chunks are, and what the product marks inside of them.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from deploy.evaluation import metrics
from deploy.evaluation.datasets import ChunkSet, Excerpts
from deploy.evaluation.product import Json, each
from deploy.evaluation.quotations import Alignment, Range, align
from deploy.evaluation.report.plain import write_documents
from deploy.evaluation.report.result import Measured, Row
from deploy.evaluation.session import Session

RETRIEVED = 5
_HIGHLIGHTED = tuple(f"highlighted_{name}" for name in ("recall", "precision", "iou", "characters"))
_WINDOW = 5000
_MOST_PASSAGES = 50
_AS_THEY_ARE = "textbook"
"""The shipped profile that takes selected text as it is, and joins no chunks."""


@dataclass(frozen=True)
class Corpus:
    """An ingested corpus: its document, the way back to its own offsets, and all its chunks."""

    name: str
    document: str
    alignment: Alignment
    chunks: list[Range]

    def own_range(self, piece: Json) -> Range:
        return self.alignment.back(piece["start"], piece["end"])


async def measure_chunks(
    session: Session, book: str, chunk_set: ChunkSet, retrieved: int = RETRIEVED
) -> Measured:
    """Ingest the corpora as one book, search every question, and score ranges of characters.

    All offsets are those of the corpora's own files, so figures of other systems compare.
    """
    corpora = await _ingest(session, book, chunk_set)

    async def search(item: tuple[int, Excerpts]) -> Row:
        number, excerpts = item
        request = {
            "question": excerpts.question[:4000],
            "max_passages": retrieved,
            "profile": session.profile,
        }
        found = await session.product.search(book, request)
        return score_question(f"{number}", excerpts, found["passages"], corpora)

    rows = await each(
        list(enumerate(chunk_set.questions)),
        search,
        what="questions",
        progress=session.progress,
        concurrency=session.concurrency,
    )
    return summarise(rows, corpora, retrieved)


async def _ingest(session: Session, book: str, chunk_set: ChunkSet) -> dict[str, Corpus]:
    with tempfile.TemporaryDirectory() as folder:
        texts = {name: ("", text) for name, text in chunk_set.corpora.items()}
        names = write_documents(Path(folder), texts)
        await session.product.ingest(
            book, Path(folder), profile=session.profile, progress=session.progress
        )
    ingested = await session.product.read_book(book)
    corpora = {}
    for document, name in names.items():
        text = ingested.documents[document].text
        alignment = align(chunk_set.corpora[name], text)
        chunks = await _list_chunks(session, book, document, len(text))
        corpora[document] = Corpus(
            name, document, alignment, sorted(alignment.back(*chunk) for chunk in chunks)
        )
    return corpora


async def _list_chunks(session: Session, book: str, document: str, length: int) -> set[Range]:
    """Return every chunk of a document: all that overlap one mark after the other."""

    async def search(start: int) -> list[Json]:
        request = {
            "question": "text",
            "max_passages": _MOST_PASSAGES,
            "profile": _AS_THEY_ARE,
            "selection": {
                "document": document,
                "start": start,
                "end": min(start + _WINDOW, length),
            },
        }
        found: list[Json] = (await session.product.search(book, request))["passages"]
        return found

    starts = [*range(0, max(length - _WINDOW, 0), _WINDOW), max(length - _WINDOW, 0)]
    found = await each(
        starts,
        search,
        what=f"chunks of {document}",
        progress=session.progress,
        concurrency=session.concurrency,
    )
    return {(passage["start"], passage["end"]) for passages in found for passage in passages}


def score_question(
    row_id: str, excerpts: Excerpts, passages: Sequence[Json], corpora: dict[str, Corpus]
) -> Row:
    """Score the passages found for one question."""
    home = next(corpus for corpus in corpora.values() if corpus.name == excerpts.corpus)
    ranges = [
        (passage["document"], corpora[passage["document"]].own_range(passage))
        for passage in passages
    ]
    row = _score(excerpts, ranges, home)
    highlighted = [
        (passage["document"], corpora[passage["document"]].own_range(span))
        for passage in passages
        for span in passage["spans"]
        if span["highlighted"]
    ]
    row |= {
        f"highlighted_{name}": value for name, value in _score(excerpts, highlighted, home).items()
    }
    del row["highlighted_precision_omega"]  # of chunks alone
    return {"id": row_id, "corpus": excerpts.corpus, **row}


def _score(excerpts: Excerpts, ranges: Sequence[tuple[str, Range]], home: Corpus) -> Row:
    size = metrics.length(place for _, place in ranges)
    inside = [place for document, place in ranges if document == home.document]
    figures = metrics.chunk_figures(excerpts.ranges, inside, size, home.chunks)
    return {**asdict(figures), "characters": size}


def summarise(rows: Sequence[Row], corpora: dict[str, Corpus], retrieved: int) -> Measured:
    """Make the figures over all questions and by corpus."""
    names = ("recall", "precision", "iou", "precision_omega", "characters", *_HIGHLIGHTED)
    chunks = [chunk for corpus in corpora.values() for chunk in corpus.chunks]
    figures = {
        "n": len(rows),
        "retrieved": retrieved,
        **{name: fmean(row[name] for row in rows) for name in names},
        "chunks": len(chunks),
        "mean_chunk_characters": metrics.length(chunks) / len(chunks) if chunks else None,
        "aligned": min(corpus.alignment.share for corpus in corpora.values()),
        "by_corpus": {
            corpus.name: {
                name: fmean(row[name] for row in rows if row["corpus"] == corpus.name)
                for name in names
            }
            for corpus in corpora.values()
            if any(row["corpus"] == corpus.name for row in rows)
        },
    }
    return Measured(figures, list(rows))
