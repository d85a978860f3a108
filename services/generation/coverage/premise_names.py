"""Find a name that a question takes for granted and the book says another for.

"When did Anna Berg found the mill?" names somebody of whom the book says nothing of the kind: a
sentence that has all other words of the question has another name in its place. Three places are
known: before the same name ("Jonas Berg", "Linden Street"), of two words where no passage has either,
and behind the same word ("made in Bern").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.entities import list_capitalised, without_code
from libs.question.expected import AnswerKind
from libs.text import words
from services.generation.checks.normal_forms import is_negation
from services.generation.coverage.sayings import (
    OtherValue,
    Saying,
    is_said,
    list_sayings,
    says_all,
    words_told,
)
from services.generation.model import Passage

_NAME = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][a-zß-öø-ÿа-яё]{1,30}"
_PAIR = re.compile(rf"\b(?=({_NAME})[ ]({_NAME})\b)")
_WORD_BEFORE = re.compile(r"\w+(?=[ ]\Z)")

_WORD = re.compile(r"\w+")

_MOSTLY = 0.5
"""Share of a question's other words from which a sentence with the name may say just that of it."""

_LEAST_WORDS = 2
"""Words beside the name: of fewer, anything may be said."""


@dataclass(frozen=True)
class _Premise:
    """A name of the question, the words beside it, and what finds the other in a sentence.

    The groups of `pattern` are the words of the other name.
    """

    shown: str
    names: tuple[str, ...]
    rest: frozenset[str]
    pattern: re.Pattern[str]
    pairs: bool = False
    """Whether the other is of two words, neither of which any passage may have of the question's."""


def find_other_name(question: QuestionAnalysis, passages: Sequence[Passage]) -> OtherValue | None:
    """Return a name of the question that no passage has for it, and the one that they have; else None.

    Two that differ tell nothing, and neither does a sentence that denies.
    """
    lexicon = load_lexicon(question.language)
    sayings = list(list_sayings(passages, lexicon))
    spoken = frozenset(word for passage in passages for word in _WORD.findall(passage.text))
    for premise in _premises(question, lexicon):
        if _may_be_so(premise, sayings, lexicon, question.language):
            continue
        if any(name.lower() in spoken for name in premise.names):
            continue
        found = {
            other: saying.quote
            for saying in sayings
            for other in _others_in(premise, saying, question, lexicon)
            if other.lower() not in spoken
        }
        if len(found) == 1:
            return OtherValue(premise.shown, *found.values())
    return None


def _premises(question: QuestionAnalysis, lexicon: Lexicon) -> Iterator[_Premise]:
    text, kind = without_code(question.question), question.expected.kind
    asked = words_told(text, lexicon)
    if kind is not AnswerKind.PERSON:
        for found in _PAIR.finditer(text):
            first, last = found.groups()
            if _is_word(first, lexicon) or _is_counted(text[: found.start()], lexicon):
                continue
            shown = f"{first} {last}"
            same_last = re.compile(rf"\b(?=({_NAME})[ ]{re.escape(last)}\b)")
            yield _Premise(shown, (first,), asked - {first.lower()}, same_last)
            if lexicon.names.capital is not OFF:
                rest = asked - {first.lower(), last.lower()}
                yield _Premise(shown, (first, last), rest, _PAIR, pairs=True)
    if kind is not AnswerKind.PLACE:
        for name in list_capitalised(text, lexicon):
            behind = re.search(rf"(\w+)[ ]{re.escape(name)}\b(?![ ]{_NAME})", text)
            if behind and behind[1][0].islower():
                before = rf"(?<!\w){re.escape(behind[1])}[ ]"
                single = re.compile(rf"{before}(?=({_NAME})\b(?![ ]{_NAME}\b))")
                yield _Premise(name, (name,), asked - {name.lower()}, single)


def without_first_names(
    asked: frozenset[str], question: QuestionAnalysis, passages: Sequence[Passage]
) -> frozenset[str]:
    """Return the words without first names of people whom the passages know by both, and no namesake.

    A book says "Tomas Birch" once, and "Birch" from then on.
    """
    known = {found.groups() for one in passages for found in _PAIR.finditer(one.text)}
    pairs = [found.groups() for found in _PAIR.finditer(without_code(question.question))]
    firsts = {
        first.lower()
        for first, last in pairs
        if (first, last) in known and not any(one != first and two == last for one, two in known)
    }
    return asked - firsts


def _is_word(name: str, lexicon: Lexicon) -> bool:
    return name.lower() in lexicon.stop_words


def _is_counted(before: str, lexicon: Lexicon) -> bool:
    """Whether an article or a number ends `before`: "ein Sack Salz" is nobody."""
    last = _WORD_BEFORE.search(before)
    if last is None:
        return False
    return last[0].isdecimal() or last[0].lower() in lexicon.checks.clauses.articles


def _may_be_so(
    premise: _Premise, sayings: Sequence[Saying], lexicon: Lexicon, language: str
) -> bool:
    """Whether some sentence may say of the question's name what is taken for granted."""
    if len(premise.rest) < _LEAST_WORDS:
        return True
    for saying in sayings:
        spoken = frozenset(words(saying.text))
        if not any(is_said(name.lower(), spoken, lexicon, language) for name in premise.names):
            continue
        held = [one for one in premise.rest if is_said(one, spoken, lexicon, language)]
        if premise.pairs or len(held) >= _MOSTLY * len(premise.rest):
            return True
    return False


def _others_in(
    premise: _Premise, saying: Saying, question: QuestionAnalysis, lexicon: Lexicon
) -> Iterator[str]:
    """Yield the names that a sentence with all other words of the question has in the name's place."""
    language = question.language
    if any(is_negation(word, language) for word in words(saying.text)):
        return
    if not says_all(premise.rest, f"{saying.over}\n{saying.text}", lexicon, language):
        return
    asked = frozenset(words(question.question))
    for found in premise.pattern.finditer(saying.text):
        names = found.groups()
        is_known = any(name.lower() in asked for name in names) or _is_word(names[0], lexicon)
        if not is_known and not _is_counted(saying.text[: found.start(1)], lexicon):
            yield " ".join(names)
