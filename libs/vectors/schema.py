"""Names in the collection, and the filters that make editions.

Every point is one chunk. `born` and `died` are edition numbers: edition N sees the point when
born <= N < died. Nothing of an edition is visible before the book's current edition is moved to it.
"""

from dataclasses import dataclass
from functools import cache

from libs.embedding.port import ModelStamp
from libs.vectors.qdrant import models
from libs.vectors.sections import SECTION_SEPARATOR

DENSE = "dense"
BM25 = "bm25"
ALIVE = 2**53 - 1
"""The value of `died` while a chunk is alive: the largest integer that survives JSON."""

TEXT_RECIPE = "section path > newline > body"
"""What is embedded: the titles above the chunk, then its own text. Part of the collection's name."""

STORED_RECIPE = "terms 1; span vectors in 4 bits"
"""How a chunk is stored beside its text: with the terms that libs.text finds in it, and with vectors
of its spans where the model gives them. Part of the collection's name: another schema can't be read."""

BM25_AVERAGE_LENGTH = 100.0
"""Mean number of terms of a chunk, a constant of BM25 that is fixed when a point is written."""


class Payload:
    """Keys of a point's payload: what filters need, and the chunk as a whole."""

    BOOK = "book"
    BORN = "born"
    DIED = "died"
    DOCUMENT = "document"
    START = "start"
    END = "end"
    SECTIONS = "sections"
    """Keys of the sections the chunk has text of; see section_keys."""
    LANGUAGE = "language"
    """ISO 639-1 code of the document; which terms its BM25 vectors are made of depends on it."""
    PAGE = "page"
    END_PAGE = "end_page"
    """The pages that the chunk begins and ends on; 0 for a source without pages, and older points
    have none."""
    PAGE_LABELS = "page_labels"
    """What the source calls the pages that the chunk has text of; none where it only counts them."""
    HEAD = "head"
    """What a search needs of all it finds, encoded by libs.vectors.stored; older points have none."""
    CHUNK = "chunk"
    """The chunk, encoded by libs.vectors.stored; read of the few that are shown or judged."""

    # For programs of others that read the collection: ours find the same in the chunk.
    CHUNK_ID = "chunk_id"
    """The chunk's id as a UUID, the same in every edition; that of the point is of one edition."""
    MODULE_ID = "module_id"
    CHAPTER_ID = "chapter_id"
    SECTION_ID = "section_id"
    CHAPTER_TITLE = "chapter_title"
    SECTION_HEADING = "section_heading"
    CHUNK_INDEX = "chunk_index"
    """How many chunks of the chapter come before it."""
    START_SENTENCE = "start_sentence"
    END_SENTENCE = "end_sentence"
    """Of the document's sentences, rows and items, counted from 0, the first and the last."""
    DEPTH = "depth"
    PART_TITLES = "part_titles"
    IS_LISTED = "is_listed"
    """Where the table of contents puts the document: how many entries stand over it, those of them that
    begin here and are no documents, and whether it names it at all. What is 0 or empty is not written,
    nothing is without a table, and older points have none."""
    SIZE = "token_count"
    URL = "url"


INDEXES: dict[str, models.PayloadSchemaType] = {
    Payload.BOOK: models.PayloadSchemaType.KEYWORD,
    Payload.DOCUMENT: models.PayloadSchemaType.KEYWORD,
    Payload.SECTIONS: models.PayloadSchemaType.KEYWORD,
    Payload.LANGUAGE: models.PayloadSchemaType.KEYWORD,
    Payload.BORN: models.PayloadSchemaType.INTEGER,
    Payload.DIED: models.PayloadSchemaType.INTEGER,
    Payload.START: models.PayloadSchemaType.INTEGER,
    Payload.END: models.PayloadSchemaType.INTEGER,
    Payload.PAGE: models.PayloadSchemaType.INTEGER,
    Payload.END_PAGE: models.PayloadSchemaType.INTEGER,
    Payload.PAGE_LABELS: models.PayloadSchemaType.KEYWORD,
}


COLLECTION_PREFIX = "quoth-"
"""What the names of all our collections begin with, one collection a model and text recipe."""


@cache
def collection_name(stamp: ModelStamp) -> str:
    """Return the one collection that holds vectors of this model and text recipe."""
    full = ModelStamp(
        stamp.name,
        stamp.revision,
        stamp.dimensions,
        stamp.max_tokens,
        f"{stamp.recipe}; {TEXT_RECIPE}; bm25 {BM25_AVERAGE_LENGTH}; {STORED_RECIPE}",
    )
    return COLLECTION_PREFIX + full.digest()


@dataclass(frozen=True)
class Scope:
    """The part of a book that may answer: one edition, and what of it."""

    book: str
    edition: int
    section_path: tuple[str, ...] = ()
    document: str = ""
    overlap: tuple[int, int] | None = None
    """Only chunks that share a character with this range of `document`."""

    places: tuple[tuple[str, int, int], ...] = ()
    """Only chunks that share a character with one of these: document, start and end."""

    page: str = ""
    """Only chunks that have text of this page: of the one that the source calls so, in whatever case,
    where it labels its pages, else of the one that has this number."""

    paged: bool = False
    """Only chunks of a source that has pages."""

    def to_filter(self) -> models.Filter:
        must: list[models.Condition] = [
            match(Payload.BOOK, self.book),
            models.FieldCondition(key=Payload.BORN, range=models.Range(lte=self.edition)),
            models.FieldCondition(key=Payload.DIED, range=models.Range(gt=self.edition)),
        ]
        if self.section_path:
            must.append(match(Payload.SECTIONS, SECTION_SEPARATOR.join(self.section_path)))
        if self.document:
            must.append(match(Payload.DOCUMENT, self.document))
        if self.overlap is not None:
            must += _overlap(*self.overlap)
        if self.page:
            must.append(_on_page(self.page))
        if self.paged:
            must.append(models.FieldCondition(key=Payload.END_PAGE, range=models.Range(gte=1)))
        places: list[models.Condition] = [
            models.Filter(must=[match(Payload.DOCUMENT, document), *_overlap(start, end)])
            for document, start, end in self.places
        ]
        return models.Filter(must=must, should=places or None)


def _on_page(page: str) -> models.Condition:
    written = list(dict.fromkeys((page, page.lower(), page.upper())))
    named = models.FieldCondition(key=Payload.PAGE_LABELS, match=models.MatchAny(any=written))
    if not page.isdecimal():
        return named
    unnamed = models.IsEmptyCondition(is_empty=models.PayloadField(key=Payload.PAGE_LABELS))
    begins = models.FieldCondition(key=Payload.PAGE, range=models.Range(lte=int(page)))
    ends = models.FieldCondition(key=Payload.END_PAGE, range=models.Range(gte=int(page)))
    return models.Filter(should=[named, models.Filter(must=[unnamed, begins, ends])])


def _overlap(start: int, end: int) -> list[models.FieldCondition]:
    return [
        models.FieldCondition(key=Payload.START, range=models.Range(lt=end)),
        models.FieldCondition(key=Payload.END, range=models.Range(gt=start)),
    ]


def match(key: str, value: str | int) -> models.FieldCondition:
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))
