"""Answer what is asked of the book itself with the sentences that say it, or with its titles."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from libs.language.about_book import BookQuestions
from libs.language.lexicon import load_lexicon
from libs.question.about_book import (
    FRONT,
    AboutBook,
    BookAspect,
    Standing,
    is_byline,
    rate_statement,
    rate_titled_line,
)
from libs.text import COLONS, QUESTION_MARKS, collapse_space, is_unspaced, words
from services.generation.extractive.candidates import (
    CandidateSpan,
    distinct_terms,
    list_candidates,
)
from services.generation.extractive.definitions import definition_fit
from services.generation.extractive.places import Place, place_of, place_of_block
from services.generation.model import BlockKind, Passage, Prompt, SentenceRole

MOST_LEADS = 3
"""Sentences that say together how a book is organised."""

MOST_SUPPORT = 3
_TELLING = 40
"""Characters from which a line is a sentence and no label; of a script without spaces each is two."""

_LONGEST_BLOCK = 1200
_LONGEST_BYLINE = 120
"""Characters of what says by whom and of when a book is; what is longer tells of something, too."""

_JOINING = 1
"""Words that join the names of several authors: "and"."""

_PROSE = (BlockKind.PARAGRAPH, BlockKind.QUOTE)
_BY_TITLES = (BookAspect.CHAPTERS, BookAspect.ORGANISATION, BookAspect.TITLE)
_ADDRESSED = re.compile(r"<\S+@\S+>\W*$")
"""What is a person's address, and no sentence, ends so."""


def choose_about_book(prompt: Prompt) -> list[Place]:
    """Return what the passages say of the book, the lead first; nothing where they do not say it."""
    asked = prompt.analysis.about_book
    assert asked is not None
    items = list_candidates(prompt.passages, prompt.analysis.language)
    rules = load_lexicon(prompt.analysis.language).about_book
    rated = [(_rate(asked, item, rules, prompt.passages[0]), item) for item in items]
    surest = max((rate for rate, _ in rated), default=0.0)
    stating = [item for rate, item in rated if rate == surest > 0]
    may_be_listed = asked.names_chapter or asked.aspect is BookAspect.SUBJECT
    if asked.aspect is BookAspect.AUTHOR and not _names_author(prompt, stating):
        # Not who wrote one of its pages, where another line names whom the metadata name.
        named = list(_authors_named(prompt))[:1]
        if named or not stating:
            return named
    if not stating and (titled := list(_lines_titled(prompt.passages, asked, rules))):
        return titled[:1]
    is_listed = may_be_listed and all(map(_is_title_alone, prompt.passages))
    if is_listed or (asked.aspect in _BY_TITLES and not stating):
        return list(_first_lines(prompt.passages))
    if asked.aspect is BookAspect.CONTENTS:
        title = list(_titles(prompt.passages))[:1]
        return [*title, *_lead_and_support(stating or list(filter(_is_sentence, items)), leads=1)]
    if asked.aspect is BookAspect.SUBJECT:
        stating = stating or _opening_sentences(items, rules)
    leads = MOST_LEADS if asked.aspect is BookAspect.ORGANISATION else 1
    if asked.aspect is BookAspect.AUTHOR:
        leads = _count_lines(stating)
    return _lead_and_support(stating, leads)


def _count_lines(stating: Sequence[CandidateSpan]) -> int:
    """Return how many lines name an author each, the first and those right below it."""
    count = 1
    for before, item in pairwise(stating):
        is_next = item.source == before.source and item.index == before.index + 1
        if not is_next or max(len(before.text), len(item.text)) > _LONGEST_BYLINE:
            break
        count += 1
    return count


def _lines_titled(
    passages: Sequence[Passage], asked: AboutBook, rules: BookQuestions
) -> Iterator[Place]:
    """Yield the lines of a first page, set as titles, that say whose or of when the book is."""
    for source, passage in enumerate(passages, 1):
        for span in passage.spans[1:]:
            is_title = span.kind is BlockKind.HEADING and span.start < FRONT
            if is_title and rate_titled_line(asked, passage.text_of(span), rules):
                yield Place(source, passage.locator.document, span)


def _opening_sentences(items: Sequence[CandidateSpan], rules: BookQuestions) -> list[CandidateSpan]:
    """Return the sentences of a beginning, first what says what its title names."""
    rights = (rules.legal, rules.notice)
    sentences = [
        item
        for item in items
        if _is_sentence(item)
        and not item.text.isupper()
        and not _ADDRESSED.search(item.text)
        and item.text.count("”") <= item.text.count("“")  # not the end of what somebody says
        and not any(rule.search(item.text) for rule in rights)
        and not (
            len(item.text) <= _LONGEST_BYLINE and is_byline(item.text, rules, _standing_of(item))
        )
    ]
    return sorted(sentences, key=lambda item: _fit_of_title(item, rules), reverse=True)


def _fit_of_title(item: CandidateSpan, rules: BookQuestions) -> tuple[bool, float]:
    """Return whether the title over it is a book's, and how well it says what that names.

    "Tern Manual" is of Tern; "Purpose" and its like name nothing to be told.
    """
    if rules.front.search(item.heading):
        return False, 0.0
    subject = rules.titled.sub("", item.heading)
    fit = definition_fit(item, distinct_terms(subject))
    return fit > 0 and subject != item.heading, fit


def _lead_and_support(items: Sequence[CandidateSpan], leads: int) -> list[Place]:
    once = {collapse_space(item.text): item for item in reversed(items)}
    # The first of equal ones, in the order of all.
    distinct = (item for item in items if once[collapse_space(item.text)] is item)
    found = {(place.document, place.span.start): place for place in map(_whole, distinct)}
    places = list(found.values())
    support = places[leads : leads + MOST_SUPPORT]
    return [*places[:leads], *(replace(place, role=SentenceRole.SUPPORT) for place in support)]


def _rate(asked: AboutBook, item: CandidateSpan, rules: BookQuestions, first: Passage) -> float:
    """Return how surely the span says it, or what introduces the list or table that it is of.

    Of a chapter, `first` is its opening.
    """
    if item.span.kind in (BlockKind.CAPTION, BlockKind.CODE):
        return 0.0  # By whom a picture or a listing is.
    in_chapter = item.key[0] == first.locator.document or asked.aspect is not BookAspect.CONTENTS
    standing = replace(_standing_of(item), in_chapter=in_chapter)
    texts = (item.text, item.intro_text if item.intro_text.rstrip().endswith(COLONS) else "")
    return max(rate_statement(asked, text, rules, standing) for text in texts)


def _authors_named(prompt: Prompt) -> Iterator[Place]:
    """Yield the lines of a first page that have only names of those whom the metadata name.

    They are no candidates for a sentence: a name stands over an address as a term over what it means.
    """
    authors = [frozenset(words(author)) for author in prompt.authors]
    for source, passage in enumerate(prompt.passages, 1):
        for span in passage.spans:
            said = words(passage.text_of(span)) if span.start < FRONT else []
            is_one = any(author <= frozenset(said) for author in authors)
            if is_one and sum(not any(one in held for held in authors) for one in said) <= _JOINING:
                yield Place(source, passage.locator.document, span)


def _names_author(prompt: Prompt, stating: Sequence[CandidateSpan]) -> bool:
    """Whether one of the sentences has all words of an author whom the metadata name."""
    authors = [frozenset(words(author)) for author in prompt.authors]
    return any(author <= frozenset(words(item.text)) for item in stating for author in authors)


def _standing_of(item: CandidateSpan) -> Standing:
    before = item.passage.spans[: item.index]
    below_title = len(before) == 1 and before[0].start == 0 and before[0].kind is BlockKind.HEADING
    return Standing(
        item.span.start < FRONT,
        _titles_over(item),
        below_title=below_title,
        before=_text_before(item),
    )


def _text_before(item: CandidateSpan) -> str:
    """Return the sentence before it in its paragraph; "" where it begins one."""
    if not item.index:
        return ""
    before, start = item.passage.spans[item.index - 1], item.passage.locator.start
    between = item.passage.text[before.end - start : item.span.start - start]
    is_of_it = before.kind is item.span.kind and "\n" not in between
    return item.passage.text_of(before) if is_of_it else ""


def _titles_over(item: CandidateSpan) -> tuple[str, ...]:
    """Return the titles that stand directly over the span, or over each other there."""
    passage, found = item.passage, list[str]()
    for span in reversed(passage.spans[: item.index]):
        is_heading = span.kind is BlockKind.HEADING
        if found and not is_heading:
            return tuple(found)
        found += [passage.text_of(span)] if is_heading else []
    return (*found, *passage.locator.section_path)


def _whole(item: CandidateSpan) -> Place:
    """Return the span, of a list the whole with what introduces it."""
    if item.span.kind is not BlockKind.LIST_ITEM:
        return place_of(item)
    block = place_of_block(item)
    return block if block.length <= _LONGEST_BLOCK else place_of(item)


def _titles(passages: Sequence[Passage]) -> Iterator[Place]:
    """Yield the titles that the passages show of those that they stand under, one of each passage."""
    for source, passage in enumerate(passages, 1):
        path = set(map(collapse_space, passage.locator.section_path))
        for span in passage.spans:
            if span.kind is BlockKind.HEADING and collapse_space(passage.text_of(span)) in path:
                yield Place(source, passage.locator.document, span)
                break


def _first_lines(passages: Sequence[Passage]) -> Iterator[Place]:
    """Yield the title of each passage that is cut to it, or the line that stands in its place."""
    for source, passage in enumerate(passages, 1):
        for span in passage.spans[:1]:
            yield Place(source, passage.locator.document, span)


def _is_title_alone(passage: Passage) -> bool:
    return [span.kind for span in passage.spans] == [BlockKind.HEADING]


def _is_sentence(item: CandidateSpan) -> bool:
    text = item.text.rstrip()
    length = len(text) + sum(map(is_unspaced, text))
    is_open = text.endswith((*QUESTION_MARKS, *COLONS))
    return length >= _TELLING and item.span.kind in _PROSE and not is_open
