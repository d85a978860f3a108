"""Show with a sentence that says how many things there are, "two key requirements", these themselves.

They stand behind it as sentences that begin "First, …" and "Second, …", as the next list of just so
many items, as so many terms with what each is, or as the next sentences of its paragraph.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from libs.language.lexicon import Lexicon
from libs.question.expected import AnswerKind
from libs.question.how_many import count_asked, count_told, small_numbers
from libs.question.said import is_one_of
from libs.question.synonyms import said_of
from libs.text import COLONS, words
from services.generation.extractive.candidates import is_label
from services.generation.extractive.features import Asked
from services.generation.extractive.places import (
    ALL_CHARACTERS,
    JOINED_CHARACTERS,
    Place,
    follow_each_other,
    item_ranges,
    within_room,
)
from services.generation.model import BlockKind, Passage

Ranges = list[tuple[int, int]]
"""The first and the last span of each of several pieces."""

_OF_ALL = (AnswerKind.ANY, AnswerKind.LIST, AnswerKind.DEFINITION, AnswerKind.CAUSE)
"""Kinds of answers that may be all of several; how many there are the number itself says."""

_NUMBERED = re.compile(r"\(?(?:\d|[a-h]|i{1,3}|iv|vi?)[.)]\s")
_BEGINS_TO_TELL = re.compile(r"[:(]|\s[–—-]\s|—")
"""Stands behind what is counted where the things follow in the same sentence."""

_FAR = 12
"""Sentences behind the one that counts, among which "Second, …" may begin."""


def with_counted(asked: Asked, passages: Sequence[Passage], lead: Sequence[Place]) -> list[Place]:
    """Return the lead with the things that it says there are so many of; [] where it says of none."""
    if not lead or not _may_be_all(asked):
        return []
    last = lead[-1]
    passage = passages[last.source - 1]
    within = range(last.span.start, last.span.end)
    counting = [at for at, one in enumerate(passage.spans) if one.start in within]
    for at in counting:
        if told := _counted_behind(asked, passage, at):
            return _behind(lead, passage, at, told)
    number = count_asked(asked.analysis.question, asked.lexicon)
    kinds = [passage.spans[at].kind for at in counting]
    if not number or len(lead) > 1 or kinds.count(BlockKind.LIST_ITEM) > 1:
        return []
    for at in _counting_so_many(asked, passage, number):
        if told := _counted_behind(asked, passage, at):
            first = replace(last, span=passage.spans[at])
            return _behind([first], passage, at, told)
    return []


def _may_be_all(asked: Asked) -> bool:
    expected = asked.analysis.expected
    is_any = expected.kind is AnswerKind.QUANTITY and not expected.required
    return is_any or asked.expects(*_OF_ALL)


def _counting_so_many(asked: Asked, passage: Passage, number: int) -> Iterator[int]:
    """Yield the spans that say that there are as many of what is asked for, the first first."""
    least = len(asked.words) / 2
    for at, span in enumerate(passage.spans):
        text = passage.text_of(span)
        counts = [one for one, _ in _counts(asked, text)]
        if number in counts and len(_said(asked, text)) >= least:
            yield at


def _counts(asked: Asked, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each number that a sentence says of what is asked for, or of reasons, with their words."""
    is_why, cause = asked.expects(AnswerKind.CAUSE), asked.lexicon.values.cause
    for number, behind in small_numbers(text, asked.lexicon):
        if is_why:
            counted = [one for one in behind if cause.search(one)]
        else:
            counted = [one for one in behind if is_one_of(one, asked.words, asked.lexicon)]
        if counted:
            yield number, counted


def _said(asked: Asked, text: str) -> frozenset[str]:
    return said_of(asked.words, text, asked.lexicon, asked.analysis.language)


def _counted_behind(asked: Asked, passage: Passage, at: int) -> Ranges:
    """Return so many things as span `at` says there are, where they stand behind it."""
    if passage.spans[at].kind is not BlockKind.PARAGRAPH:
        return []
    for number, counted in _counts(asked, passage.text_of(passage.spans[at])):
        told = (
            _ordinals(asked.lexicon, passage, at, number)
            or _items(passage, at, number)
            or _terms(passage, at, number)
        )
        if not told and _asks_for_all(asked, number):
            told = _naming(asked.lexicon, passage, at, number, counted)
            told = told or _sentences(passage, at, number, counted[0])
        if told:
            return told
    return []


def _ordinals(lexicon: Lexicon, passage: Passage, at: int, number: int) -> Ranges:
    """Return the sentences up to the end of the one that begins with the last ordinal or number."""
    spans, begun = passage.spans, list[int]()
    for one in range(at, min(len(spans), at + _FAR + 1)):
        if spans[one].kind is BlockKind.HEADING:
            break
        text = passage.text_of(spans[one])
        # "First, …", "Firstly, …" and "The first panel …"
        begins = words(text)[:2]
        begins += [word.removesuffix("ly") for word in begins[:1]]
        is_ordinal = not lexicon.layout.ordinals.isdisjoint(begins)
        if one > at and (is_ordinal or _NUMBERED.match(text)):
            begun.append(one)
    if len(begun) < number or begun[0] > at + 2:
        return []
    return [(at + 1, begun[number - 1])]


def _items(passage: Passage, at: int, number: int) -> Ranges:
    """Return the items of the next list of its section, if it has just so many."""
    spans, first = passage.spans, at + 1
    while first < len(spans) and spans[first].kind is BlockKind.PARAGRAPH:
        first += 1
    if first == len(spans) or spans[first].kind is not BlockKind.LIST_ITEM:
        return []
    items = item_ranges(passage, first)
    return items if len(items) == number else []


def _terms(passage: Passage, at: int, number: int) -> Ranges:
    """Return so many terms, each with the line that says what it is."""
    spans = passage.spans
    if not passage.text_of(spans[at]).rstrip().endswith(COLONS):
        return []
    last = at + 2 * number
    if last >= len(spans) or any(
        one.kind is not BlockKind.PARAGRAPH for one in spans[at + 1 : last + 1]
    ):
        return []
    terms = [is_label(passage.text_of(one)) for one in spans[at + 1 : last + 1 : 2]]
    told = [not is_label(passage.text_of(one)) for one in spans[at + 2 : last + 1 : 2]]
    return [(at + 1, last)] if all(terms) and all(told) else []


def _naming(
    lexicon: Lexicon, passage: Passage, at: int, number: int, counted: Sequence[str]
) -> Ranges:
    """Return so many sentences behind it that name the thing, each with what goes on with it."""
    begun = list[int]()
    for one in range(at + 1, min(len(passage.spans), at + _FAR + 1)):
        if passage.spans[one].kind is not BlockKind.PARAGRAPH:
            break
        said = words(passage.text_of(passage.spans[one]))
        if any(is_one_of(word, counted, lexicon) for word in said):
            begun.append(one)
    if len(begun) < number or begun[0] != at + 1:
        return []
    ends = [*(one - 1 for one in begun[1:number]), begun[number - 1]]
    return list(zip(begun[:number], ends, strict=True))


def _asks_for_all(asked: Asked, number: int) -> bool:
    """Whether several things are asked for, just so many, or the reasons that are counted."""
    is_list = asked.types.list_of_things or asked.expects(AnswerKind.LIST, AnswerKind.CAUSE)
    return is_list or count_asked(asked.analysis.question, asked.lexicon) == number


def _sentences(passage: Passage, at: int, number: int, counted: str) -> Ranges:
    """Return the next sentences of its paragraph, as many as there are things, if they are short."""
    if _tells_itself(passage.text_of(passage.spans[at]), counted, number):
        return []
    last = at
    while last < at + number and follow_each_other(passage, last):
        last += 1
    length = passage.spans[last].end - passage.spans[at].start
    is_rest = last == at + number and not follow_each_other(passage, last)
    room = ALL_CHARACTERS if is_rest else JOINED_CHARACTERS
    return [(at + 1, last)] if last > at and length <= room else []


def _tells_itself(text: str, counted: str, number: int) -> bool:
    """Whether a sentence goes on with as many things as it counts, or with what it calls them.

    "Two files, with the extensions .3d and .err" are told, and "three parts: …".
    """
    behind = text.lower().rpartition(counted)[2].rstrip()[:-1]
    return count_told(behind) > number or _BEGINS_TO_TELL.search(behind) is not None


def _behind(lead: Sequence[Place], passage: Passage, at: int, told: Ranges) -> list[Place]:
    """Return the lead with what is told behind span `at`: in one piece where that is short."""
    last, spans = lead[-1], passage.spans
    first = min(last.span.start, spans[at].start)
    end = max(last.span.end, spans[told[-1][1]].end)
    if end - first <= JOINED_CHARACTERS and told[0][0] == at + 1:
        return [*lead[:-1], replace(last, span=replace(last.span, start=first, end=end))]
    pieces = within_room(passage, told)
    if not pieces:
        return []
    # What the lead has of them stands among them.
    until = min(last.span.end, spans[told[0][0] - 1].end)
    cut = replace(last, span=replace(last.span, end=until))
    return [*lead[:-1], cut, *(replace(last, span=one) for one in pieces)]
