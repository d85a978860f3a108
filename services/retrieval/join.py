"""Join the passages of a group, which continue or repeat one another, into one."""

from collections.abc import Sequence
from functools import reduce

from msgspec.structs import replace

from services.retrieval.model import Chunk, HighlightedPassage, Neighbour, Passage, Span


def _is_unbroken(chunks: Sequence[Chunk]) -> bool:
    """Whether each of the chunks, in order, touches one before it."""
    return all(
        any(chunk.touches(before) for before in chunks[:place])
        for place, chunk in enumerate(chunks[1:], 1)
    )


def _place(chunk: Chunk) -> tuple[int, int]:
    return chunk.start, chunk.end


def join_groups(
    groups: Sequence[Sequence[Passage]], highlighted: Sequence[HighlightedPassage]
) -> tuple[HighlightedPassage, ...]:
    """Make one passage of each group; `highlighted` has the passages of all groups in order.

    It has one range, the spans of all as they were scored, and the scores of the best one. Of a group
    that lost a chunk in its middle, which was deleted meanwhile, the best one stays.
    """
    waiting = iter(highlighted)
    return tuple(_join_group([next(waiting) for _ in group]) for group in groups)


def _join_group(items: Sequence[HighlightedPassage]) -> HighlightedPassage:
    best = items[0].passage
    chunks = sorted((item.passage.chunk for item in items), key=_place)
    if len(items) == 1 or not _is_unbroken(chunks):
        return items[0]
    chunk = reduce(join_chunks, chunks)
    scores: dict[Span, float] = {}
    highlighted: set[Span] = set()
    for item in items:
        spans = item.passage.chunk.spans
        for span, score, carries in zip(spans, item.span_scores, item.highlighted, strict=True):
            scores[span] = max(score, scores.get(span, 0.0))
            highlighted.update([span] if carries else [])
    chunk = replace(chunk, chunk_id=best.chunk.chunk_id)
    return HighlightedPassage(
        replace(best, candidate=replace(best.candidate, found=chunk)),
        tuple(scores[span] for span in chunk.spans),
        tuple(span in highlighted for span in chunk.spans),
    )


def join_chunks(first: Chunk, second: Chunk) -> Chunk:
    """Return one chunk of both ranges, which overlap or have only white space between them.

    `first` does not start after `second`, and both are of one section of one document. What is joined
    has been scored and needs no vectors any more.
    """
    longer = second.end > first.end
    gap = first.gap[: max(0, second.start - first.end)]
    text = first.text + gap + second.text[max(0, first.end - second.start) :]
    notes = dict.fromkeys((*first.footnotes, *second.footnotes))
    return replace(
        first,
        end=max(first.end, second.end),
        text=text,
        spans=_join_spans(first, second),
        span_vectors=b"",
        terms=first.terms | second.terms,
        section_keys=first.section_keys | second.section_keys,
        page_breaks=_join_pages(first, second),
        page_labels=tuple(dict.fromkeys((*first.page_labels, *second.page_labels))),
        footnotes=tuple(note for note in notes if note not in text),
        sections=_join_sections(first, second),
        gap=second.gap if longer else first.gap,
        neighbours=_join_neighbours(first, second),
        lead_ins=tuple(sorted({*first.lead_ins, *second.lead_ins})),
    )


def _join_neighbours(first: Chunk, second: Chunk) -> tuple[Neighbour, ...]:
    """Return what stands before the first and behind the one that ends last."""
    last = second if second.end > first.end else first
    before = (one for one in first.neighbours if one.end <= first.start)
    behind = (one for one in last.neighbours if one.start >= last.end)
    return (*before, *behind)


def _join_spans(first: Chunk, second: Chunk) -> tuple[Span, ...]:
    """Return the spans of both in order, each piece of text once: what one cut short goes."""
    whole: list[Span] = []
    for span in sorted({*first.spans, *second.spans}, key=lambda span: (span.start, -span.end)):
        if not whole or span.end > whole[-1].end:
            whole.append(span)
    return tuple(whole)


def _join_sections(first: Chunk, second: Chunk) -> tuple[tuple[int, tuple[str, ...], str], ...]:
    """Return where sections begin inside of both; nothing where one section has all of it."""
    if not first.sections and not second.sections:
        return ()
    begins = first.sections or ((first.start, first.section_path, first.anchor),)
    held = [item for item in begins if item[0] < second.start or item[0] < first.end]
    last = held[-1][1:] if held else ()
    for item in second.sections or ((second.start, second.section_path, second.anchor),):
        if item[0] >= first.end and item[1:] != last:
            held.append(item)
            last = item[1:]
    return tuple(held)


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
