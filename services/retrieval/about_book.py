"""Choose what a book says of itself among the passages of the places where it may."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from msgspec import structs

from libs.language.entries import OFF, Pattern
from libs.question.about_book import (
    FRONT,
    BookAspect,
    Standing,
    main_title,
    rate_statement,
    rate_titled_line,
    rules_of,
)
from libs.text import QUESTION_MARKS, collapse_space, words
from services.retrieval.model import (
    CAPTION,
    CODE,
    HEADING,
    Chunk,
    Heading,
    HighlightedPassage,
    Passage,
    Span,
)
from services.retrieval.outline import Place, Places

_NUMBER = re.compile(r"\S*\d\S*")
_MOST_SHOWN = 6
_MOST_OF_CHAPTER = 4
_MOST_TELLING = 2

STATED = 0.9
"""Probability that what says of itself what is asked answers; of the rest, in what follows."""

TITLED = 0.8
"""Probability that the titles of chapters say what a book is about that says nothing of itself."""

OPENED = 0.7
"""Probability that a beginning answers that says nothing of itself."""

UNSAID = 0.2
"""Probability that first pages answer that say nothing of what is asked: a model may look."""


@dataclass(frozen=True)
class Chosen:
    """The passages that answer, in the order in which they are read, and how likely they do."""

    passages: Sequence[Passage]
    probability: float
    titles_only: bool = False


def choose_passages(
    found: Sequence[Passage], places: Places, title: str = "", defines: Pattern = OFF
) -> Chosen:
    """Choose among the whole chunks of the places in the book of this title.

    `defines` tells a sentence of the language that says what something is.
    """
    in_order = sorted(found)
    if places.asked.aspect is BookAspect.CONTENTS:
        return _choose_contents(in_order, places)
    front = [one for one in in_order if _lies_in(one, places.front)]
    later = [one for one in in_order if one not in front and _lies_in(one, places.stated)]
    rated = [
        (_rate(passage, places), _is_titled(passage, places), passage)
        for passage in (*front, *later)
    ]
    telling = [
        passage for rate, _, passage in sorted(rated, key=lambda one: (-one[0], not one[1])) if rate
    ]
    if telling:
        return Chosen(telling[:_MOST_SHOWN], STATED)
    if places.titled and not any(
        _says_what_it_is(one, places, title, defines) for one in front[:_MOST_TELLING]
    ):
        return _choose_titles(in_order, places)
    if places.asked.aspect is BookAspect.SUBJECT:
        return Chosen(front[:_MOST_SHOWN], OPENED if front else 0.0)
    return Chosen(front[:_MOST_OF_CHAPTER], UNSAID if front else 0.0)


def _says_what_it_is(passage: Passage, places: Places, title: str, defines: Pattern) -> bool:
    """Whether a beginning says what the book's title names: "Tern is …" of "Tern Manual"."""
    outline, chunk = places.outline, passage.chunk
    if places.asked.aspect is not BookAspect.SUBJECT or outline.is_unintroduced:
        return False
    titles = [main_title(one) for one in (title, outline.documents[0].path[0])]
    if titles[-1].endswith(QUESTION_MARKS):
        return True
    subjects = [words(_NUMBER.sub(" ", outline.rules.titled.sub(" ", one))) for one in titles]
    lines = (chunk.text_of(span) for span in chunk.spans if span.kind != HEADING)
    texts = [words(line) for line in lines if defines is OFF or defines.search(line)]
    # "Tern is", "The tern is".
    return any(
        subject in (text[: len(subject)], text[1 : len(subject) + 1])
        for subject in filter(None, subjects)
        for text in texts
    )


def _choose_titles(in_order: Sequence[Passage], places: Places) -> Chosen:
    titled = [one for one in in_order if _lies_in(one, places.titles)]
    sure = TITLED if places.asked.aspect is BookAspect.SUBJECT else STATED
    return Chosen(titled, sure if titled else 0.0, titles_only=True)


def _choose_contents(in_order: Sequence[Passage], places: Places) -> Chosen:
    """Return the opening of a chapter, and what the book tells of it elsewhere."""
    opening = [one for one in in_order if _lies_in(one, places.front)][:_MOST_OF_CHAPTER]
    if places.titled and not any(_says_something(one, places) for one in opening):
        return _choose_titles(in_order, places)
    others = (one for one in in_order if _lies_in(one, places.stated) and one not in opening)
    telling = [one for one in others if _rate(one, places)][:_MOST_TELLING]
    is_stated = bool(telling) or any(_rate(passage, places) for passage in opening)
    return Chosen([*opening, *telling], STATED if is_stated else OPENED if opening else 0.0)


def cut_to_titles(
    passages: Sequence[HighlightedPassage], places: Places
) -> tuple[HighlightedPassage, ...]:
    """Return for each title asked for a passage that is it, or the first line where it shows none."""
    return tuple(cut for heading in places.titled if (cut := _cut_to_title(passages, heading)))


def _cut_to_title(
    passages: Sequence[HighlightedPassage], chapter: Heading
) -> HighlightedPassage | None:
    title = collapse_space(chapter.path[-1])
    opening = [
        item
        for item in passages
        if item.passage.chunk.document == chapter.document
        and item.passage.chunk.start >= chapter.start
    ]
    for item in opening:
        chunk = item.passage.chunk
        for index, span in enumerate(chunk.spans):
            if span.kind == HEADING and collapse_space(chunk.text_of(span)) == title:
                return _cut_to_span(item, index)
    return _cut_to_span(opening[0], 0) if opening and opening[0].span_scores else None


def _cut_to_span(item: HighlightedPassage, index: int) -> HighlightedPassage:
    passage = item.passage
    chunk, span = passage.chunk, passage.chunk.spans[index]
    cut = structs.replace(
        chunk,
        start=span.start,
        end=span.end,
        text=chunk.text_of(span),
        spans=(span,),
        span_vectors=b"",
        page_breaks=tuple(found for found in chunk.page_breaks if span.start < found[0] < span.end),
        page=max(
            [(0, chunk.page), *(found for found in chunk.page_breaks if found[0] <= span.start)]
        )[1],
        footnotes=(),
        table_header="",
        neighbours=(),
        lead_ins=(),
    )
    candidate = structs.replace(passage.candidate, found=cut)
    return HighlightedPassage(
        structs.replace(passage, candidate=candidate),
        (item.span_scores[index],),
        (item.highlighted[index],),
    )


def _rate(passage: Passage, places: Places) -> float:
    """Return how surely a span of the passage says what is asked, in [0, 1]."""
    chunk, outline, best = passage.chunk, places.outline, 0.0
    is_front = chunk.document in outline.front
    in_chapter = places.asked.aspect is not BookAspect.CONTENTS or _lies_in(passage, places.front)
    titles, opened = chunk.section_path, False
    for before, span in pairwise((None, *chunk.spans)):
        assert span is not None
        if span.kind == HEADING:
            # What directly follows a title stands under both.
            titles, opened = (*(titles if opened else ()), chunk.text_of(span)), True
            if is_front and before is not None:
                best = max(best, rate_titled_line(places.asked, chunk.text_of(span), outline.rules))
            continue
        if span.kind in (CAPTION, CODE):
            opened = False
            continue  # Whom a listing or a picture names wrote that.
        at_front = is_front and span.start < FRONT
        below_title = at_front and opened and chunk.start == 0 and span == chunk.spans[1]
        opened = False
        standing = Standing(
            at_front,
            titles if is_front else (),
            in_chapter,
            below_title,
            chunk.text_of(before) if before and _is_of_paragraph(chunk, before, span) else "",
        )
        rate = rate_statement(places.asked, chunk.text_of(span), outline.rules, standing)
        best = max(best, rate)
    return best


def _is_of_paragraph(chunk: Chunk, before: Span, span: Span) -> bool:
    return (
        before.kind == span.kind
        and "\n" not in chunk.text[before.end - chunk.start : span.start - chunk.start]
    )


def _is_titled(passage: Passage, places: Places) -> bool:
    """Whether a title says that what is asked stands under it; its subject a book says first."""
    if places.asked.aspect is BookAspect.SUBJECT:
        return False
    titles = rules_of(places.asked.aspect, places.outline.rules).titles
    return any(map(titles.search, passage.chunk.section_path))


def _says_something(passage: Passage, places: Places) -> bool:
    """Whether it has more of the chapter itself than titles, not of what stands below it."""
    below = {(one.document, one.path) for one in places.titled}
    path = passage.chunk.section_path
    spans = passage.chunk.spans
    is_own = not any(
        (passage.chunk.document, path[:depth]) in below for depth in range(1, len(path) + 1)
    )
    return is_own and any(span.kind != HEADING for span in spans)


def _lies_in(passage: Passage, places: Sequence[Place]) -> bool:
    chunk = passage.chunk
    return any(
        chunk.document == document and chunk.start < end and chunk.end > start
        for document, start, end in places
    )
