"""List every span that can be shown as part of an answer, with what stands over it."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile

from libs.language.about_book import BookQuestions
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.language.spans import Spans
from libs.question.about_book import FRONT, Standing, is_byline
from libs.table_rows import cells_of
from libs.text import COLONS, count_words, is_question, literals
from libs.text import terms as stems
from services.generation.checks.speech import find_replies
from services.generation.checks.tables import is_of_table_above, is_one_table
from services.generation.model import BlockKind, Passage, Span

_LABEL_WORDS = 6
_AMONG_ITEMS = (BlockKind.CODE, BlockKind.ADMONITION, BlockKind.CAPTION, BlockKind.MATH)
"""What stands in a list beside its items: the command of a step, a note or a picture to it."""
_IMPRINT = 120
"""Characters of a line that says who printed a book, for whom and when; what is longer tells more."""

_TELLS = re.compile(r"[\d:]")
"""A label with a number or a colon is a fact: "Weight: 15 %"."""

_PATH = re.compile(
    r"(?<![\w/])(?:~|\.{1,2}|[$%{<]\w{1,40}[%}>]?|[A-Za-z]:)?[/\\][\w.${}<>-]{1,60}[/\\]?[\w.~]"
)
"""Where a file stands: "/etc/fstab", "~/.cache/borg/", "%APPDATA%\\mail"."""

_VALUES = re.compile(
    r"(?:[^\W_][\w -]{0,30}:\s[^\s:,;()]{1,40}(?: [^\s:,;()]{1,40})?(?:\([^()]{0,90}\))?"
    r"(?:[,;]\s|\.?\Z))+"
)
"""A line that only has values with what they are of: "Type: boolean, default: true."."""

_NUMBER = re.compile(r"\A\W*\d+(?:\.\d+)*\.?\s+")
_FIGURE = re.compile(r"\d")
_SPOKEN = (BlockKind.PARAGRAPH, BlockKind.QUOTE)
"""Kinds of what people say."""

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w")
"""Of the author below a title, who introduces nothing of what is said next."""

_SENTENCE_END = re.compile(r"[.!?…。！？｡؟۔।॥][\"'”’)\]」』»）]*$")


@lru_cache(maxsize=16384)
def terms(text: str) -> tuple[str, ...]:
    """Return the terms of `text` in order, with one spelling for -ise and -ize, then its literals.

    Passages come again, so they are kept.
    """
    of_english = load_lexicon(FALLBACK).spelling
    spelled = of_english.s_for_z.sub(lambda found: found[0][0] + "z", text)
    return (*stems(spelled), *literals(text))


@lru_cache(maxsize=16384)
def distinct_terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def without_number(title: str) -> str:
    """Return a title without the number before it: "3.27. See also"."""
    return _NUMBER.sub("", title)


@dataclass(frozen=True)
class CandidateSpan:
    """Span `index` of source `source` (from 1).

    `intro` is the index of the span that introduces it: a list's or a code block's last words before
    it, a table's first row, the term over its definition; None when there is none.
    """

    source: int
    passage: Passage
    index: int
    intro: int | None
    heading: str
    rules: Spans
    """Of the language that the book is in."""
    is_reply: bool = False
    """Whether `intro` is a question that somebody is quoted with, and this replies to it."""
    is_byline: bool = False
    """Whether it only says at a beginning who wrote the book, or when."""

    @property
    def span(self) -> Span:
        return self.passage.spans[self.index]

    @cached_property
    def text(self) -> str:
        return self.passage.text_of(self.span)

    @property
    def score(self) -> float:
        """How near it is to the question, in [0, 1]: a reply as near as what it replies to."""
        own = self.span.score
        if not self.is_reply or self.intro is None:
            return own
        return max(own, self.passage.spans[self.intro].score)

    @cached_property
    def intro_text(self) -> str:
        if self.entry:
            return self.entry
        if self.intro is None:
            return "\n".join(self.list_terms())
        return self.passage.text_of(self.passage.spans[self.intro])

    def list_terms(self, *, is_first: bool = False) -> list[str]:
        """Return the terms that it says something of, or those alone that it is the first to."""
        passage, start = self.passage, self.span.start
        leads = [one for one in passage.lead_ins if one.is_term and one.end <= start < one.until]
        if leads and is_first:
            terms = {one.start for one in passage.lead_ins if one.is_term}
            told = (one.start for one in passage.spans if one.start not in terms)
            last = max((one for one in told if one < start), default=-1)
            leads = [one for one in leads if one.end > last]
        starts = {one.start for one in leads}
        around = (*(one.span for one in passage.neighbours), *passage.spans)
        return [passage.text_of(one) for one in around if one.start in starts]

    @cached_property
    def entry(self) -> str:
        """The literals that it is the definition of, one a line; "" when no entry begins with it.

        A manual gives an option its own line over what it does, each of its spellings one.
        """
        lines: list[str] = []
        for span in reversed(self.passage.spans[: self.index]):
            text = self.passage.text_of(span)
            if span.kind is not BlockKind.PARAGRAPH or not _is_entry(text):
                break
            lines.insert(0, text)
        return "\n".join(lines)

    @cached_property
    def caption(self) -> str:
        """The span before its table, which is often its title, or that title row; "" for none."""
        if self.span.kind is not BlockKind.TABLE:
            return ""
        first = self.index if self.intro is None else self.intro
        spans = self.passage.spans[:first]
        if not spans or (
            spans[-1].kind is BlockKind.TABLE and not _is_titled(self.passage, first - 1)
        ):
            return ""
        texts = [self.passage.text_of(one) for one in spans]
        return "" if is_of_table_above(spans, texts, first - 1) else texts[-1]

    @cached_property
    def before(self) -> int | None:
        """The statement before it in its paragraph, when it leans on that one; else None."""
        if not self.index or self.span.kind is BlockKind.LIST_ITEM:
            return None
        if not self.rules.leans.match(self.text):
            return None
        last, start = self.passage.spans[self.index - 1], self.passage.locator.start
        gap = self.passage.text[last.end - start : self.span.start - start]
        is_one = last.kind is self.span.kind and "\n\n" not in gap
        asks = is_question(self.passage.text_of(last))
        return self.index - 1 if is_one and not asks else None

    @property
    def named_by(self) -> str:
        """The title that says what it is about: the one above where its own is a mere "Description"."""
        if without_number(self.heading).casefold() not in self.rules.openings:
            return self.heading
        path = self.passage.locator.section_path
        above = path[:-1] if path[-1:] == (self.heading,) else path
        return above[-1] if above else self.heading

    @property
    def is_first_sentence(self) -> bool:
        """Whether it is a sentence, and no other stands between the title over it and it."""
        if not self._is_sentence(self.index):
            return False
        for at in reversed(range(self.index)):
            if self.passage.spans[at].kind is BlockKind.HEADING:
                return True
            if self._is_sentence(at):
                return False
        return False

    def _is_sentence(self, at: int) -> bool:
        span = self.passage.spans[at]
        text = self.passage.text_of(span).rstrip()
        ends = _SENTENCE_END.search(text) is not None
        return span.kind is BlockKind.PARAGRAPH and ends and not _VALUES.fullmatch(text)

    @property
    def instructs(self) -> bool:
        """Whether it tells a reader to do something, or is code that the line over it says to run."""
        told = self.intro_text if self.span.kind is BlockKind.CODE else self.text
        return self.span.kind is not BlockKind.TABLE and bool(self.rules.instructs.search(told))

    @property
    def tells_how(self) -> bool:
        """Whether it says what to do, or by what something is done."""
        is_prose = self.span.kind is not BlockKind.TABLE
        return self.instructs or (is_prose and bool(self.rules.tells_how.search(self.text)))

    @property
    def locates(self) -> bool:
        """Whether it says where something is kept or stands."""
        return any(rule.search(self.text) for rule in (_PATH, self.rules.locates))

    @property
    def terms(self) -> frozenset[str]:
        return distinct_terms(self.text)

    @cached_property
    def titles_text(self) -> str:
        return "\n".join(self.passage.locator.section_path)

    @property
    def over(self) -> str:
        """What stands over it and may name the unit of its numbers."""
        return "\n".join((self.intro_text, self.heading, self.caption, self.passage.table_header))

    @property
    def titles(self) -> frozenset[str]:
        """Terms of all titles down to the span."""
        return distinct_terms(self.titles_text)

    @property
    def around(self) -> list[str]:
        """The texts of the span and of those beside it."""
        spans = self.passage.spans[max(0, self.index - 1) : self.index + 2]
        return [self.passage.text_of(span) for span in spans]

    @property
    def section(self) -> tuple[str, str]:
        """The document, and the title that it stands under."""
        return self.passage.locator.document, self.heading

    @property
    def key(self) -> tuple[str, int]:
        return self.passage.locator.document, self.span.start


@dataclass(frozen=True)
class Ranked:
    """A span, and its odds of being the answer."""

    odds: float
    item: CandidateSpan


def list_candidates(passages: Sequence[Passage], language: str = "") -> list[CandidateSpan]:
    """Return the spans of all passages in their order, each place once.

    Headings, and spans that only introduce others, are left out. `language` is the book's. Several
    stages list those of one answer: of the last answers they are kept, with what was told of each.
    """
    return list(_list_spans(tuple(passages), language))


@lru_cache(maxsize=16)
def _list_spans(passages: tuple[Passage, ...], language: str) -> tuple[CandidateSpan, ...]:
    lexicon = load_lexicon(language)
    found: dict[tuple[str, int], CandidateSpan] = {}
    for source, passage in enumerate(passages, 1):
        bylines = _bylines_of(passage, lexicon.about_book)
        for item in _of_passage(source, passage, lexicon.spans, bylines):
            found.setdefault(item.key, item)
    return tuple(found.values())


def _bylines_of(passage: Passage, rules: BookQuestions) -> frozenset[int]:
    """Return the spans at a beginning that say who wrote the book, or when: they introduce nothing."""
    front = takewhile(lambda one: one[1].start < FRONT, enumerate(passage.spans))
    return frozenset(
        index
        for index, span in front
        if span.kind is BlockKind.PARAGRAPH
        and (is_label(passage.text_of(span).rstrip(".")) or _is_imprint(passage, index, rules))
        and is_byline(passage.text_of(span), rules, Standing(at_front=True, below_title=index == 1))
    )


def _is_imprint(passage: Passage, index: int, rules: BookQuestions) -> bool:
    """Whether a line begins with whose the book is, or when and for whom it was printed."""
    text = passage.text_of(passage.spans[index])
    return len(text) <= _IMPRINT and any(
        rule.match(text)
        for rule in (rules.notice, rules.date.hinted, rules.date.implied, rules.publisher.stated)
    )


def _of_passage(
    source: int, passage: Passage, rules: Spans, bylines: Container[int]
) -> Iterator[CandidateSpan]:
    heading = "".join(passage.locator.section_path[-1:])
    texts = [passage.text_of(span) for span in passage.spans]
    replies = find_replies(texts, _number_paragraphs(passage))
    for index, span in enumerate(passage.spans):
        if span.kind is BlockKind.HEADING:
            heading = texts[index]
        elif any(map(str.isalnum, texts[index])):
            by = index in bylines
            introduces = not by and _only_introduces(passage, texts, index)
            if introduces or rules.names_file.match(texts[index]):
                continue
            intro = None if index - 1 in bylines else _intro(passage, texts, index)
            is_reply = intro is None and index in replies
            intro = replies[index] if is_reply else intro
            yield CandidateSpan(source, passage, index, intro, heading, rules, is_reply, by)


def _number_paragraphs(passage: Passage) -> list[int]:
    """Return the number of the paragraph that each span is of; -1 for what is no prose."""
    start, number, end = passage.locator.start, 0, passage.locator.start
    numbers = list[int]()
    for span in passage.spans:
        number += "\n\n" in passage.text[end - start : span.start - start]
        numbers.append(number if span.kind in _SPOKEN else -1)
        end = span.end
    return numbers


def _only_introduces(passage: Passage, texts: Sequence[str], index: int) -> bool:
    """Whether the span says nothing without what stands beside it."""
    spans = passage.spans
    followed = index + 1 < len(spans) and spans[index + 1].kind is not BlockKind.HEADING
    if spans[index].kind is BlockKind.TABLE:
        return _first_row(passage, index) is None and _is_below(passage, index + 1)
    if followed and (_names_next(spans, texts, index) or _spells_next(spans, texts, index)):
        return True
    if followed and _is_term_of(passage, index, index + 1):
        return True
    return followed and (_introduces(texts[index]) or is_question(texts[index]))


def _is_term_of(passage: Passage, index: int, other: int) -> bool:
    """Whether the span is a term, or the problem of an entry, that the other one says something of."""
    term, said = passage.spans[index], passage.spans[other]
    return any(
        one.is_term and one.start == term.start and said.start < one.until
        for one in passage.lead_ins
    )


def _names_next(spans: Sequence[Span], texts: Sequence[str], index: int) -> bool:
    """Whether the span is a term or title over the paragraph after it, and tells nothing itself."""
    both_prose = all(span.kind is BlockKind.PARAGRAPH for span in spans[index : index + 2])
    tells = _TELLS.search(texts[index]) is not None
    return both_prose and not tells and is_label(texts[index]) and not is_label(texts[index + 1])


def _spells_next(spans: Sequence[Span], texts: Sequence[str], index: int) -> bool:
    """Whether both spans are entries, "-d" over "--delete": one with two spellings."""
    both_prose = all(span.kind is BlockKind.PARAGRAPH for span in spans[index : index + 2])
    return both_prose and _is_entry(texts[index]) and _is_entry(texts[index + 1])


def _intro(passage: Passage, texts: Sequence[str], index: int) -> int | None:
    spans = passage.spans
    kind = spans[index].kind
    if kind is BlockKind.CODE and _is_caption(spans, index + 1):
        return index + 1
    if kind is BlockKind.TABLE:
        return _first_row(passage, index)
    before = index - 1
    if kind is BlockKind.LIST_ITEM:
        before = _before_list(spans, texts, index)
    if before < 0 or spans[before].kind in (BlockKind.HEADING, BlockKind.TABLE):
        return None
    if _is_term_of(passage, before, index):
        return before
    if kind is BlockKind.LIST_ITEM and leads_to_list(passage, before):
        return before
    is_labelled = spans[before].kind is BlockKind.PARAGRAPH and is_label(texts[before])
    while is_labelled and before and _spells_next(spans, texts, before - 1):
        before -= 1
    return before if _introduces(texts[before]) or is_labelled else None


def _before_list(spans: Sequence[Span], texts: Sequence[str], index: int) -> int:
    """Return the span before the list of an item: the line, or the item, that leads to it; -1 for none.

    What stands between two items is no end of their list, nor does an item lead on that leads to it.
    """
    before = item_before(spans, index)
    while before is not None:
        if before + 1 == index and _introduces(texts[before]):
            return before
        index, before = before, item_before(spans, before)
    return index - 1


def item_before(spans: Sequence[Span], index: int) -> int | None:
    """Return the item before an item of the same list, over code or a note between; None for none."""
    before = index - 1
    while before >= 0 and spans[before].kind in _AMONG_ITEMS:
        before -= 1
    is_item = before >= 0 and spans[before].kind is BlockKind.LIST_ITEM
    return before if is_item else None


def _is_caption(spans: Sequence[Span], index: int) -> bool:
    return index < len(spans) and spans[index].kind is BlockKind.CAPTION


def _first_row(passage: Passage, index: int) -> int | None:
    first = index
    while _is_below(passage, first):
        first -= 1
    first += _is_titled(passage, first)
    return first if first < index else None


def _is_titled(passage: Passage, first: int) -> bool:
    """Whether the first row of a table is its title alone: one cell, over a header and its numbers."""
    if not (_is_below(passage, first + 1) and _is_below(passage, first + 2)):
        return False
    title, header, row = (
        cells_of(passage.text_of(one)) for one in passage.spans[first : first + 3]
    )
    in_header, in_row = (any(map(_FIGURE.search, one)) for one in (header, row))
    return len(title) == 1 < len(header) == len(row) and in_row and not in_header


def _is_below(passage: Passage, index: int) -> bool:
    """Whether the span is a row below another one of its table."""
    rows = passage.spans[max(0, index - 1) : index + 1]
    if len(rows) < 2 or any(row.kind is not BlockKind.TABLE for row in rows):
        return False
    return is_one_table(passage, *rows)


def _introduces(text: str) -> bool:
    return text.rstrip().endswith(COLONS)


def leads_to_list(passage: Passage, at: int) -> bool:
    """Whether the span is a line that ends in no sentence, and a list goes on with it."""
    both = passage.spans[at : at + 2]
    kinds = [one.kind for one in both]
    if kinds != [BlockKind.PARAGRAPH, BlockKind.LIST_ITEM]:
        return False
    return _SENTENCE_END.search(passage.text_of(both[0]).rstrip()) is None


def _is_entry(text: str) -> bool:
    """Whether it is a line of its own that begins with a literal: "-t timeout"."""
    first = text.split(maxsplit=1)[:1]
    return is_label(text) and any(literals(word) for word in first)


def is_label(text: str) -> bool:
    """Whether it is a few words that are no sentence."""
    if _SENTENCE_END.search(text.rstrip()):
        return False
    return count_words(text) <= _LABEL_WORDS and not _ADDRESS.search(text)
