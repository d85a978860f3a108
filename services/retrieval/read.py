"""Read whole what was ranked, as far as it is asked of: a candidate has only what ranking needs."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from libs.vectors.packed import take_rows
from libs.vectors.schema import Scope
from services.retrieval.model import Chunk, Passage, Span, distinct_terms
from services.retrieval.ports import PassageIndex


async def read_whole(
    index: PassageIndex,
    passages: Sequence[Passage],
    scope: Scope | None = None,
    *,
    timeout_s: float,
) -> dict[str, Chunk]:
    """Return the whole chunks of the passages by their ids, without those that went away.

    With a `scope`, they have no more than their text in its section and on its pages.
    """
    candidates = {passage.chunk.chunk_id: passage.candidate for passage in passages}
    whole = await index.read(list(candidates.values()), timeout_s=timeout_s)
    return whole if scope is None else hold_within(whole, scope)


def fill_passages(passages: Sequence[Passage], whole: Mapping[str, Chunk]) -> list[Passage]:
    """Return the passages with the whole chunks, without those that are not among them."""
    return [
        replace(passage, candidate=replace(passage.candidate, found=whole[passage.chunk.chunk_id]))
        for passage in passages
        if passage.chunk.chunk_id in whole
    ]


def hold_within(chunks: Mapping[str, Chunk], scope: Scope) -> dict[str, Chunk]:
    """Return the chunks with no more than their text in the scope's section and on its pages.

    Those that have none there are left out. Of an edition that does not say where in a chunk sections
    begin, chunks stay whole as far as sections go.
    """
    cut = ((name, _cut(chunk, scope)) for name, chunk in chunks.items())
    return {name: chunk for name, chunk in cut if chunk is not None}


def _cut(chunk: Chunk, scope: Scope) -> Chunk | None:
    kept = [at for at, span in enumerate(chunk.spans) if _holds(chunk, span, scope)]
    if len(kept) == len(chunk.spans):
        return chunk
    if not kept:
        return None
    spans = tuple(chunk.spans[at] for at in kept)
    start = spans[0].start if kept[0] else chunk.start
    end = spans[-1].end if kept[-1] + 1 < len(chunk.spans) else chunk.end
    text = chunk.text[start - chunk.start : end - chunk.start]
    path, anchor = chunk.section_at(start)
    return replace(
        chunk,
        start=start,
        end=end,
        text=text,
        spans=spans,
        span_vectors=take_rows(chunk.span_vectors, len(chunk.spans), kept),
        terms=distinct_terms("\n".join((text, *path))),
        section_path=path,
        anchor=anchor,
        url=chunk.url_of(anchor),
        sections=tuple(one for one in chunk.sections if one[0] < end),
        page=chunk.page_at(start),
        page_breaks=tuple(one for one in chunk.page_breaks if start < one[0] < end),
        table_header=chunk.table_header if start == chunk.start else "",
        gap=chunk.gap if end == chunk.end else "",
        neighbours=(),  # what is beside it now may be outside of the scope
    )


def _holds(chunk: Chunk, span: Span, scope: Scope) -> bool:
    path, _ = chunk.section_at(span.start)
    if chunk.sections and path[: len(scope.section_path)] != scope.section_path:
        return False
    if not scope.page:
        return True
    return chunk.has_page(scope.page, span.start, span.end)
