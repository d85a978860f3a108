"""Find what a question asks about or for that none of the passages found for it has.

On 981 questions that their passages answer no name was missing, and no year on 51 that say one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.entities import (
    list_capitalised,
    list_numbered,
    list_versioned,
    list_versions,
    names_missing,
    without_code,
)
from libs.question.expected import AnswerKind, may_hold
from libs.question.stated import options_in
from services.generation.coverage.asked_things import unsaid_things
from services.generation.model import BlockKind, Passage


def lacks_value(question: QuestionAnalysis, passages: Iterable[Passage]) -> bool:
    """Whether a quantity, a date or a name is asked for, and no passage says one.

    Of 105 questions that their passages answer with one, 3 lack it.
    """
    if not question.expected.required:
        return False
    lexicon = load_lexicon(question.language)
    return not any(
        may_hold(question.expected, text, over, lexicon, question=question.question)
        for passage in passages
        for text, over in _with_headers(passage)
    )


def _with_headers(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield each span with what stands over it: titles, and the first row of its table."""
    titles = "\n".join((*passage.locator.section_path, passage.table_header))
    header = before = ""
    for span in passage.spans:
        text = passage.text_of(span)
        if span.kind is not BlockKind.TABLE:
            header = ""
        elif not header:
            header = f"{before}\n{text}"
        yield text, f"{titles}\n{header}"
        before = text
    if not passage.spans:
        yield passage.text, titles


def unknown_names(
    question: QuestionAnalysis, passages: Iterable[Passage], words: Sequence[str] = ()
) -> list[str]:
    """Return names, years and versions asked about that no passage, title or file name has.

    `words` are others of its words that are taken for names.

    A name is compared by whole words: "IDE" is not in "provide". What is written as one word may stand
    there as several, in the plural, or as words of which it is the initials.
    """
    passages = list(passages)
    names = [*question.names, *question.years, *words]
    texts = [_PIECE.findall(_everything(passage).lower()) for passage in passages] if names else []
    unknown = [name for name in names if not any(_is_named(name, said) for said in texts)]
    unknown = [name for name in unknown if not _is_inflected(name, passages, question.language)]
    unknown = [
        *unknown,
        *unknown_versions(question, passages),
        *_unknown_numbered(question, passages),
        *_unknown_versioned(question, passages),
        *_unknown_capitalised(question, passages),
        *_unknown_joined(question, passages),
    ]
    return unknown or unsaid_things(question, "\n".join(map(_everything, passages)))


def unknown_versions(question: QuestionAnalysis, passages: Iterable[Passage]) -> list[str]:
    """Return the versions in the question that no passage has; that of "2.0.1" is one of "2.0"."""
    versions = list_versions(question.question, load_lexicon(question.language))
    if not versions:
        return []
    held = {number for said in map(_everything, passages) for number in _DOTTED.findall(said)}
    return [
        one for one in versions if not any(f"{number}.".startswith(f"{one}.") for number in held)
    ]


def _unknown_numbered(question: QuestionAnalysis, passages: Sequence[Passage]) -> list[str]:
    """Return what is named by a number that no passage has; that of "12.4.1" is in "12.4"."""
    numbered = list_numbered(question.question, load_lexicon(question.language))
    if not numbered:
        return []
    held = {number for said in map(_everything, passages) for number in _NUMBER.findall(said)}
    return [
        name
        for name, number in numbered
        if not any(f"{one}.".startswith(f"{number}.") for one in held)
    ]


def _unknown_versioned(question: QuestionAnalysis, passages: Sequence[Passage]) -> list[str]:
    """Return the names with a number behind them ("Debian 12") that no passage has near each other."""
    versioned = list_versioned(question.question, load_lexicon(question.language))
    said = [_everything(passage) for passage in passages] if versioned else []
    return [
        f"{name} {number}"
        for name, number in versioned
        if not any(_stand_near(name, number, text) for text in said)
    ]


def _stand_near(name: str, number: str, text: str) -> bool:
    """Whether the number stands near the name, in any order: "version 12 of Debian"."""
    places = [one.start() for one in re.finditer(re.escape(name), text, re.IGNORECASE)]
    numbers = [one.start() for one in re.finditer(rf"(?<![\d.]){number}(?!\d)", text)]
    return any(abs(place - at) <= _NEAR for place in places for at in numbers)


def _unknown_capitalised(question: QuestionAnalysis, passages: Sequence[Passage]) -> list[str]:
    """Return the names of whom or what a value or attribute is asked for that no passage has.

    "Who is the founder of Ubuntu?" is not answered by who founded something else. Of 195 such
    questions that one paragraph answers 4 have a name that it lacks, and 36 of 236 that it does not.
    """
    expected = question.expected
    if expected.kind not in _VALUES and not expected.attribute:
        return []
    lexicon = load_lexicon(question.language)
    names = list_capitalised(question.question, lexicon)
    return names_missing(names, map(_everything, passages), lexicon) if names else []


def list_unmentioned(question: QuestionAnalysis, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Return the capitalised names in a question that no passage, title or file name has.

    Readers say "Apple" where a book says "macOS": that it is not mentioned is said beside the answer.
    """
    lexicon = load_lexicon(question.language)
    given = options_in(question.question, lexicon).lower()
    names = () if question.about_book else list_capitalised(question.question, lexicon)
    names = tuple(name for name in names if name.lower() not in given)
    return tuple(names_missing(names, map(_everything, passages), lexicon)) if names else ()


def _unknown_joined(question: QuestionAnalysis, passages: Iterable[Passage]) -> list[str]:
    """Return what is written as no word is, "PAPER_SIZE", and that no passage has so written.

    What lies between its pieces may be another sign or none: "paper-size", "papersize".
    """
    joined = _WITH_STROKE.findall(without_code(question.question))
    said = "\n".join(map(_everything, passages)).lower() if joined else ""
    sought = ((name, r"\W?_?".join(map(re.escape, name.lower().split("_")))) for name in joined)
    unknown = [name for name, pattern in sought if not re.search(pattern, said)]
    return [name for name in unknown if name not in question.names]


_VALUES = (AnswerKind.DATE, AnswerKind.PERSON, AnswerKind.QUANTITY)
"""Kinds of what belongs to one thing and to no other."""

_NEAR = 40
"""Characters from a name within which its number stands."""


_DOTTED = re.compile(r"(?<![\d.])\d+(?:\.\d+)+")

_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)*")

_WITH_STROKE = re.compile(r"(?<![\w.])[^\W_]+(?:_[^\W_]+)+(?![\w.])")

_PIECE = re.compile(r"[^\W_]+")


def _is_named(name: str, said: Sequence[str]) -> bool:
    pieces = _PIECE.findall(name.lower())
    whole = "".join(pieces)
    if any(_is_spelled(whole, said, at) for at, word in enumerate(said) if whole.startswith(word)):
        return True
    if f"{whole}s" in said or set(pieces) <= set(said):
        return True
    return name.isupper() and whole in "".join(word[0] for word in said)


def _is_inflected(name: str, passages: Sequence[Passage], language: str) -> bool:
    """Whether a passage has a name of several pieces with another ending: "E-Mail-Programmen"."""
    *pieces, last = _PIECE.findall(name)
    if not pieces or not last.isalpha():
        return False
    lexicon, joined = load_lexicon(language), re.escape("-".join(pieces).lower())
    said = (re.findall(rf"\b{joined}-(\w+)", _everything(one).lower()) for one in passages)
    return any(not names_missing((last,), found, lexicon) for found in said if found)


def _is_spelled(whole: str, said: Sequence[str], at: int) -> bool:
    """Whether the words from `at` on make `whole`, perhaps in the plural, written as one."""
    made = ""
    for word in said[at:]:
        made += word
        if made in (whole, f"{whole}s"):
            return True
        if not whole.startswith(made):
            return False
    return False


def _everything(passage: Passage) -> str:
    place = passage.locator
    return "\n".join((place.document, *place.section_path, passage.text))
