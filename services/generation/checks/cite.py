"""Check that cited sources exist and that quotes stand in them word for word."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from libs.table_rows import cells_of, label_over
from libs.text import FoldedText, Range, fold, words
from services.generation.checks.context import list_context
from services.generation.checks.entailment import LEAST_SUPPORT, support
from services.generation.checks.excerpts import Excerpt, find_part, join_excerpts
from services.generation.model import (
    BlockKind,
    Check,
    CheckKind,
    Citation,
    Claim,
    DraftSentence,
    Locator,
    Passage,
    Selection,
    Span,
    Verdict,
)

_MIN_WORDS = 3
_MIN_CHARACTERS = 15
_MAX_QUOTE_CHARACTERS = 600
_SNIPPET_CHARACTERS = 200
_MAX_HEADER = 300
_BETWEEN_CELLS = " | "
_MAX_STITCHED_WORDS = 60
_SOURCE_NAMED = Check(CheckKind.SOURCE, True, "a passage that was found")


class Citations:
    """The citations of one answer, numbered as they are first used; a range has one number.

    `marked` is what the reader has selected: what a marked sentence leans on, they see before it.
    """

    def __init__(self, passages: tuple[Passage, ...], marked: Selection | None = None) -> None:
        self._passages = passages
        self._marked = marked
        self._folded: dict[int, FoldedText] = {}
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._issued: list[Citation] = []

    @property
    def issued(self) -> tuple[Citation, ...]:
        return tuple(self._issued)

    def check(self, sentence: DraftSentence) -> list[Citation]:
        """Return a citation, not yet numbered, for every claim that holds.

        A claim without a quote stands for the sentence itself or, if that is not in the source, for
        the span of the source that supports it best.
        """
        found = [self._check_claim(claim, sentence.text) for claim in sentence.claims]
        return [citation for citation in found if citation is not None]

    def examine(self, sentence: DraftSentence) -> tuple[list[Citation], list[Check]]:
        """Return the citations of `check`, and whether there is a source and a quote in it."""
        found = self.check(sentence)
        if found:
            verdicts = sorted({citation.verdict.value for citation in found})
            return found, [_SOURCE_NAMED, Check(CheckKind.QUOTE, True, ", ".join(verdicts))]
        known = [claim for claim in sentence.claims if self._sources(claim)]
        if not known:
            reason = "there is no such source" if sentence.claims else "no source is named"
            return [], [Check(CheckKind.SOURCE, False, reason)]
        glued = any(self._is_stitched(claim) for claim in known)
        reason = "glued from several places" if glued else "does not stand in the source"
        return [], [_SOURCE_NAMED, Check(CheckKind.QUOTE, False, reason)]

    def _is_stitched(self, claim: Claim) -> bool:
        """Whether a quote that is nowhere is made of two pieces that stand in sources of its claim."""
        spoken = claim.quote.split()[:_MAX_STITCHED_WORDS]
        texts = [fold(self._passages[number - 1].text).text for number in self._sources(claim)]
        return any(
            any(fold(" ".join(spoken[:at])).text in text for text in texts)
            and any(fold(" ".join(spoken[at:])).text.lstrip(". …") in text for text in texts)
            for at in range(_MIN_WORDS, len(spoken) - _MIN_WORDS + 1)
        )

    def widen(self, citations: list[Citation]) -> list[Citation]:
        """Return the citations, in the book's order, each widened to the whole spans it lies in."""
        return _in_order([self._widen(citation) for citation in citations])

    def _widen(self, citation: Citation) -> Citation:
        place = citation.locator
        for number, passage in enumerate(self._passages, 1):
            if passage.chunk_id != citation.chunk_id:
                continue
            touched = [
                span for span in passage.spans if span.start < place.end and span.end > place.start
            ]
            offset = passage.locator.start
            if touched and _is_telling(
                passage, touched[0].start - offset, touched[-1].end - offset
            ):
                whole = (touched[0].start - offset, touched[-1].end - offset)
                return self._cite(number, whole, Verdict.SUPPORTED)
        return citation

    def surround(self, citations: Sequence[Citation]) -> list[Citation]:
        """Return the book's own sentences, rows or items that the quotes stand in, one citation each.

        They are in the book's order. A title says nothing by itself, and is left out.
        """
        found = [
            self._cite_spans(number, (span,))
            for number, touched in self._touched(citations)
            for span in touched
        ]
        return _in_order(found)

    def excerpt(
        self, citations: Sequence[Citation], language: str = "", *, said: str | None = None
    ) -> list[Excerpt]:
        """Return what the quotes stand in, each with what the book must be shown with.

        With `said`, what of it is not in that text is left out, and of a span the rest. What is shown
        together comes once, in the book's order.
        """
        found: list[Excerpt] = []
        parts = [
            (self._passages[number - 1], span, part)
            for number, touched in self._touched(citations)
            for span in touched
            if (part := span if said is None else find_part(self._passages[number - 1], span, said))
        ]
        told = {span for _, span, _ in parts}
        for passage, span, part in parts:
            context = self._context(passage, span, language, told)
            shown = tuple(part if one == span else one for one in context)
            found.append(Excerpt(passage, shown, (part,)))
        return join_excerpts(found)

    def _context(
        self, passage: Passage, span: Span, language: str, told: Collection[Span]
    ) -> list[Span]:
        """Return what the span must be shown with; of a marked one nothing before what is marked."""
        context, marked = list_context(passage, span, language, told), self._marked
        document = passage.locator.document
        if marked is None or not marked.covers(document, span.start, span.end):
            return context
        return [one for one in context if one.end > marked.start]

    def cite_excerpt(self, excerpt: Excerpt) -> list[Citation]:
        """Return one citation of each run of an excerpt's spans that nothing parts in the book."""
        number = self._passages.index(excerpt.passage) + 1
        runs: list[list[Span]] = []
        for span in excerpt.spans:
            joined = runs and excerpt.is_unbroken(runs[-1][-1], span)
            if joined:
                runs[-1].append(span)
            else:
                runs.append([span])
        return [self._cite_spans(number, run) for run in runs]

    def _cite_spans(self, number: int, spans: Sequence[Span]) -> Citation:
        passage = self._passages[number - 1]
        if any(spans[0] == one.span for one in passage.neighbours):
            place = passage.locate(spans[0].start, spans[0].end)
            text = passage.text_of(spans[0])
            return Citation(0, text, place, passage.chunk_id, text, Verdict.EXACT)
        offset = passage.locator.start
        return self._cite(number, (spans[0].start - offset, spans[-1].end - offset), Verdict.EXACT)

    def _touched(self, citations: Sequence[Citation]) -> Iterator[tuple[int, list[Span]]]:
        """Yield the number of each quote's passage, and the spans but titles that it stands in."""
        for citation in _in_order(citations):
            number, place = self._number_of(citation), citation.locator
            yield (
                number,
                [
                    span
                    for span in self._passages[number - 1].spans
                    if span.start < place.end
                    and span.end > place.start
                    and span.kind is not BlockKind.HEADING
                ],
            )

    def passages_of(self, citations: Sequence[Citation]) -> tuple[Passage, ...]:
        """Return the passages that the citations stand in, each once."""
        numbers = dict.fromkeys(self._number_of(citation) for citation in citations)
        return tuple(self._passages[number - 1] for number in numbers)

    def cite_named(self, sentence: DraftSentence) -> list[Citation]:
        """Return a citation for every source that the sentence names, whatever it says.

        It is the quote or, without one, the span nearest to the sentence.
        """
        found = (
            self._check_claim(claim, sentence.text) or self._cite_nearest(claim, sentence.text)
            for claim in sentence.claims
        )
        return list(dict.fromkeys(citation for citation in found if citation is not None))

    def cite_unnamed(self, text: str) -> list[Citation]:
        """Return a citation of the span nearest to `text`, of all passages."""
        best = max(
            range(1, len(self._passages) + 1),
            key=lambda number: support(text, self._passages[number - 1].text),
        )
        nearest = self._cite_nearest(Claim(best), text)
        return [nearest] if nearest is not None else []

    def _cite_nearest(self, claim: Claim, text: str) -> Citation | None:
        number = next(iter(self._sources(claim)), 0)
        passage = self._passages[number - 1]
        if not number or not passage.spans:
            return None
        best = max(passage.spans, key=lambda span: support(text, passage.text_of(span)))
        offset = passage.locator.start
        return self._cite(number, (best.start - offset, best.end - offset), Verdict.SUPPORTED)

    def _number_of(self, citation: Citation) -> int:
        ids = [passage.chunk_id for passage in self._passages]
        return ids.index(citation.chunk_id) + 1

    def know_sources(self, sentence: DraftSentence) -> bool:
        """Whether every claim names a passage that there is."""
        return all(self._sources(claim) for claim in sentence.claims)

    def find_support(self, text: str) -> float:
        """Return the probability in [0, 1] that the passage which supports `text` best does."""
        return max((support(text, passage.text) for passage in self._passages), default=0.0)

    def issue(self, citations: list[Citation]) -> tuple[list[int], tuple[Citation, ...]]:
        """Number `citations`; return their numbers, and those that were not issued before."""
        numbers, new = [], []
        for citation in citations:
            place = citation.locator
            key = (place.document, place.start, place.end)
            if key not in self._numbers:
                self._numbers[key] = len(self._issued) + 1
                new.append(replace(citation, number=self._numbers[key]))
                self._issued.append(new[-1])
            if self._numbers[key] not in numbers:
                numbers.append(self._numbers[key])
        return numbers, tuple(new)

    def _check_claim(self, claim: Claim, sentence: str) -> Citation | None:
        for number in self._sources(claim):
            found = self._find(number, claim, sentence)
            if found is not None and _is_telling(self._passages[number - 1], *found[0]):
                return self._cite(number, *found)
        return None

    def _sources(self, claim: Claim) -> list[int]:
        """Return the numbers of the passages that the claim may mean."""
        every = range(1, len(self._passages) + 1)
        if not claim.section:
            return [claim.source] if claim.source in every else []
        named = [
            number
            for number in every
            if any(
                _is_named(claim.section, path) for path in self._passages[number - 1].section_paths
            )
        ]
        return named or (list(every) if claim.quote else [])

    def _cite(self, number: int, place: Range, verdict: Verdict) -> Citation:
        passage, (start, end) = self._passages[number - 1], place
        return Citation(
            number=0,
            quote=passage.text[start:end],
            locator=_narrow(passage, start, end),
            chunk_id=passage.chunk_id,
            snippet=_snippet(passage, start, end),
            verdict=verdict,
            table_header=_header_of(passage, passage.locator.start + start),
        )

    def _find(self, number: int, claim: Claim, sentence: str) -> tuple[Range, Verdict] | None:
        passage = self._passages[number - 1]
        spoken = claim.quote or sentence
        quote = spoken.strip()
        # As it is first: a listing that begins indented is its whole span only with the indent.
        for exact in dict.fromkeys((spoken, quote)):
            at = passage.text.find(exact, max(0, claim.start)) if quote else -1
            if at >= 0:
                return (at, at + len(exact)), Verdict.EXACT
        if number not in self._folded:
            self._folded[number] = fold(passage.text)
        found = self._folded[number].find(fold(quote))
        if found:
            return found, Verdict.NORMALISED
        return None if claim.quote else _best_span(passage, sentence)


def _in_order(citations: Sequence[Citation]) -> list[Citation]:
    """Return the citations, each once, those of one document in its order."""
    documents = list(dict.fromkeys(citation.locator.document for citation in citations))
    return sorted(
        dict.fromkeys(citations),
        key=lambda it: (documents.index(it.locator.document), it.locator.start),
    )


def _best_span(passage: Passage, sentence: str) -> tuple[Range, Verdict] | None:
    """Return the span that supports the sentence best, if one is more likely to than not."""
    best = max(
        passage.spans, key=lambda span: support(sentence, passage.text_of(span)), default=None
    )
    if best is None or support(sentence, passage.text_of(best)) < LEAST_SUPPORT:
        return None
    offset = passage.locator.start
    return (best.start - offset, best.end - offset), Verdict.SUPPORTED


def _is_named(section: str, path: tuple[str, ...]) -> bool:
    """Whether `section`, a title or a path such as "A > B", names the section at `path`."""
    named = [words(title) for title in re.split(r"\s*>\s*", section.partition("|")[0])]
    titles = [words(title) for title in path]
    return any(named) and titles[-len(named) :] == named


def _is_telling(passage: Passage, start: int, end: int) -> bool:
    """Whether the quote is long enough to prove something, and short enough to say what."""
    offset = passage.locator.start
    if any(span.start - offset == start and span.end - offset == end for span in passage.spans):
        return True
    is_short = end - start <= _MAX_QUOTE_CHARACTERS
    if is_short and {(start, True), (end, False)} <= _edges_of(passage):
        return True  # whole sentences of a few characters say something, as they do in Chinese
    if not is_short or not _on_word_boundaries(passage.text, start, end):
        return False
    return end - start >= _MIN_CHARACTERS or len(words(passage.text[start:end])) >= _MIN_WORDS


def _edges_of(passage: Passage) -> set[tuple[int, bool]]:
    """Return where spans begin (True) and end in the passage."""
    offset = passage.locator.start
    begins = {(span.start - offset, True) for span in passage.spans}
    return begins | {(span.end - offset, False) for span in passage.spans}


def _on_word_boundaries(text: str, start: int, end: int) -> bool:
    opens = start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
    closes = end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum())
    return opens and closes


def _narrow(passage: Passage, start: int, end: int) -> Locator:
    offset = passage.locator.start
    return passage.locate(offset + start, offset + end)


def _header_of(passage: Passage, place: int) -> str:
    """Return the header of the table that the row at `place` belongs to; "" for what is no row.

    Its first cell begins with the name of the rows among which that stands, if they have one.
    """
    offset = passage.locator.start
    rows: list[Span] = []
    for span in passage.spans:
        if span.start > place:
            break
        between = passage.text[rows[-1].end - offset : span.start - offset] if rows else ""
        if span.kind is not BlockKind.TABLE or between.count("\n") > 1:
            rows = []
        if span.kind is BlockKind.TABLE:
            rows.append(span)
    if not rows or place >= rows[-1].end:
        return ""
    texts = [passage.text_of(row) for row in rows]
    stated = passage.table_header if rows[0].start == offset else ""
    label, _, header = stated.rpartition("\n")
    if not header:
        header = next((row for row in texts[:-1] if sum(map(bool, cells_of(row))) > 1), "")
    return _labelled(header[:_MAX_HEADER], label_over(texts) or label) if header else ""


def _labelled(header: str, label: str) -> str:
    first, *others = header.split(_BETWEEN_CELLS)
    named = f"{label}: {first.strip()}" if first.strip() else label
    return _BETWEEN_CELLS.join((named, *others)) if label else header


def _snippet(passage: Passage, start: int, end: int) -> str:
    """Return the quote with as much around it as 200 characters hold, cut between words.

    A heading that does not fit whole is left out.
    """
    text = passage.text
    if end - start >= _SNIPPET_CHARACTERS:
        return _cut_end(text[start : start + _SNIPPET_CHARACTERS], cut=end - start > 200)
    room = _SNIPPET_CHARACTERS - (end - start)
    left = max(0, start - room // 2)
    right = min(len(text), left + _SNIPPET_CHARACTERS)
    left = max(0, right - _SNIPPET_CHARACTERS)
    while left and left < start and not text[left - 1].isspace():
        left += 1
    while right < len(text) and right > end and not text[right].isspace():
        right -= 1
    offset = passage.locator.start
    for span in passage.spans:
        first, last = span.start - offset, span.end - offset
        if span.kind is BlockKind.HEADING and first < left < last <= start:
            left = last
        elif span.kind is BlockKind.HEADING and end <= first < right < last:
            right = first
    return text[left:right].strip()


def _cut_end(text: str, *, cut: bool) -> str:
    return text.rsplit(" ", 1)[0].rstrip() if cut and " " in text else text
