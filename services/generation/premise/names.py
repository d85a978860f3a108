"""Find a name that a question takes for granted and the book says another for.

"When did Anna Berg found the mill?" names somebody of whom the book says nothing of the kind: a
sentence that has all other words of the question has another name in its place. These places are
known: before the same name ("Jonas Berg", "Linden Street"), of two words where no passage has either,
behind the same word ("made in Bern", "built by Clara Holt") and behind a noun ("der Firma Holt").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.entities import list_capitalised, without_code
from libs.question.expected import AnswerKind
from libs.question.said import without_elision, words_in, words_told
from libs.question.synonyms import are_said, is_said
from libs.text import words
from services.generation.checks.normal_forms import has_negation
from services.generation.model import Passage
from services.generation.other_value import OtherValue
from services.generation.premise.sayings import Saying, told_before

_NAME = r"[A-ZÀ-ÖØ-ÞА-ЯЁ][a-zß-öø-ÿа-яё]{1,30}"
_PAIR = re.compile(rf"\b(?=({_NAME})[ ]({_NAME})\b)")
_RUN = re.compile(rf"(?<![\w-]){_NAME}(?:[ ]{_NAME})+(?![\w-])")
_BEHIND = rf"(?:[^\W\dA-ZÀ-ÖØ-ÞА-ЯЁ][\w'’]*[ ]){{0,2}}({_NAME})[ ]({_NAME})\b"
"""A name of two words behind an article and a word for what somebody is: "the potter Ada Lindt"."""

_WORD_BEFORE = re.compile(r"\w+(?=[ ]\Z)")

_WORD = re.compile(r"\w+")

_PART = re.compile(r";\s")

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
    """Whether the other is of two words, none of which is the question's."""

    is_led: bool = False
    """Whether a small word stands before it: so it is a name, whatever it is elsewhere."""

    done: frozenset[str] = frozenset()
    """Of a name of two words, what is done: who did something else may still not have done that."""


def find_other_name(
    question: QuestionAnalysis, passages: Sequence[Passage], sayings: Sequence[Saying]
) -> OtherValue | None:
    """Return a name of the question that no passage has for it, and the one that they have; else None.

    `sayings` are those of the passages. Two that differ tell nothing, and neither does a sentence that
    denies.
    """
    lexicon = load_lexicon(question.language)
    premises = [
        one
        for one in _premises(question, passages, lexicon)
        if not _may_be_so(one, sayings, lexicon, question.language)
    ]
    if not premises:
        return None
    spoken = frozenset(word for passage in passages for word in _WORD.findall(passage.text))
    for premise in premises:
        if any(name.lower() in spoken for name in premise.names):
            continue
        found = {
            other: saying.quote
            for saying in sayings
            for other in _others_in(premise, saying, question, lexicon)
            if premise.is_led or other.lower() not in spoken
        }
        # One sentence may name several who did it together.
        if len(set(found.values())) == 1:
            return OtherValue(premise.shown, next(iter(found.values())))
    return None


def _premises(
    question: QuestionAnalysis, passages: Sequence[Passage], lexicon: Lexicon
) -> Iterator[_Premise]:
    text, kind = without_code(question.question), question.expected.kind
    asked = without_first_names(words_told(text, lexicon), question, passages)
    asked -= lexicon.expected.light
    if kind is not AnswerKind.PERSON:
        yield from _of_two_words(text, asked, lexicon)
    if lexicon.names.capital is OFF:
        yield from _behind_nouns(text, asked, lexicon)
    elif kind is not AnswerKind.PLACE:
        yield from _behind_words(text, asked, lexicon)


def _of_two_words(text: str, asked: frozenset[str], lexicon: Lexicon) -> Iterator[_Premise]:
    for found in _PAIR.finditer(text):
        first, last = found.groups()
        if _is_word(first, lexicon) or _is_counted(text[: found.start()], lexicon):
            continue
        shown = f"{first} {last}"
        same_last = re.compile(rf"\b(?=({_NAME})[ ]{re.escape(last)}\b)")
        yield _Premise(shown, (first,), asked - {first.lower()}, same_last)
        # "King Henry" for King John.
        same_first = re.compile(rf"(?<!\w){re.escape(first)}[ ](?=({_NAME})\b)")
        yield _Premise(shown, (last,), asked - {last.lower()}, same_first)
        if lexicon.names.capital is not OFF:
            rest = asked - {first.lower(), last.lower()}
            done = _done_by(shown, text, rest)
            yield _Premise(shown, (first, last), rest, _PAIR, pairs=True, done=done)


def _done_by(name: str, text: str, rest: frozenset[str]) -> frozenset[str]:
    """Return the verb beside a name: the word before it, else the one behind, that says something.

    None where nothing but the name is asked about.
    """
    before, _, behind = text.partition(name)
    spoken = [*reversed(_told(before, rest)), *_told(behind, rest)]
    return frozenset(spoken[:1])


def _told(text: str, rest: frozenset[str]) -> list[str]:
    return [one for one in map(without_elision, words(text)) if one in rest]


def _behind_nouns(text: str, asked: frozenset[str], lexicon: Lexicon) -> Iterator[_Premise]:
    """Yield the names behind a noun with an article, which may have another in the book."""
    for found in _RUN.finditer(text):
        noun, *names = found[0].split()
        if _is_word(noun, lexicon) or not _is_counted(text[: found.start()], lexicon):
            continue
        rest = asked - frozenset(map(str.lower, names))
        pattern = re.compile(rf"(?<!\w){re.escape(noun)}[ ](?=({_NAME}(?:[ ]{_NAME})?)\b)")
        yield _Premise(" ".join(names), tuple(names), rest, pattern)


def _behind_words(text: str, asked: frozenset[str], lexicon: Lexicon) -> Iterator[_Premise]:
    for name in list_capitalised(text, lexicon):
        behind = re.search(rf"(\w+)[ ]({re.escape(name)}\b(?:[ ]({_NAME}))?)(?![ ]{_NAME})", text)
        if not behind or not behind[1][0].islower():
            continue
        before = rf"(?<!\w){re.escape(behind[1])}[ ]"
        names = tuple(behind[2].split())
        rest = asked - frozenset(map(str.lower, names))
        other = _BEHIND if behind[3] else rf"(?=({_NAME}(?![ ]{_NAME}\b)|[A-Z]{{2,6}})\b)"
        yield _Premise(behind[2], names, rest, re.compile(before + other), is_led=True)


def without_first_names(
    asked: frozenset[str], question: QuestionAnalysis, passages: Sequence[Passage]
) -> frozenset[str]:
    """Return the words without first names of people whom the passages know by both, and no namesake.

    A book says "Tomas Birch" once, and "Birch" from then on.
    """
    pairs = [found.groups() for found in _PAIR.finditer(without_code(question.question))]
    if not pairs:
        return asked
    known = {found.groups() for one in passages for found in _PAIR.finditer(one.text)}
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
    for saying, part in ((one, part) for one in sayings for part in _parts_of(one, lexicon)):
        spoken = words_in(part)
        # A pronoun may speak of whom the sentence before names.
        named = spoken | words_in(saying.before) if premise.pairs and saying.before else spoken
        if not any(is_said(name.lower(), named, lexicon, language) for name in premise.names):
            continue
        held = [one for one in premise.rest if is_said(one, spoken, lexicon, language)]
        if premise.pairs and (not premise.done or not premise.done.isdisjoint(held)):
            return True
        if not premise.pairs and len(held) >= _MOSTLY * len(premise.rest):
            return True
    return False


def _parts_of(saying: Saying, lexicon: Lexicon) -> list[str]:
    """Return the parts of a sentence that each say something of their own; the whole if one leans."""
    parts = _PART.split(saying.text)
    pronouns = lexicon.checks.clauses.pronouns
    return [saying.text] if any(not pronouns.isdisjoint(words(one)) for one in parts[1:]) else parts


def _others_in(
    premise: _Premise, saying: Saying, question: QuestionAnalysis, lexicon: Lexicon
) -> Iterator[str]:
    """Yield the names that a sentence with all other words of the question has in the name's place."""
    language = question.language
    if has_negation(saying.text, language):
        return
    # "Solberg mended it" says of what the sentence before names that he did.
    near = f"{saying.over}\n{told_before(saying, lexicon)}\n{saying.text}"
    if not are_said(
        premise.rest, near if premise.done else f"{saying.over}\n{saying.text}", lexicon, language
    ):
        return
    if not are_said(premise.done, saying.text, lexicon, language):
        return  # What was done by whom the sentence before names.
    asked = frozenset(words(question.question))
    for other in _doers_first(list(_names_in(premise, saying.text, lexicon)), saying.text, lexicon):
        names = other.split()
        is_known = any(name.lower() in asked for name in names) or _is_word(names[0], lexicon)
        if not is_known:
            yield other


def _doers_first(others: list[str], text: str, lexicon: Lexicon) -> list[str]:
    """Return of several names those that stand as who does something does: "by Josef Halloran"."""
    if len(others) < 2:
        return others
    doing = [
        one
        for one in others
        if (found := re.search(rf"(?:^|\w+[ ]){re.escape(one)}", text)) is not None
        and lexicon.values.agent.search(f"x {found[0]}") is not None
    ]
    return doing or others


def _names_in(premise: _Premise, text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield the names in a text that stand where the premise's does."""
    for found in premise.pattern.finditer(text):
        if not _is_counted(text[: found.start(1)], lexicon):
            yield " ".join(found.groups())
