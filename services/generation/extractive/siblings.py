"""Leave out what a table says of a sibling of the thing that a question names.

"How much is the white soap?" is not answered by the row of the black soap, nor by a sentence about
neither, and what is asked of the B12 in a table not by a sentence that does not name it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from libs.language.entries import NO_WORDS
from libs.language.lexicon import Lexicon
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, is_one_of
from libs.question.synonyms import is_said
from libs.table_rows import cells_of
from libs.text import is_unspaced, words
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked
from services.generation.extractive.lookup import said_in
from services.generation.extractive.sought import words_that_ask
from services.generation.model import BlockKind

_OF_ONE = (
    *(AnswerKind.ANY, AnswerKind.QUANTITY, AnswerKind.DATE),
    *(AnswerKind.PERSON, AnswerKind.PLACE),
)
"""What is asked of one thing: a comparison has several, and a reason may lie in others."""

_JOINS = (
    "de",
    "d",
    "du",
    "des",
    "da",
    "do",
    "dos",
    "das",
    "del",
    "la",
    "l",
    "le",
    "à",
    "au",
    "aux",
    "of",
)
"""What may stand between a noun and what tells its thing from others."""

_DIGIT = re.compile(r"\d")
_PIECE = re.compile(r"\w+")


@dataclass(frozen=True)
class _Pair:
    """Two words of a question of which one may tell the other's thing from its siblings."""

    words: tuple[str, str]
    nouns: tuple[str, ...]
    """Those of the two that may be the noun."""


def leave_out_longer_names(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the spans without rows whose name goes on behind the name of one that is asked for.

    The B12 is in the table, so what its row for the B12 Marine says is of another.
    """
    spoken = frozenset(words(asked.analysis.question))
    rows = [one.item for one in fit if one.item.span.kind is BlockKind.TABLE]
    names = {row.key: frozenset(words(cells_of(row.text)[0])) for row in rows}
    asked_for = {name for name in names.values() if name and name <= spoken}
    longer = {
        key
        for key, name in names.items()
        if not name <= spoken and any(map(name.__gt__, asked_for))
    }
    return [one for one in fit if one.item.key not in longer]


def leave_out_siblings(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the spans without rows of siblings; none where the rest speaks of neither."""
    if not asked.expects(*_OF_ONE) or any(map(is_unspaced, words(asked.analysis.question))):
        return fit
    rows = [one.item for one in fit if one.item.span.kind is BlockKind.TABLE]
    if not any(row.intro is not None for row in rows):
        return fit
    return _of_row_named(asked, rows, _without_siblings(asked, rows, fit))


def _without_siblings(
    asked: Asked, rows: Sequence[CandidateSpan], fit: list[Ranked]
) -> list[Ranked]:
    pairs, siblings = list(_pairs(asked)), set[tuple[str, int]]()
    # What has the code of the thing need not say its noun: "for the amd64 architecture".
    shared = {one for pair in pairs for one in pair.words if _is_code(one)}
    for pair in pairs:
        if any(_says(pair.words, _everything(one.item, asked), asked) for one in fit):
            continue
        for row in rows:
            nouns = [noun for noun in pair.nouns if _is_sibling(noun, row, asked)]
            if nouns:
                siblings.add(row.key)
                shared.update(pair.words)
    kept = [one for one in fit if one.item.key not in siblings]
    # Of anything else than a value, what speaks of neither may be in other words.
    expected = asked.analysis.expected
    if not siblings or (kept and expected.kind is AnswerKind.ANY and not expected.attribute):
        return kept
    is_told = kept and any(_says((one,), _everything(kept[0].item, asked), asked) for one in shared)
    return kept if is_told else []


def _is_code(word: str) -> bool:
    return _DIGIT.search(word) is not None and not word.isdecimal()


def _is_sibling(noun: str, row: CandidateSpan, asked: Asked) -> bool:
    """Whether the row is named by the noun with a word that the question has not."""
    lexicon = asked.lexicon
    named = asked_words(cells_of(row.text)[0], lexicon)
    if not any(is_one_of(one, (noun,), lexicon) for one in named):
        return False
    known = asked.words
    return any(
        not is_said(one, known, lexicon, asked.analysis.language) for one in named if len(one) > 1
    )


def _of_row_named(asked: Asked, rows: Sequence[CandidateSpan], fit: list[Ranked]) -> list[Ranked]:
    """Leave out what does not speak of the row that the question names by letters and digits."""
    spoken = frozenset(words(asked.analysis.question))
    named = NO_WORDS.union(
        *(
            name
            for row in rows
            if row.intro is not None
            and (name := frozenset(words(cells_of(row.text)[0]))) <= spoken
            and any(map(_is_code, name))
        )
    )
    if not named:
        return fit
    coded = {one for one in named if _DIGIT.search(one)}
    return [
        one
        for one in fit
        if not coded.isdisjoint(words(_everything(one.item, asked)))
        and not _lacks_column(asked, one.item)
    ]


def _lacks_column(asked: Asked, item: CandidateSpan) -> bool:
    """Whether the span is a row, and nothing in or over it says what is asked of the thing."""
    analysis, lexicon = asked.analysis, asked.lexicon
    if item.span.kind is not BlockKind.TABLE:
        return False
    asking = NO_WORDS.union(*words_that_ask(analysis.expected, analysis.question, lexicon))
    named = frozenset(words(cells_of(item.text)[0]))
    wanted = asked_words(analysis.question, lexicon) - asking - named - lexicon.expected.light
    over = "\n".join((item.text, item.over, item.titles_text))
    return bool(wanted) and not said_in(wanted, over, analysis)


def _pairs(asked: Asked) -> Iterator[_Pair]:
    """Yield each two words of the question that stand beside each other and say what is asked about."""
    question, lexicon = asked.analysis.question, asked.lexicon
    asking = NO_WORDS.union(*words_that_ask(asked.analysis.expected, question, lexicon))
    attribute = frozenset(words(asked.analysis.expected.attribute))
    known = asked_words(question, lexicon) - asking - lexicon.expected.light - attribute
    pieces = [one for one in _PIECE.findall(question) if one.lower() not in _JOINS]
    for one, other in pairwise(pieces):
        both = (one.lower(), other.lower())
        if not known.issuperset(both) or not re.search(_between(one, other), question):
            continue
        yield _Pair(both, _nouns_of(one, other, lexicon, question))


def _between(one: str, other: str) -> str:
    joins = "|".join(_JOINS)
    return rf"\b{re.escape(one)}\s(?:(?:{joins})(?:\s|['’]))*{re.escape(other)}\b"


def _nouns_of(one: str, other: str, lexicon: Lexicon, question: str) -> tuple[str, ...]:
    """Return those that may be the noun: the first too where it stands first, or both are of a name."""
    stands_first = "de" in lexicon.stop_words or f"{one} {other}" not in question
    is_name = one[0].isupper() and other[0].isupper()
    both = (one.lower(), other.lower())
    return both if stands_first or is_name else both[1:]


def _says(wanted: Sequence[str], text: str, asked: Asked) -> bool:
    said = frozenset(words(text))
    language = asked.analysis.language
    return all(is_said(one, said, asked.lexicon, language) for one in wanted)


def _everything(item: CandidateSpan, asked: Asked) -> str:
    """Return the span with all that stands over it, and the sentence before it that it speaks of."""
    pronouns, at = asked.lexicon.checks.clauses.pronouns, item.index - 1
    leans = item.span.kind is not BlockKind.TABLE and not pronouns.isdisjoint(words(item.text))
    is_told = leans and at >= 0 and item.passage.spans[at].kind is item.span.kind
    before = item.around[:1] if is_told else []
    return "\n".join((item.text, item.over, item.titles_text, *before))
