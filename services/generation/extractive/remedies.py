"""Find what helps against a fault in the record of that fault.

Books of troubleshooting say in one line what is seen, in another why, and in a third what helps. What a
reader reports is nearest to the first; what is asked for is the third. Where the lines have no labels,
the item of a list is the record: its first sentence says what is seen.
"""

import re
from collections.abc import Sequence
from itertools import chain

from libs.language.remedies import Remedies
from libs.question.said import asked_words
from libs.question.synonyms import is_said
from libs.text import is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.places import JOINED_CHARACTERS, Place, place_of
from services.generation.extractive.steps import items_around
from services.generation.model import BlockKind

_AMONG = 6
"""Likeliest spans of which one is of the record."""

_LABEL = re.compile(r"\W*[^\W\d_][^:：\n|]{0,30}[:：](?:\s|\Z)")
"""How another line of a record begins."""

_SENTENCE = re.compile(r"[.!?…][\"'”’)\]*_]*\s*\Z")
"""How a line ends that says all that is seen; an option over what it does has no such end."""


def find_remedy(asked: Asked, fit: Sequence[Ranked]) -> list[Place]:
    """Return what the record of the likeliest span says to do, where that is asked; else nothing."""
    rules = asked.lexicon.remedies
    if asked.own or not rules.asked.search(asked.analysis.question):
        return []
    if item := _item_of_fault(asked, fit, rules):
        return [item]
    for one in fit[:_AMONG]:
        if one.item.span.kind is BlockKind.TABLE:
            return []  # A row of such a table says it all.
        first, last = _record_around(one.item, rules)
        place = _remedy_within(one.item, first, last, rules)
        # What helps against the next fault that is like it does not help against this one.
        if place or rules.seen.match(one.item.passage.text_of(one.item.passage.spans[first])):
            return [place] if place else []
    return []


def _item_of_fault(asked: Asked, fit: Sequence[Ranked], rules: Remedies) -> Place | None:
    """Return the item of a list that begins with the fault and goes on with what helps; else None.

    It begins with all that is reported, or with some and the likeliest span is of it. No label tells
    what helps from why it is so, and the whole item says both.
    """
    wanted = asked_words(rules.asked.sub(" ", asked.analysis.question), asked.lexicon)
    if not wanted or any(map(is_unspaced, wanted)):
        return None
    items = [one.item for one in fit if one.item.span.kind is BlockKind.LIST_ITEM]
    items = [item for item in items if _goes_on(item, rules)]
    reported = (item for item in items if _share_begun(asked, wanted, item) == 1.0)
    likeliest = (one for one in items if one is fit[0].item and _share_begun(asked, wanted, one))
    item = next(chain(reported, likeliest), None)
    return place_of(item, *_item_around(item)) if item is not None else None


def _goes_on(item: CandidateSpan, rules: Remedies) -> bool:
    """Whether the item of a list is several sentences without labels, with room for all."""
    first, last = _item_around(item)
    seen = item.passage.text_of(item.passage.spans[first])
    is_read = place_of(item, first, last).length <= JOINED_CHARACTERS
    is_labelled = rules.seen.match(seen) is not None
    return first < last and is_read and not is_labelled and _SENTENCE.search(seen) is not None


def _share_begun(asked: Asked, wanted: frozenset[str], item: CandidateSpan) -> float:
    """Return the share of the words, in [0, 1], that the first sentence of the item has."""
    said = frozenset(words(item.passage.text_of(item.passage.spans[_item_around(item)[0]])))
    language = asked.analysis.language
    # "Everything" has no other forms, and is yet itself.
    held = (one in said or is_said(one, said, asked.lexicon, language) for one in wanted)
    return sum(held) / len(wanted)


def _item_around(item: CandidateSpan) -> tuple[int, int]:
    """Return the first and the last span of the item of a list that the span is of."""
    return next(one for one in items_around(item) if one[0] <= item.index <= one[1])


def _remedy_within(item: CandidateSpan, first: int, last: int, rules: Remedies) -> Place | None:
    """Return the line of its record that is labelled as what helps, with the steps that follow it."""
    passage, spans = item.passage, item.passage.spans
    texts = [passage.text_of(span) for span in spans[first : last + 1]]
    at = next((at for at, text in enumerate(texts) if rules.labelled.match(text)), None)
    if at is None:
        return None
    begin = end = first + at
    for later in range(begin + 1, last + 1):
        is_label = spans[later].kind is not BlockKind.CODE and _LABEL.match(texts[later - first])
        is_step = spans[later].kind is BlockKind.LIST_ITEM
        if is_label and not is_step and not passage.text_of(spans[later]).endswith((":", "：")):
            break
        if spans[later].end - spans[begin].start > JOINED_CHARACTERS:
            break
        end = later
    is_bare = end == begin and texts[at].rstrip().endswith((":", "："))
    return None if is_bare else place_of(item, begin, end)


def _record_around(item: CandidateSpan, rules: Remedies) -> tuple[int, int]:
    """Return the first and the last span of the record: it ends where a title or the next begins."""
    passage, spans = item.passage, item.passage.spans

    def is_title(at: int) -> bool:
        return spans[at].kind is BlockKind.HEADING

    def begins(at: int) -> bool:
        return rules.seen.match(passage.text_of(spans[at])) is not None

    first, last = item.index, item.index
    while first and not begins(first) and not is_title(first - 1):
        first -= 1
    while last + 1 < len(spans) and not begins(last + 1) and not is_title(last + 1):
        last += 1
    return first, last
