"""Lead with how each section of a page begins, where a question wants what stands on that page."""

from collections.abc import Iterator, Sequence

from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.intro import with_intro
from services.generation.extractive.places import Place, place_of
from services.generation.model import BlockKind, Prompt

_MOST_SECTIONS, _LEAST_SENTENCES = 4, 3
"""Sections of a page whose beginnings are shown, and sentences of a page that has fewer."""
_SAID = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE, BlockKind.ADMONITION)


def lead_of_page(prompt: Prompt, items: Sequence[CandidateSpan]) -> list[Place]:
    """Return how the sections on the page begin that `prompt` asks for, in their order.

    Of a page with few sections it is more of the first; of one that only has tables or code, those.
    """
    on_page = sorted(_on_page(items, prompt.analysis.page), key=lambda item: item.key)
    said = [item for item in on_page if item.span.kind in _SAID] or on_page
    first = list({item.section: item for item in reversed(said)}.values())[::-1][:_MOST_SECTIONS]
    more = [item for item in said if item not in first][: max(0, _LEAST_SENTENCES - len(first))]
    found: list[Place] = []
    for item in sorted([*first, *more], key=lambda item: item.key):
        whole = with_intro(item)
        if any(place.overlaps(one) for place in whole for one in found):
            whole = [place_of(item)]
        found += [place for place in whole if not any(map(place.overlaps, found))]
    return found


def _on_page(items: Sequence[CandidateSpan], page: str) -> Iterator[CandidateSpan]:
    for item in items:
        where = item.passage.locate(item.span.start, item.span.end)
        if page in (where.shown_page, str(where.page)):
            yield item
