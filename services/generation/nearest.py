"""Quote what stands nearest to a question in a book that does not answer it, or not in its words."""

import re

from services.generation.checks.cite import Citations
from services.generation.extractive.candidates import CandidateSpan, list_candidates
from services.generation.model import (
    BlockKind,
    Citation,
    Claim,
    DraftSentence,
    Question,
    SearchResult,
)

MOST = 3
"""Of 168 questions that books answer in other words, with the refusals there would be without a gate:
the first three spans hold the gold of 81, the first of 48, the first five of 91
(`tests/quality/questions/paraphrase/open`)."""

_LONGEST = 400
"""Characters of a quotation; what is longer, such as a listing, is no glance."""

_TITLE = re.compile(r"#+(?:[ \t][^\n]*)?")
"""A line with the mark of a title or of a comment: nobody writes prose so."""
_COMMENT = re.compile(r"(?:[ \t]*(?:#+|//+|--|;+|%+|<!--)(?:[ \t][^\n]*)?(?:\n|\Z))+")
"""Nothing but lines that programs pass over; "--all" and "#include" are none."""


def quote_nearest(search: SearchResult, question: Question) -> tuple[Citation, ...]:
    """Return quotations of the spans that match the question best, the best first, numbered from 1.

    None of what is on another subject, none of text that the reader selected, which is before them, and
    no title or comment of code by itself, which says nothing.
    """
    if not search.gate.near:
        return ()
    marked = question.selection
    items = [
        item
        for item in list_candidates(search.passages, question.language)
        if item.score > 0.0 and len(item.text) <= _LONGEST and not _only_titles(item)
        if marked is None or not marked.touches(item.key[0], item.span.start, item.span.end)
    ]
    citations, texts = Citations(search.passages), set[str]()
    for item in sorted(items, key=lambda item: -item.score):
        if item.text in texts:
            continue
        texts.add(item.text)
        start = item.span.start - item.passage.locator.start
        claim = Claim(item.source, item.text, start)
        citations.issue(citations.check(DraftSentence(item.text, (claim,))))
        if len(citations.issued) == MOST:
            break
    return citations.issued


def _only_titles(item: CandidateSpan) -> bool:
    """Whether it has the marks of a title or a comment in every line; headings are no candidates."""
    text = item.text.strip()
    is_code = item.span.kind is BlockKind.CODE
    return bool(_TITLE.fullmatch(text) or (is_code and _COMMENT.fullmatch(text)))
