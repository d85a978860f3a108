"""What of the book must be shown with a sentence, an item or a row of it, so that it says what it says.

A question goes with its answer, an item with the words before its list, what somebody says with who
says it, a turn of a dialogue with the next, and a sentence with the neighbour that speaks of it or that
it points to. How the book is laid out, punctuated and joined tells this, not what it is about.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice

from libs.text import content_terms
from services.generation.checks import tables
from services.generation.checks.speech import Quotation, find_quotations, find_replies
from services.generation.checks.wording import REPLY, SHORT, Wording
from services.generation.model import BlockKind, Passage, Span

_SPEAKER = re.compile(r"(?P<name>[^\W\d_][\w.’' -]{0,30})[:：]\s+\S")
_MARK = re.compile(r"\[\^?\w{1,4}\]|[¹²³⁴-⁹]")
"""How canonical text marks that a footnote belongs to a sentence."""

_RUNS = (BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.QUOTE)
"""Kinds of which what stands before the first belongs to all that follow."""

_NO_PROSE = (BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE, BlockKind.MATH)

_NOTED = (BlockKind.PARAGRAPH, BlockKind.TABLE)
_NOTES = (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.ADMONITION)
"""Kinds of what a note may limit, and of notes."""

_NOTE = 20
"""Words at the most of what a note says."""
_BACK, _AHEAD = 4, 3
"""Sentences that pointing ones are followed back, and ahead to one that denies those before it."""

_MOST_SPOKEN = 4
"""Sentences of a quotation that are shown whole."""

_MOST = 12
"""Spans that are shown together; of more none would be read."""

_MOST_LED = 6
"""Items of a list that are shown with the words before it."""

_MOST_CODE = 600
"""Characters of code or of a formula that are shown with the words before it."""


def list_context(
    passage: Passage, span: Span, language: str = "", said: Collection[Span] = ()
) -> list[Span]:
    """Return the spans that must be shown with `span`, and itself, in the book's order.

    `said` are spans that are shown anyway: words before a list of which one is bring no other.
    """
    return Surroundings(passage, language).around(span, said)


class Surroundings:
    """Finds what the spans of one passage need, by their places in it."""

    def __init__(self, passage: Passage, language: str) -> None:
        self._passage = passage
        start = passage.locator.start
        before = [one for one in passage.neighbours if one.span.start < start]
        behind = passage.neighbours[len(before) :]
        self._flags = {one.span: one.same_block for one in passage.neighbours}
        self.spans = (*(it.span for it in before), *passage.spans, *(it.span for it in behind))
        self._language = language
        self._terms = {start for start, *_, is_term in passage.lead_ins if is_term}

    def around(self, span: Span, said: Collection[Span] = ()) -> list[Span]:
        place = self.spans.index(span)
        told = [*self._told_by_neighbours(place)]
        led = [one for at in (place, *told) for one in self._list_of(at, said)]
        own = {place, *told, *self._of_quotation(place)}
        found, waiting = {place}, [*self._needed_by(place), *told, *led]
        while waiting and len(found) < _MOST:
            needed = waiting.pop(0)
            if needed not in found:
                found.add(needed)
                waiting += self._needed_by(needed) if needed in own else self._told_of(needed)
        return [self.spans[at] if at == place else self._cut(at) for at in sorted(found)]

    def _cut(self, at: int) -> Span:
        """Return the span; of much code the first lines."""
        span, text = self.spans[at], self._texts[at]
        if span.kind is not BlockKind.CODE or len(text) <= _MOST_CODE:
            return span
        stop = text.rfind("\n", 0, _MOST_CODE)
        return replace(span, end=span.start + (stop if stop > 0 else _MOST_CODE))

    def _needed_by(self, at: int) -> Iterator[int]:
        """Yield what the layout ties to the span, and what it asks, answers or says."""
        if self.spans[at].kind not in _NO_PROSE:
            yield from self._question_or_answer(at)
            yield from self._heard_beside(at)
        yield from self._tied_to(at)

    def _told_of(self, at: int) -> Iterator[int]:
        """Yield what is shown with a span that is shown for another: its layout, and who says it.

        What a turn before replies to, and so on, would lead back to the beginning of the talk.
        """
        yield from self._tied_to(at)
        if self.spans[at].kind not in _NO_PROSE:
            yield from (one for one in self._heard_beside(at) if self._is_one(one, at))

    def _tied_to(self, at: int) -> Iterator[int]:
        """Yield what the layout ties to the span: its list, its code, the rest of its quotation."""
        kind = self.spans[at].kind
        if kind is not BlockKind.HEADING:
            yield from self._led_by(at)
            yield from self._before_its_list(at)
            yield from self._introduced(at)
        if kind not in _NO_PROSE:
            yield from self._of_quotation(at)
            yield from self._speaker(at)

    def _told_by_neighbours(self, at: int) -> Iterator[int]:
        """Yield what the words tie to it; the neighbours of these say no more of it."""
        if self.spans[at].kind not in _NO_PROSE:
            yield from self._reply(at)
            yield from self._pointed_to(at)
            yield from self._saying_of(at)
            yield from self._footnotes(at)
        if self.spans[at].kind in _NOTED:
            yield from self._noted(at)

    @cached_property
    def _texts(self) -> list[str]:
        return [self._passage.text_of(span) for span in self.spans]

    @cached_property
    def _wordings(self) -> list[Wording]:
        return [Wording(text, self._language) for text in self._texts]

    @cached_property
    def _blocks(self) -> list[int]:
        """The number of the block that each span stands in: a paragraph, an item, a row."""
        numbers = [0]
        for before, after in zip(self.spans, self.spans[1:], strict=False):
            numbers.append(numbers[-1] + (not self._are_of_one_block(before, after)))
        return numbers

    def _are_of_one_block(self, before: Span, after: Span) -> bool:
        if before in self._flags or after in self._flags:
            # Of two neighbours one is the words before a list.
            one, other = (self._flags.get(span, True) for span in (before, after))
            return one and other
        ends = "\n" if after.kind in (BlockKind.LIST_ITEM, BlockKind.TABLE) else "\n\n"
        return before.kind is after.kind and ends not in self._gap(before, after)

    def _gap(self, before: Span, after: Span) -> str:
        start = self._passage.locator.start
        return self._passage.text[before.end - start : after.start - start]

    def _is_one(self, at: int, other: int) -> bool:
        """Whether both are there, and of one block."""
        return (
            min(at, other) >= 0
            and max(at, other) < len(self._blocks)
            and (self._blocks[at] == self._blocks[other])
        )

    def _led_by(self, at: int) -> Iterator[int]:
        """Yield the terms that it defines, and what introduces the list of them."""
        start = self.spans[at].start
        for first, end, until, is_term in self._passage.lead_ins:
            led_by = self._places.get(first, -1) if end <= start < until else -1
            if led_by >= 0 and (is_term or self._wordings[led_by].speaks_of_below):
                yield led_by

    @cached_property
    def _places(self) -> dict[int, int]:
        return {span.start: at for at, span in enumerate(self.spans)}

    def _is_term(self, at: int) -> bool:
        return self.spans[at].start in self._terms

    def _introduced(self, at: int) -> Iterator[int]:
        """Yield the code or the formula that it introduces."""
        kinds = (BlockKind.CODE, BlockKind.MATH)
        after = self.spans[at + 1 : at + 2]
        if after and after[0].kind in kinds and self._wordings[at].introduces:
            yield at + 1

    def _before_its_list(self, at: int) -> Iterator[int]:
        """Yield what introduces the list, the table or the quotation, or stands right before.

        Behind an item that introduces others nobody tells which are its own: all up to the span are.
        """
        kind, before = self.spans[at].kind, at - 1
        while (
            kind in _RUNS
            and before >= 0
            and self.spans[before].kind is kind
            and not self._introduces_more(before)
        ):
            before -= 1
        if before < 0 or self.spans[before].kind in (BlockKind.HEADING, BlockKind.TABLE):
            return
        if self._introduces_more(before):
            is_item = self.spans[before].kind is BlockKind.LIST_ITEM
            yield from range(before, at if is_item else before + 1)
        elif self._stands_alone(before) and (
            kind is BlockKind.LIST_ITEM or (kind is BlockKind.TABLE and self._is_title(before, at))
        ):
            yield before

    def _is_title(self, before: int, at: int) -> bool:
        """Whether what stands before tables belongs to the one that the row at `at` is of."""
        first = self.spans[before + 1]
        is_first = tables.is_one_table(self._passage, first, self.spans[at])
        is_first = self._flags.get(first, is_first)
        return is_first and not tables.is_of_table_above(self.spans, self._texts, before)

    def _list_of(self, at: int, said: Collection[Span]) -> Iterator[int]:
        """Yield the first items of the list, the table or the quotation that it introduces."""
        after = at + 1
        if after >= len(self.spans) or not self._introduces_more(at) or not self._is_paragraph(at):
            return
        if self.spans[after].kind not in _RUNS or self._is_one(at, after):
            return
        own = range(after, self._last_of_run(after) + 1)
        if not any(self.spans[one] in said for one in own):
            yield from own[:_MOST_LED]

    def _introduces_more(self, at: int) -> bool:
        """Whether others may belong to it: of a term it's known which do."""
        is_told = any(one.is_address for one in self._wordings[at + 1 : at + 2])
        return self._wordings[at].introduces and not (is_told or self._is_term(at))

    def _stands_alone(self, at: int) -> bool:
        """Whether it is a paragraph of one sentence, or a caption."""
        kinds = (BlockKind.PARAGRAPH, BlockKind.CAPTION)
        alone = not self._is_one(at, at - 1) and not self._is_one(at, at + 1)
        return self.spans[at].kind in kinds and alone

    def _question_or_answer(self, at: int) -> Iterator[int]:
        """Yield the answer of a question, and the question of what can only be an answer."""
        if self._wordings[at].asks and self._follows(at + 1):
            yield at + 1
        replies = self._wordings[at].count <= REPLY or self._wordings[at].opens_with_denial
        if at and self._wordings[at - 1].asks and self._follows(at) and replies:
            yield at - 1
        yield from self._reply_in_speech(at)

    def _reply_in_speech(self, at: int) -> Iterator[int]:
        """Yield what replies to a question that somebody is quoted with, or what a short reply is to.

        A paragraph that tells how it was asked or heard may stand between: it comes too.
        """
        first = next((one for one, asked in self._replies.items() if asked == at), at)
        yield from range(at + 1, first + 1)
        question = self._replies.get(at)
        if question is not None and self._wordings[at].count <= REPLY:
            yield from range(question, at)

    @cached_property
    def _replies(self) -> dict[int, int]:
        prose = (BlockKind.PARAGRAPH, BlockKind.QUOTE)
        blocks = zip(self._blocks, self.spans, strict=True)
        return find_replies(
            self._texts, [number if span.kind in prose else -1 for number, span in blocks]
        )

    def _follows(self, at: int) -> bool:
        """Whether the span goes on with what the one before says: items of a list do not."""
        if at >= len(self.spans) or self.spans[at].kind is BlockKind.HEADING or self._is_term(at):
            return False
        return self._is_one(at - 1, at) or self.spans[at - 1].kind is not BlockKind.LIST_ITEM

    def _of_quotation(self, at: int) -> Iterator[int]:
        """Yield the rest of a quotation that the span is a part of."""
        for said in self._quotations:
            if said.first <= at <= said.last and (said.crosses or not said.has_words_outside):
                whole = range(said.first, said.last + 1)
                yield from whole if len(whole) <= _MOST_SPOKEN else (said.first, said.last)

    def _heard_beside(self, at: int) -> Iterator[int]:
        """Yield who is quoted, where the words of the quotation do not say so."""
        for said in self._quotations:
            if said.first <= at <= said.last and not said.has_words_outside:
                yield from self._beside(said)

    def _beside(self, said: Quotation) -> Iterator[int]:
        if said.first and self.spans[said.first - 1].kind is not BlockKind.HEADING:
            yield said.first - 1
        if self._is_one(said.last, said.last + 1):
            yield said.last + 1

    @cached_property
    def _quotations(self) -> list[Quotation]:
        return find_quotations(self._texts, self._blocks)

    def _speaker(self, at: int) -> Iterator[int]:
        first = self._first_of_block(at)
        if first in self._dialogue:
            yield first

    def _reply(self, at: int) -> Iterator[int]:
        """Yield the beginning of the next turn of a dialogue, where it replies."""
        after = next((one for one in self._dialogue if one > at), None)
        is_next = after is not None and self._blocks[after] == self._blocks[at] + 1
        in_turn = self._first_of_block(at) in self._dialogue
        if after is None or not in_turn or not is_next:
            return
        reply = self._wordings[after]
        if self._resumes(after) or reply.doubts or reply.takes_back:
            yield after

    def _first_of_block(self, at: int) -> int:
        while self._is_one(at - 1, at):
            at -= 1
        return at

    def _last_of_block(self, at: int) -> int:
        while self._is_one(at, at + 1):
            at += 1
        return at

    @cached_property
    def _dialogue(self) -> list[int]:
        """The places at which paragraphs begin with a speaker; none where fewer than two speak."""
        named: dict[int, str] = {}
        for at, text in enumerate(self._texts):
            speaker = _SPEAKER.match(text)
            if (
                speaker is not None
                and self.spans[at].kind is BlockKind.PARAGRAPH
                and self._first_of_block(at) == at
            ):
                named[at] = speaker["name"]
        speakers = list(named.values())
        again = len(set(speakers)) < len(speakers) or all(len(name) == 1 for name in speakers)
        return list(named) if len(set(speakers)) > 1 and again else []

    def _pointed_to(self, at: int) -> Iterator[int]:
        """Yield the sentences before one that points to them: "He drowned in 1910"."""
        for _ in range(_BACK):
            if not self._points_back(at):
                return
            at -= 1
            yield at

    def _points_back(self, at: int) -> bool:
        """Whether it points to the sentence before it, which may end the paragraph before."""
        if not at or self.spans[at - 1].kind is not self.spans[at].kind or self._is_term(at):
            return False
        points = self._wordings[at].opens_with_pointing
        if self._is_one(at - 1, at):
            return points or self._wordings[at].count <= SHORT
        if self.spans[at].kind is BlockKind.LIST_ITEM:
            is_entry = self._wordings[at].is_entry
            return points and not is_entry and self._is_below_an_antecedent(at)
        return points and self.spans[at].kind is BlockKind.PARAGRAPH

    def _is_below_an_antecedent(self, at: int) -> bool:
        """Whether an item near above it points to none: else all point to what introduces the list."""
        for above in range(at - 1, max(-1, at - 1 - _BACK), -1):
            if self.spans[above].kind is not BlockKind.LIST_ITEM or self._is_term(above):
                return False
            if not self._wordings[above].opens_with_pointing:
                return True
        return False

    def _saying_of(self, at: int) -> Iterator[int]:
        """Yield what follows and says something of the sentence: "This is a myth."

        Further on, and behind the paragraph, only what also denies or doubts: "Goats swim. Cows dive.
        This was long believed."
        """
        if self.spans[at].kind in _RUNS:
            behind = self._last_of_run(at) + 1
            resumes = self._is_paragraph(behind) and self._resumes(behind)
            if resumes and self._wordings[behind].doubts:
                yield behind
        yield from self._taken_back(at)
        for after in range(at + 1, at + 1 + _AHEAD):
            is_one = self._is_one(at, after)
            if after < len(self.spans) and self._is_term(after):
                return
            if not is_one and not (self._is_paragraph(at) and self._is_paragraph(after)):
                return
            if not is_one and self._is_one(after - 1, after):
                continue  # It speaks of its own paragraph.
            is_next, wording = is_one and after == at + 1, self._wordings[after]
            says = is_next or wording.doubts or self._closes_aside(after)
            denies = is_next and self._points_back(after) and wording.denies_at_once
            if denies or (says and self._resumes(after)):
                yield from range(at + 1, after + 1)

    def _taken_back(self, at: int) -> Iterator[int]:
        """Yield the next sentence, where it limits or withdraws what this one says.

        Its words tell so, or it is short and denies or speaks of that: "In a gale it is not", "We have
        stopped doing so". Of its own paragraph one takes that up and judges: "40 such pumps broke".
        What somebody is quoted with is judged by the next sentence that points to that: "He was fined
        for that".
        """
        after = at + 1
        if not self._is_one(at, after) and not self._opens_next_paragraph(at, after):
            return
        wording = self._wordings[after]
        judged = wording.comments or wording.judges or self._judges_speech(after)
        if wording.takes_back or (self._is_one(at, after) and judged):
            yield after

    def _judges_speech(self, at: int) -> bool:
        """Whether it points to somebody who is quoted right before it with a whole sentence."""
        speaks = any(
            said.first < at <= said.last + 1 and said.is_speech for said in self._quotations
        )
        return speaks and self._wordings[at].opens_with_pointing

    def _noted(self, at: int) -> Iterator[int]:
        """Yield of the note right behind the paragraph or the table what limits this span."""
        is_row = self.spans[at].kind is BlockKind.TABLE
        first = (self._last_of_run(at) if is_row else self._last_of_block(at)) + 1
        if first >= len(self.spans) or self.spans[first].kind not in _NOTES:
            return
        kind, note = self.spans[first].kind, self._wordings[first]
        if kind is BlockKind.QUOTE and self._resumes(first) and note.denies_at_once:
            yield first
        elif is_row or note.is_labelled or kind is BlockKind.ADMONITION:
            rows = self._texts[self._first_of_run(at) : first] if is_row else [""]
            row, told = self._texts[at], tables.told_in_row(self._texts[at], rows[0])
            said = range(first, self._last_of_block(first) + 1)
            limits = (one for one in said if self._limits(one, note.is_labelled, told))
            limits = (it for it in limits if not tables.is_of_other_row(self._texts[it], row, rows))
            yield from islice(limits, 1)

    def _limits(self, at: int, is_labelled: bool, told: str) -> bool:
        """Whether a sentence of a note says of `told`, or "this table", that it does not hold."""
        wording = self._wordings[at]
        if wording.count > _NOTE or not (is_labelled or wording.denies or wording.takes_back):
            return False
        shared = set(content_terms(told)) & set(content_terms(self._texts[at]))
        return bool(shared) or (wording.denies_a_clause and wording.speaks_of_all)

    def _opens_next_paragraph(self, at: int, after: int) -> bool:
        """Whether it is the first sentence behind the paragraph or the item."""
        if after >= len(self.spans) or self._is_term(after):
            return False
        return self.spans[at].kind is self.spans[after].kind and self._is_paragraph(after)

    def _first_of_run(self, at: int) -> int:
        kind = self.spans[at].kind
        while at and self.spans[at - 1].kind is kind:
            at -= 1
        return at

    def _closes_aside(self, at: int) -> bool:
        """Whether it is an aside at the end of its paragraph, all of which it may speak of."""
        wording = self._wordings[at]
        ends = not self._is_one(at, at + 1)
        return ends and wording.is_aside and not wording.opens_with_pointing

    def _last_of_run(self, at: int) -> int:
        kind = self.spans[at].kind
        while at + 1 < len(self.spans) and self.spans[at + 1].kind is kind:
            at += 1
        return at

    def _is_paragraph(self, at: int) -> bool:
        if at >= len(self.spans) or self._is_term(at):
            return False
        return self.spans[at].kind is BlockKind.PARAGRAPH

    def _resumes(self, at: int) -> bool:
        if at not in self._dialogue:
            return self._wordings[at].resumes
        said = self._texts[at].partition(":")[2].lstrip()
        return Wording(said, self._language).resumes

    def _footnotes(self, at: int) -> Iterator[int]:
        """Yield the footnotes right behind the paragraph, if the sentence has the mark of one.

        They come in the order of their marks; where there are more or fewer, all belong to it.
        """
        if not _MARK.search(self._texts[at]):
            return
        last = self._last_of_block(at)
        notes: dict[int, list[int]] = {}
        for place in range(last + 1, len(self.spans)):
            if self.spans[place].kind is not BlockKind.FOOTNOTE:
                break
            notes.setdefault(self._blocks[place], []).append(place)
        marks = [
            place
            for place in range(self._first_of_block(at), last + 1)
            for _ in _MARK.finditer(self._texts[place])
        ]
        own = list(notes.values())
        if len(marks) == len(own):
            own = [note for place, note in zip(marks, own, strict=True) if place == at]
        yield from (place for note in own for place in note)
