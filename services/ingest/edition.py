"""The edition that a job is to make: what it is made from, what it keeps, what has to be read."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from libs.profiles import Chunking
from libs.text import is_printable
from services.ingest.job_state import Basis
from services.ingest.model.book import BlockKind, Document, Edition, KeptDocument, PlacedFile
from services.ingest.model.title import is_of_file
from services.ingest.parse import PARSER_VERSION
from services.ingest.parsers.formats import format_of
from services.ingest.pictures import PictureFiles
from services.ingest.plan import Plan
from services.ingest.ports.reading import Files
from services.ingest.ports.sharing import OfferedDocument
from services.ingest.publish import POINT_SCHEMA
from services.ingest.report import recipe_parts
from services.ingest.splitters.limits import VERSION as LIMITS_VERSION

_MAX_TITLE = 500
FOUND_LANGUAGE = "found 4"
"""Stands for the language of a book that states none. With another way of finding it, all documents
are read again."""


@dataclass(frozen=True)
class PlannedBook:
    """The plan of a book, made from its files, and how its documents are to be split."""

    plan: Plan
    files: Files
    hashes: Sequence[tuple[str, str]]
    """The digest of each file, by its path."""
    chunking: Chunking
    pictures: PictureFiles


@dataclass(frozen=True)
class Waiting:
    """A document that has to be read, and the digest of what it is to be made from."""

    placed: PlacedFile
    size: int
    made_from: str


@dataclass(frozen=True)
class EditionPlan:
    """What has to be done for the next edition: documents that stay, and those that wait."""

    target: Edition
    book: PlannedBook
    before: Mapping[str, KeptDocument]
    waiting: Sequence[Waiting]
    kept: Mapping[str, KeptDocument]

    @property
    def paths(self) -> list[str]:
        return [placed.file.path for placed in self.book.plan.documents]

    @property
    def removed(self) -> list[str]:
        """Paths of documents that the edition before has and the source has not."""
        return sorted(self.before.keys() - set(self.paths))

    @property
    def kept_chunks(self) -> int:
        return sum(document.chunk_count for document in self.kept.values())

    @property
    def waiting_bytes(self) -> int:
        return sum(item.size for item in self.waiting)

    def offered(self) -> list[OfferedDocument]:
        return [
            OfferedDocument(item.placed.file.path, item.placed.position, item.size)
            for item in self.waiting
        ]


def target_edition(
    basis: Basis,
    book: PlannedBook,
    collection: str,
    found: str = "",
    spoken: Sequence[str] = (),
) -> Edition:
    """Return the edition to make.

    `found` is what its only document turned out to be called, `spoken` the languages that its
    documents turned out to be in, that of most text first.
    """
    order, book_file = basis.job.order, book.plan.book_file
    chunking = book.chunking
    given = order.title or book_file.title or basis.current.title
    called = fit_title(book.plan.title) or fit_title(found) or name_of_file(book.plan)
    title = given or called or title_from(order.book)
    stated = order.language or book_file.language
    recipe = recipe_parts(
        title=title,
        language=stated or FOUND_LANGUAGE,
        parser=f"{PARSER_VERSION}, {LIMITS_VERSION}",
        points=POINT_SCHEMA,
        chunking={**asdict(chunking), "split_levels": list(chunking.split_levels)},
        collection=collection,
    )
    fingerprint = hashlib.sha256(json.dumps([recipe, book.hashes]).encode()).hexdigest()
    return Edition(
        number=basis.latest.number + 1,
        title=title,
        language=stated or next(iter(spoken), ""),
        fingerprint=fingerprint,
        collection=collection,
        recipe=recipe,
        languages=(stated,) if stated else tuple(spoken),
    )


def sort_documents(
    basis: Basis,
    book: PlannedBook,
    target: Edition,
    before: Mapping[str, KeptDocument],
    sizes: Mapping[str, int],
) -> tuple[dict[str, KeptDocument], list[Waiting]]:
    """Tell documents that stay as they are from those that have to be read."""
    kept: dict[str, KeptDocument] = {}
    waiting = []
    digests = source_digests(book.plan, target)
    for placed, made_from in zip(book.plan.documents, digests, strict=True):
        path = placed.file.path
        known = before.get(path)
        is_same = known and known.report and known.made_from == made_from
        if basis.intact and known and is_same and book.pictures.is_as_before(known.images):
            kept[path] = known
        else:
            waiting.append(Waiting(placed, sizes[path], made_from))
    return kept, waiting


def in_batches(sizes: Sequence[tuple[str, int]], most: int) -> Iterator[list[str]]:
    """Yield the paths in runs of at most `most` bytes, or of one file."""
    batch: list[str] = []
    weight = 0
    for path, size in sizes:
        if batch and weight + size > most:
            yield batch
            batch, weight = [], 0
        batch.append(path)
        weight += size
    if batch:
        yield batch


def source_digests(plan: Plan, target: Edition) -> Iterator[str]:
    """Yield for each document a digest of all that its text, chunks and points depend on."""
    recipe = {part: value for part, value in target.recipe.items() if part != "title"}
    shared: dict[int, str] = {}
    for placed in plan.documents:
        for part in (placed.names, placed.sheets):
            if id(part) not in shared:
                shared[id(part)] = _digest(dict(part))
        yield _digest(
            [
                *(placed.file.path, placed.file.content_hash, placed.position, placed.url),
                *(placed.title, placed.depth, placed.part_titles, placed.is_listed, recipe),
                *(shared[id(placed.names)], shared[id(placed.sheets)]),
                *(placed.module, placed.whole_book, sorted(placed.running), placed.authors),
            ]
        )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def own_title(document: Document, fallback: str) -> str:
    """Return what the document calls itself; "" when it has only the name of its file."""
    is_shown = any(
        block.kind is BlockKind.HEADING and document.text[block.start : block.end] == document.title
        for block in document.blocks
    )
    return document.title if is_shown or document.title != fallback else ""


def fit_title(title: str) -> str:
    """Return a title as one line; "" for one too long, or that says what file it was made from."""
    line = " ".join(title.split())
    is_fit = len(line) <= _MAX_TITLE and is_printable(line)
    return line if is_fit and not is_of_file(line) else ""


def name_of_file(plan: Plan) -> str:
    """Return what the only file of a PDF, an EPUB or a DOCX is called; "" for any other book."""
    paths = [one.file.path for one in plan.documents]
    is_one = len(paths) == 1 and format_of(paths[0]).is_binary
    return fit_title(PurePosixPath(paths[0]).stem) if is_one else ""


def title_from(slug: str) -> str:
    words = " ".join(slug.replace("-", " ").split())
    return words[:1].upper() + words[1:]
