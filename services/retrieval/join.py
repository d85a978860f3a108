"""Stage: ranked passages in, those that continue or repeat one another as one, out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from services.retrieval.model import Chunk, Passage, Unit

MOST_CHARACTERS = 4000
"""A passage does not grow beyond this: a reader, and a model, can take in only so much."""


def join_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Join passages of one section that overlap, or have only white space between them.

    What is joined has one range, the units of all, and the place and the scores of the best one.
    """
    ranks = {id(passage): rank for rank, passage in enumerate(passages)}
    by_section = defaultdict[tuple[str, ...], list[Passage]](list)
    for passage in sorted(passages, key=lambda passage: (passage.chunk.start, passage.chunk.end)):
        by_section[passage.chunk.document, *passage.chunk.section_path].append(passage)
    joined: list[tuple[int, Passage]] = []
    for inside in by_section.values():
        rank, current = ranks[id(inside[0])], inside[0]
        for passage in inside[1:]:
            chunk = join_chunks(current.chunk, passage.chunk)
            if chunk is None:
                joined.append((rank, current))
                rank, current = ranks[id(passage)], passage
                continue
            better = current if rank < ranks[id(passage)] else passage
            rank = min(rank, ranks[id(passage)])
            chunk = replace(chunk, chunk_id=better.chunk.chunk_id)
            current = replace(better, candidate=replace(better.candidate, chunk=chunk))
        joined.append((rank, current))
    return [passage for _, passage in sorted(joined, key=lambda item: item[0])]


def join_chunks(first: Chunk, second: Chunk) -> Chunk | None:
    """Return one chunk of both ranges; None when more than white space is between them.

    `first` does not start after `second`, and both are of one section of one document.
    """
    reached = first.end if second.start <= first.end else first.end + len(first.gap)
    if second.start > reached or max(first.end, second.end) - first.start > MOST_CHARACTERS:
        return None
    longer = second.end > first.end
    gap = first.gap[: max(0, second.start - first.end)]
    text = first.text + gap + second.text[max(0, first.end - second.start) :]
    notes = dict.fromkeys((*first.footnotes, *second.footnotes))
    units, vectors = _join_units(first, second)
    return replace(
        first,
        end=max(first.end, second.end),
        text=text,
        units=units,
        unit_vectors=vectors,
        terms=first.terms | second.terms,
        section_keys=first.section_keys | second.section_keys,
        page_breaks=_join_pages(first, second),
        footnotes=tuple(note for note in notes if note not in text),
        gap=second.gap if longer else first.gap,
    )


def _join_units(first: Chunk, second: Chunk) -> tuple[tuple[Unit, ...], bytes]:
    """Return the units of both in order, each piece of text once: what one cut short goes."""
    rows = {**_rows(second), **_rows(first)}
    whole: list[Unit] = []
    for unit in sorted(rows, key=lambda unit: (unit.start, -unit.end)):
        if not whole or unit.end > whole[-1].end:
            whole.append(unit)
    vectors = [rows[unit] for unit in whole]
    return tuple(whole), b"".join(vectors) if all(vectors) else b""


def _rows(chunk: Chunk) -> dict[Unit, bytes]:
    """Return each unit's packed vector."""
    width = len(chunk.unit_vectors) // max(1, len(chunk.units))
    return {
        unit: chunk.unit_vectors[place * width : (place + 1) * width]
        for place, unit in enumerate(chunk.units)
    }


def _join_pages(first: Chunk, second: Chunk) -> tuple[tuple[int, int], ...]:
    """Return where pages begin inside of both; the second's first page where it is another one."""
    before = [item for item in first.page_breaks if item[0] < second.start or item[0] < first.end]
    page = before[-1][1] if before else first.page
    after = [(second.start, second.page), *second.page_breaks]
    for start, number in after:
        if start >= first.end and number != page:
            before.append((start, number))
            page = number
    return tuple(before)
