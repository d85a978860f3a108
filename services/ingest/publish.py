"""Write the points of the next edition, and compare them with what readers see now.

Points carry the editions they are born and dead in. Everything here is invisible until the book's
current edition moves, which is one transaction after the last of these steps.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from libs.vectors.schema import Payload
from libs.vectors.stored import StoredChunk
from services.ingest.embedding_text import SPAN_RECIPE, TERM_RECIPE
from services.ingest.errors import IndexDiffers
from services.ingest.model.book import (
    Chunk,
    ChunkRecord,
    ChunkVectors,
    Document,
    DocumentRecord,
    DocumentReport,
    Edition,
    Published,
    ReadDocument,
)
from services.ingest.model.byline import NO_BYLINE
from services.ingest.ports.index import ChunkKey, PassageIndex
from services.ingest.ports.sharing import Reporter

POINT_SCHEMA = sorted(
    [value for name, value in vars(Payload).items() if name.isupper()]
    + list(StoredChunk.__struct_fields__)
    + [SPAN_RECIPE, TERM_RECIPE]
)
"""What a point holds: with other fields or vectors than before, all have to be written again."""

_WRITTEN_TOGETHER = 64
_RETIRED_TOGETHER = 512


@dataclass(frozen=True)
class Change:
    """What the next edition does to the points: these are born, these die, the others stay."""

    born: Sequence[ChunkRecord]
    died: Sequence[Published]
    from_scratch: bool = False
    """The index does not hold what it should: all points are born anew, and what was there before
    dies at the end, whatever it is."""


def point_digest(chunk: Chunk, language: str) -> str:
    """Return a digest of everything a point holds but its editions and its vectors."""
    # By hand what asdict does, which takes ten times as long.
    spans = [vars(span) for span in chunk.spans]
    beside = [vars(one) for one in chunk.neighbours]
    fields = {**vars(chunk), "spans": spans, "place": vars(chunk.place), "neighbours": beside}
    # Points of before there were these keep their digests where they would have none.
    for name in ("caption", "other_forms", "neighbours", "lead_ins", "defined"):
        if not fields[name]:
            del fields[name]
    text = json.dumps([fields, language, POINT_SCHEMA], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def record_document(read: ReadDocument, made_from: str, report: DocumentReport) -> DocumentRecord:
    document, chunk_count = read.document, len(read.chunks)
    text = json.dumps([_fields(document), chunk_count], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return DocumentRecord(document, chunk_count, digest, made_from, report, read.images)


def _fields(document: Document) -> dict[str, object]:
    added = (
        *("markup", "depth", "part_titles", "module", "whole_book", "images", "lead_ins"),
        "page_labels",
    )
    unseen = {
        "dropped_content",
        "is_listed",
        *(name for name in added if not getattr(document, name)),
    }
    if document.byline == NO_BYLINE:
        unseen.add("byline")
    seen = {name: value for name, value in vars(document).items() if name not in unseen}
    return {
        **seen,
        # Readers see nothing of what was dropped; the name stands for the digests of earlier editions,
        # for which what was added since then is left out where there is none.
        "losses": None,
        "notes": [vars(note) for note in document.notes],
        "blocks": [vars(block) for block in document.blocks],
        "sections": [vars(section) for section in document.sections],
    }


def compare(
    records: Sequence[ChunkRecord], published: Mapping[str, Published], collection: str
) -> Change:
    """Find what differs between the chunks of the source and those that readers see.

    Points outside of `collection` can't be kept.
    """
    kept = {
        record.chunk.chunk_id
        for record in records
        if (before := published.get(record.chunk.chunk_id))
        and (before.digest, before.collection) == (record.digest, collection)
    }
    return Change(
        born=[record for record in records if record.chunk.chunk_id not in kept],
        died=[before for chunk_id, before in published.items() if chunk_id not in kept],
    )


async def write_points(
    book: str,
    edition: Edition,
    change: Change,
    vectors: Sequence[ChunkVectors],
    *,
    index: PassageIndex,
    reporter: Reporter,
) -> None:
    """Write the points of the edition. Calling it again does no harm."""
    written = zip(change.born, vectors, strict=True)
    for language, of_language in groupby(written, lambda item: item[0].language):
        same = list(of_language)
        for start in range(0, len(same), _WRITTEN_TOGETHER):
            reporter.check()
            together = same[start : start + _WRITTEN_TOGETHER]
            chunks = [record.chunk for record, _ in together]
            of_chunks = [vector for _, vector in together]
            await index.write(book, language, edition.number, chunks, of_chunks)
    if not change.from_scratch:
        await retire_points(book, change.died, edition.number, index, reporter)


async def retire_points(
    book: str,
    died: Sequence[Published],
    number: int,
    index: PassageIndex,
    reporter: Reporter,
    *,
    collection: str = "",
) -> None:
    """Let points of the book be seen only before edition `number`; `collection` is another model's."""
    for start in range(0, len(died), _RETIRED_TOGETHER):
        reporter.check()
        together = died[start : start + _RETIRED_TOGETHER]
        await index.retire(book, together, number, collection=collection)


async def verify_points(
    book: str, number: int, expected: Set[ChunkKey], index: PassageIndex
) -> None:
    """Raise IndexDiffers unless a reader of edition `number` would find these chunks, and no more."""
    condition = await index.examine(book, number, expected, whole=False)
    if not condition.is_sound:
        raise IndexDiffers(f"of {len(expected)} points {condition}")
