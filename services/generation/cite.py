"""Claims of a draft in, citations out: the source exists, and the quote stands in it word for word."""

from dataclasses import replace

from libs.text import FoldedText, Range, fold, words
from services.generation.model import (
    Citation,
    Claim,
    DraftSentence,
    Locator,
    Passage,
    Verdict,
)

_MIN_WORDS = 3
_MIN_CHARACTERS = 15
_MAX_QUOTE_CHARACTERS = 600
_SNIPPET_CHARACTERS = 200


class Citations:
    """The citations of one answer, numbered as they are first used; a range has one number."""

    def __init__(self, passages: tuple[Passage, ...]) -> None:
        self._passages = passages
        self._folded: dict[int, FoldedText] = {}
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._issued: list[Citation] = []

    @property
    def issued(self) -> tuple[Citation, ...]:
        return tuple(self._issued)

    def check(self, sentence: DraftSentence) -> list[Citation]:
        """Return a citation, not yet numbered, for every claim that holds.

        A claim without a quote stands for the sentence itself, which must then be in the source.
        """
        found = [self._check_claim(claim, sentence.text) for claim in sentence.claims]
        return [citation for citation in found if citation is not None]

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
        if not 1 <= claim.source <= len(self._passages):
            return None
        passage = self._passages[claim.source - 1]
        found = self._find(claim, sentence)
        if found is None:
            return None
        (start, end), verdict = found
        if not _is_telling(passage, start, end):
            return None
        place = passage.locator
        return Citation(
            number=0,
            quote=passage.text[start:end],
            locator=_narrow(place, start, end),
            chunk_id=passage.chunk_id,
            snippet=_snippet(passage.text, start, end),
            verdict=verdict,
        )

    def _find(self, claim: Claim, sentence: str) -> tuple[Range, Verdict] | None:
        text = self._passages[claim.source - 1].text
        quote = (claim.quote or sentence).strip()
        at = text.find(quote, max(0, claim.start)) if quote else -1
        if at >= 0:
            return (at, at + len(quote)), Verdict.EXACT
        if claim.source not in self._folded:
            self._folded[claim.source] = fold(text)
        found = self._folded[claim.source].find(fold(quote))
        return (found, Verdict.NORMALISED) if found else None


def _is_telling(passage: Passage, start: int, end: int) -> bool:
    """Whether the quote is long enough to prove something, and short enough to say what."""
    offset = passage.locator.start
    if any(unit.start - offset == start and unit.end - offset == end for unit in passage.units):
        return True
    if end - start > _MAX_QUOTE_CHARACTERS or not _on_word_boundaries(passage.text, start, end):
        return False
    return end - start >= _MIN_CHARACTERS or len(words(passage.text[start:end])) >= _MIN_WORDS


def _on_word_boundaries(text: str, start: int, end: int) -> bool:
    opens = start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
    closes = end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum())
    return opens and closes


def _narrow(place: Locator, start: int, end: int) -> Locator:
    return replace(place, start=place.start + start, end=place.start + end)


def _snippet(text: str, start: int, end: int) -> str:
    """Return the quote with as much around it as 200 characters hold, cut between words."""
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
    return text[left:right].strip()


def _cut_end(text: str, *, cut: bool) -> str:
    return text.rsplit(" ", 1)[0].rstrip() if cut and " " in text else text
