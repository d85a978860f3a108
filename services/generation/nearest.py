"""Quote what stands nearest to a question in a book that does not answer it, or not in its words."""

from services.generation.checks.cite import Citations
from services.generation.extractive.candidates import list_candidates
from services.generation.model import Citation, Claim, DraftSentence, Question, SearchResult

MOST = 3
"""Of 168 questions that books answer in other words, with the refusals there would be without a gate:
the first three spans hold the gold of 81, the first of 48, the first five of 91
(`tests/quality/questions/paraphrase/open`)."""

_LONGEST = 400
"""Characters of a quotation; what is longer, such as a listing, is no glance."""


def quote_nearest(search: SearchResult, question: Question) -> tuple[Citation, ...]:
    """Return quotations of the spans that match the question best, the best first, numbered from 1.

    None of what is on another subject, and none of text that the reader selected: that is before them.
    """
    if not search.gate.near:
        return ()
    marked = question.selection
    items = [
        item
        for item in list_candidates(search.passages, question.language)
        if item.score > 0.0 and len(item.text) <= _LONGEST
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
