"""Show with a lead what its own words promise: the command or the list that stands right behind it.

"This account is removed by the following." says nothing without the line below it, nor does "You can
remove old kernels" to who asks how, where its paragraph ends in "To do so, use this command:", or goes
on with "To do so, press F5."
"""

from collections.abc import Sequence
from dataclasses import replace

from libs.question.expected import AnswerKind
from libs.question.synonyms import said_of
from libs.text import COLONS
from services.generation.extractive.counted import with_counted
from services.generation.extractive.features import Asked
from services.generation.extractive.places import (
    ALL_CHARACTERS,
    JOINED_CHARACTERS,
    Place,
    follow_each_other,
    is_new_line,
    item_ranges,
    joined_with,
    list_end,
    runs_of,
    within_room,
)
from services.generation.model import BlockKind, Passage, Span

_MOST_BETWEEN = 3
"""Sentences of its paragraph between a lead and the code that the last of them leads to."""

_LINES = (BlockKind.PARAGRAPH, BlockKind.ADMONITION)

_MOST_OF = 2
"""Share of the words of a question, as its denominator, that the title of a list says."""

_SHOWN = (BlockKind.CODE, BlockKind.LIST_ITEM)
_NOT_PROMISED = (AnswerKind.QUANTITY, AnswerKind.DATE, AnswerKind.CAUSE, AnswerKind.PERSON)
"""Kinds of answers that a sentence gives whole."""

_OF_SEVERAL = (AnswerKind.ANY, AnswerKind.LIST, AnswerKind.PROCEDURE)
"""Kinds of answers that a list below may be, which nothing announces."""


def with_promised(
    asked: Asked, passages: Sequence[Passage], lead: Sequence[Place]
) -> Sequence[Place]:
    """Return the lead with the code or the list that its last sentence announces, if any does."""
    if not lead or asked.selection is not None or asked.own:
        return lead
    lead = with_counted(asked, passages, lead) or lead
    if asked.expects(*_NOT_PROMISED):
        return lead
    last = lead[-1]
    passage = passages[last.source - 1]
    at = next((at for at, one in enumerate(passage.spans) if one.end == last.span.end), None)
    if at is None or passage.spans[at].kind not in _LINES:
        return lead
    line = _line_over_announced(asked, passage, at)
    line = line if line is not None else _line_to_code(asked, passage, at)
    line = line if line is not None else _line_to_rest(asked, passage, at, last)
    line = at if line is None and _is_line_over_list(asked, passage, at) else line
    if line is None or not _goes_on_below(passage, line):
        return _with_way(asked, passage, at, lead)
    below = _ends_below(passage, line + 1)
    start, until = last.span.start, passage.spans[below].end
    if until - start <= JOINED_CHARACTERS:
        return [*lead[:-1], replace(last, span=replace(last.span, end=until))]
    more = [last]
    if line > at:
        more.append(replace(last, span=passage.spans[line]))
    return [*lead[:-1], *more, *(replace(last, span=one) for one in _below(passage, line + 1))]


def _below(passage: Passage, first: int) -> list[Span]:
    """Return the items of a list, or their first sentences; else what there is room for."""
    is_list = passage.spans[first].kind is BlockKind.LIST_ITEM
    pieces = within_room(passage, item_ranges(passage, first)) if is_list else []
    return pieces or runs_of(passage, first, _ends_below(passage, first))


def _is_line_over_list(asked: Asked, passage: Passage, at: int) -> bool:
    """Whether the span is a line that says all that is asked, or most, of the list right below it.

    "The steps to save a file." stands as a title over the steps.
    """
    spans, rules = passage.spans, asked.lexicon.spans
    is_over = [one.kind for one in spans[at + 1 : at + 2]] == [BlockKind.LIST_ITEM]
    is_line = not at or is_new_line(passage, at) or spans[at - 1].kind is BlockKind.HEADING
    if not is_over or not is_line or not asked.expects(*_OF_SEVERAL):
        return False
    text, language = passage.text_of(spans[at]), asked.analysis.language
    tells_how = any(rule.search(text) for rule in (rules.instructs, rules.tells_how))
    if tells_how and asked.expects(AnswerKind.PROCEDURE):
        return False
    said = said_of(asked.words, text, asked.lexicon, language)
    return _MOST_OF * len(said) >= len(asked.words)


def _with_way(asked: Asked, passage: Passage, at: int, lead: Sequence[Place]) -> Sequence[Place]:
    """Return the lead with the sentence behind it, if that says how to do what it speaks of."""
    spans, goes_on = passage.spans, asked.lexicon.spans.goes_on_how
    is_followed = at + 1 < len(spans) and spans[at + 1].kind is BlockKind.PARAGRAPH
    is_way = is_followed and goes_on.search(passage.text_of(spans[at + 1])) is not None
    if not is_way or not asked.expects(AnswerKind.PROCEDURE):
        return lead
    return joined_with(lead, spans[at + 1])


def _line_over_announced(asked: Asked, passage: Passage, at: int) -> int | None:
    """Return the last sentence of the paragraph in which a sentence says that something follows.

    "Doctors know the following signs. Ask one if you see any." speaks of the list below both.
    """
    text = passage.text_of(passage.spans[at]).rstrip()
    announced = list(asked.lexicon.spans.announces.finditer(text))
    line = _end_of_line(passage, at)
    if line == at:
        # "Execute the command", which no full stop ends, goes on in the code below it.
        is_open = text[-1:].isalnum() and _is_over_code(passage, at)
        return at if announced or is_open or text.endswith(COLONS) else None
    # What a colon behind it leads to is told already.
    is_told = not announced or any(one in text[announced[-1].end() :] for one in COLONS)
    return None if is_told or line - at > _MOST_BETWEEN else line


def _end_of_line(passage: Passage, at: int) -> int:
    """Return the last sentence of the paragraph, if it is not far behind."""
    line = at
    while follow_each_other(passage, line) and line - at <= _MOST_BETWEEN:
        line += 1
    return line


def _line_to_code(asked: Asked, passage: Passage, at: int) -> int | None:
    """Return the last sentence of the paragraph, where it leads to the code that tells how."""
    if not asked.expects(AnswerKind.PROCEDURE) and not asked.types.code:
        return None
    line = min(_end_of_line(passage, at), at + _MOST_BETWEEN)
    leads = passage.text_of(passage.spans[line]).rstrip().endswith(COLONS)
    return line if leads and line > at and _is_over_code(passage, line) else None


def _line_to_rest(asked: Asked, passage: Passage, at: int, lead: Place) -> int | None:
    """Return the line right behind that leads to a list of what is asked, and the lead does not say."""
    spans, line = passage.spans, at + 1
    kinds = [one.kind for one in spans[line : line + 2]]
    is_led = kinds == [BlockKind.PARAGRAPH, BlockKind.LIST_ITEM]
    if not is_led or not asked.expects(*_OF_SEVERAL):
        return None
    text = passage.text_of(spans[line]).rstrip()
    told, language = passage.text_of(lead.span), asked.analysis.language
    said, more = (said_of(asked.words, one, asked.lexicon, language) for one in (told, text))
    return line if text.endswith(COLONS) and more - said else None


def _is_over_code(passage: Passage, line: int) -> bool:
    return [one.kind for one in passage.spans[line + 1 : line + 2]] == [BlockKind.CODE]


def _goes_on_below(passage: Passage, line: int) -> bool:
    below = passage.spans[line + 1 : line + 2]
    if not below or below[0].kind not in _SHOWN:
        return False
    return below[0].end - below[0].start <= ALL_CHARACTERS


def _ends_below(passage: Passage, first: int) -> int:
    """Return the last span of the code or of as much of the list as there is room for."""
    spans, last = passage.spans, first
    if spans[first].kind is BlockKind.LIST_ITEM:
        room = spans[first].start + ALL_CHARACTERS
        items = range(first, list_end(passage, first) + 1)
        return max((at for at in items if spans[at].end <= room), default=first)
    while (
        last + 1 < len(spans)
        and spans[last + 1].kind is spans[first].kind
        and spans[last + 1].end - spans[first].start <= ALL_CHARACTERS
    ):
        last += 1
    return last
