"""Find a year or a quantity that a question takes for granted and the book says otherwise.

"Why was it founded in 1999?" has a premise that no refusal names. It is told where the passages say the
same of the same thing with one other value of its kind, in a sentence that says nothing else before it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, is_one_of
from libs.question.synonyms import reworded_as
from libs.text import terms, words
from services.generation.checks.normal_forms import is_negation
from services.generation.checks.quantities import Quantity, quantities
from services.generation.model import BlockKind, Passage

_YEAR = re.compile(r"(?<![\d.,/-])(?:1[5-9]|20)\d\d(?![\d/-]|[.,]\d)")
_NUMBER = re.compile(r"\d[\d.,]*")
_YEAR_LIKE = re.compile(r"(?<![\d.,])\d{3,4}(?![\d.,])")
_CLAUSE = re.compile(r"[,;:.?!(—–]\s")
_CLOSE = 1e-9
_LEAST_WORDS = 2
"""Words beside the value: of fewer, anything may be said."""

_LONGEST = 240
"""Characters of what is quoted."""

_SAYING = frozenset(
    (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.ADMONITION)
)


@dataclass(frozen=True)
class OtherValue:
    """What the question says, in its words, and the words of the book that say another value."""

    asked: str
    quote: str


@dataclass(frozen=True)
class _Value:
    """A year, or a quantity, and the words in which the question says it."""

    shown: str
    number: float
    measure: Quantity | None = None


def find_other_value(question: QuestionAnalysis, passages: Sequence[Passage]) -> OtherValue | None:
    """Return a value of the question that no passage has, and the one other that they say; else None.

    A sentence says it of the same thing if it has, with the titles above it, every word of the
    question, and before the value no other. Two that differ tell nothing.
    """
    lexicon = load_lexicon(question.language)
    texts = [passage.text for passage in passages]
    for value in _values(question, lexicon):
        if any(_holds(value, text, question.language) for text in texts):
            continue
        counts = value.measure is not None and not value.measure.unit
        said = f" {value.measure.spelled} " if counts and value.measure else " "
        asked = asked_words(question.question.replace(value.shown, said), lexicon)
        if len(asked) < _LEAST_WORDS:
            continue
        found = dict(_other_values(value, asked, passages, lexicon, question.language))
        if len(found) == 1:
            return OtherValue(value.shown, *found.values())
    return None


def _values(question: QuestionAnalysis, lexicon: Lexicon) -> Iterator[_Value]:
    """Yield the years and quantities of a question, but not of a kind that it asks for."""
    text, kind = question.question, question.expected.kind
    years = _YEAR.findall(text)
    if kind is not AnswerKind.DATE:
        yield from (_Value(year, float(year)) for year in years)
    if kind is AnswerKind.QUANTITY:
        return
    for item in quantities(text, question.language):
        if not item.sure or not item.spelled or item.spelled.lower() in lexicon.stop_words:
            continue
        shown = re.search(rf"(?<![\w.,])[\w.,]+[\s-]?{re.escape(item.spelled)}(?!\w)", text)
        if shown and _NUMBER.match(shown[0]) and not shown[0].startswith(tuple(years)):
            yield _Value(shown[0], item.value, item)


def _holds(value: _Value, text: str, language: str) -> bool:
    if value.measure is None:
        return value.shown in text
    return any(abs(item.value - value.number) <= _CLOSE for item in quantities(text, language))


def _other_values(
    value: _Value,
    asked: Collection[str],
    passages: Sequence[Passage],
    lexicon: Lexicon,
    language: str,
) -> Iterator[tuple[float, str]]:
    """Yield other values that are said of what is asked about, each with the sentence."""
    for passage in passages:
        titles = "\n".join(passage.locator.section_path)
        for span in passage.spans:
            text = " ".join(passage.text_of(span).split())
            if span.kind not in _SAYING or len(text) > _LONGEST:
                continue
            for number, at in _alike(value, text, lexicon, language):
                # What is said of one value ends at the next.
                before = _pieces(_YEAR_LIKE.split(text[:at])[-1], lexicon)[-1]
                behind = _pieces(_NUMBER.split(_NUMBER.sub("", text[at:], count=1))[0], lexicon)[0]
                clause = f"{titles}\n{before} {behind}"
                if not _says_all(asked, clause, lexicon, language):
                    continue
                if _says_no_more(asked, before, lexicon, language):
                    yield number, passage.text_of(span)


def _pieces(text: str, lexicon: Lexicon) -> list[str]:
    """Return the clauses of a text, by its signs and by words such as "and"."""
    return [one for part in _CLAUSE.split(text) for one in lexicon.spans.clause.split(part)]


def _alike(
    value: _Value, text: str, lexicon: Lexicon, language: str
) -> Iterator[tuple[float, int]]:
    """Yield the values of the same kind in a text, and where each begins."""
    if value.measure is None:
        yield from ((float(found[0]), found.start()) for found in _YEAR.finditer(text))
        return
    for found in _NUMBER.finditer(text):
        item = next(iter(quantities(text[found.start() :], language)), None)
        if item is not None and _is_same_kind(value.measure, item, lexicon):
            yield item.value, found.start()


def _is_same_kind(one: Quantity, other: Quantity, lexicon: Lexicon) -> bool:
    if one.unit or other.unit:
        return one.unit == other.unit
    return bool(other.spelled) and is_one_of(other.spelled, (one.spelled,), lexicon)


def _says_all(asked: Collection[str], text: str, lexicon: Lexicon, language: str) -> bool:
    said = set(words(text))
    return all(_is_said(word, said, lexicon, language) for word in asked)


def _is_said(word: str, said: Collection[str], lexicon: Lexicon, language: str) -> bool:
    if any(is_one_of(one, (word,), lexicon) for one in said):
        return True
    meant = frozenset[str]().union(*(reworded_as(term, language) for term in terms(word)))
    return any(not meant.isdisjoint(terms(one)) for one in said)


def _says_no_more(asked: Collection[str], clause: str, lexicon: Lexicon, language: str) -> bool:
    """Whether all words of a clause are some of those of the question, and none denies it.

    A name besides may be of another thing: "The Tram Museum opened in" says nothing of the tram.
    """
    if any(is_negation(word, language) for word in words(clause)):
        return False
    more = {word for word in asked_words(clause, lexicon) if not word.isdecimal()}
    shared = _says_any(asked, clause, lexicon, language)
    return shared and all(_is_said(word, asked, lexicon, language) for word in more)


def _says_any(asked: Collection[str], text: str, lexicon: Lexicon, language: str) -> bool:
    said = set(words(text))
    return any(_is_said(word, said, lexicon, language) for word in asked)
