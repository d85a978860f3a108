"""Read the points of chunks as the pipeline's model; raise QuothError for a damaged one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from libs.errors import QuothError
from libs.vectors.schema import Payload
from libs.vectors.stored import SealedHead, decode_chunk
from services.retrieval.adapters.outlines import Placed
from services.retrieval.model import DAMAGED, Chunk, FoundChunk, Listed, Neighbour, Span
from services.retrieval.vocabulary import count_words


def find_head(encoded: str, language: str = "") -> FoundChunk:
    try:
        head = SealedHead(encoded)
    except ValueError as error:
        raise QuothError(DAMAGED) from error
    return FoundChunk(head.terms, partial(_read_head, head, language), language)


def _read_head(sealed: SealedHead, language: str) -> Chunk:
    try:
        head = sealed.read()
    except ValueError as error:
        raise QuothError(DAMAGED) from error
    return Chunk(
        chunk_id=head.chunk_id,
        document=head.document,
        start=head.start,
        end=head.end,
        position=head.position,
        section_path=head.section_path,
        terms=sealed.terms,
        gap=head.gap,
        language=language,
    )


def read_chunk(encoded: str, head: str = "", language: str = "") -> Chunk:
    try:
        stored = decode_chunk(encoded)
        terms = SealedHead(head).terms if head else frozenset(stored.terms.split())
    except ValueError as error:
        raise QuothError(DAMAGED) from error
    return Chunk(
        chunk_id=stored.chunk_id,
        document=stored.document,
        start=stored.start,
        end=stored.end,
        position=stored.position,
        section_path=stored.section_path,
        section_keys=frozenset(stored.section_keys),
        anchor=stored.anchor,
        url=stored.url,
        page=stored.page,
        text=stored.text,
        spans=tuple(map(Span._make, stored.spans)),
        gap=stored.gap,
        page_breaks=stored.page_breaks,
        page_labels=stored.page_labels,
        terms=terms,
        span_vectors=stored.span_vectors,
        table_header=stored.table_header,
        footnotes=stored.footnotes,
        sections=stored.sections,
        neighbours=tuple(map(Neighbour._make, stored.neighbours)),
        lead_ins=stored.lead_ins,
        language=language,
    )


def read_place(payload: Mapping[str, Any]) -> Placed:
    try:
        document, start = str(payload[Payload.DOCUMENT]), int(payload[Payload.START])
        return document, start, [str(key) for key in payload[Payload.SECTIONS]]
    except (KeyError, TypeError, ValueError) as error:
        raise QuothError(DAMAGED) from error


def read_listed(payload: Mapping[str, Any]) -> Listed:
    try:
        depth, named = int(payload.get(Payload.DEPTH, 0)), payload.get(Payload.IS_LISTED)
        parts = tuple(map(str, payload.get(Payload.PART_TITLES, ())))
        return Listed(depth, parts, None if named is None else bool(named))
    except (TypeError, ValueError) as error:
        raise QuothError(DAMAGED) from error


def read_page(payloads: Sequence[Mapping[str, Any]]) -> list[Chunk]:
    return [read_chunk(str(payload.get(Payload.CHUNK))) for payload in payloads]


def count_page(payloads: Sequence[Mapping[str, Any]]) -> Counter[str]:
    chunks = read_page(payloads)
    return count_words("\n".join((*chunk.section_path, chunk.text)) for chunk in chunks)
