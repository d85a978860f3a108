"""Find a sentence that says the contrary of what a question takes for granted, and more besides.

"The cache does not implement a local server, partly because of this" denies what "Why does the cache
implement a local server?" takes to be so. It is told where the words of both stand side by side and the
"not" is on one side alone: the more of the question a sentence has, the more it may add.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libs.language.entries import OFF
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from libs.question.said import asked_words, words_told
from libs.question.synonyms import said_of
from libs.text import words
from services.generation.checks.normal_forms import has_negation, is_negation, stems
from services.generation.checks.polarity import denied
from services.generation.other_value import OtherValue
from services.generation.premise.compared import compares
from services.generation.premise.denied import clauses_of, is_denied_twice
from services.generation.premise.sayings import Saying, told_before

_LEAST_WORDS = 3
"""Words of a question: of fewer, something else may be denied."""

_LEAST_TO_LACK_ONE = 4
"""Words of which a clause that denies the others may lack one, but for a name."""

_MOST = 2 / 3
"""Share of the words from which a clause that agrees with the question leaves nothing to correct."""

_NAMED = re.compile(r"(?<=\s)[^\w\s]*(?:[A-ZÀ-ÖØ-ÞА-ЯЁ]|\d)[\w.'’]*")
_WORD = re.compile(r"\w[\w'’-]*")
_BESIDE = re.compile(r"\([^()]*\)")
"""What a sentence adds in brackets: "(this was not so before)"."""


@dataclass(frozen=True)
class _Taken:
    """What a question takes for granted: its words, and which of them are names."""

    told: frozenset[str]
    named: frozenset[str]
    stems: frozenset[str]
    able: frozenset[str]
    """Of a question how to do it, what is denied of a thing that nobody can use; else nothing."""
    lexicon: Lexicon
    language: str

    def said_in(self, text: str) -> frozenset[str]:
        return said_of(self.told, text, self.lexicon, self.language)

    def is_denied_in(self, clause: str, *, whole: bool) -> bool:
        """Whether a negation in a clause reaches a word of it: the first behind it, if not `whole`."""
        for scope in filter(None, denied(clause, self.language)):
            if self.able:
                if scope[0] in self.able:
                    return True
            elif scope[0] in self.stems or (whole and not self.stems.isdisjoint(scope)):
                return True
        return False


def find_contrary(question: QuestionAnalysis, sayings: Sequence[Saying]) -> OtherValue | None:
    """Return the sentence that denies most of a question, or says what it denies; None without one.

    Nothing is told where another sentence agrees with the question.
    """
    lexicon, language = load_lexicon(question.language), question.language
    kind, rules = question.expected.kind, lexicon.claims
    is_denied = has_negation(question.question, language)
    if kind is AnswerKind.PROCEDURE and is_denied:
        return None
    if kind not in (AnswerKind.CAUSE, AnswerKind.PROCEDURE) or question.follow_up:
        return None
    forbids = not (rules.lacking | rules.forbidding).isdisjoint(words(question.question))
    if forbids or rules.proposed.search(question.question) or compares(question):
        return None
    taken = _read(question, lexicon)
    told = [one for one in sayings if not one.header and not one.text.endswith("?")]
    if len(taken.told) < _LEAST_WORDS:
        return None
    found = list((_affirmed if is_denied else _denied)(taken, told))
    return OtherValue("", max(found, key=lambda one: one[0])[1].quote) if found else None


def _read(question: QuestionAnalysis, lexicon: Lexicon) -> _Taken:
    language, rules = question.language, lexicon.claims
    told = words_told(question.question, lexicon) - lexicon.expected.light - rules.valued
    told = frozenset(one for one in told if not is_negation(one, language))
    bare = told - rules.allowing
    told = bare if len(bare) > 1 else told
    names = {word for name in _NAMED.findall(question.question) for word in words(name)}
    is_how = question.expected.kind is AnswerKind.PROCEDURE
    able = stems(" ".join(rules.allowing | rules.being), language) if is_how else ()
    return _Taken(
        told,
        told if lexicon.names.capital is OFF else frozenset(names),
        frozenset(stems(" ".join(told), language)),
        frozenset(able),
        lexicon,
        language,
    )


def _denied(taken: _Taken, sayings: Sequence[Saying]) -> Iterator[tuple[int, Saying]]:
    """Yield what denies it in every case, with how much of it; nothing where a clause says it."""
    found = list[tuple[int, Saying]]()
    for saying in sayings:
        own, near = taken.said_in(saying.text), taken.said_in(_around(saying, taken.lexicon))
        if 2 * len(own) < len(taken.told):
            continue
        parts = _parts(saying, taken)
        leaning = taken.said_in(f"{saying.before}\n{saying.text}")
        is_said = leaning == taken.told and not any(no for *_, no in parts)
        if is_said or any(said == taken.told and not no for _, said, no in parts):
            return
        if _is_of_a_case(saying, taken) or is_denied_twice(
            saying.text, taken.lexicon, taken.language
        ):
            continue
        whole = near == taken.told
        denying = [
            len(said)
            for clause, said, no in parts
            if no and taken.is_denied_in(clause, whole=whole) and _is_of_it(clause, taken)
            if whole or _lacks_one(said, taken)
        ]
        found += [(max(denying) + len(own), saying)] if denying else []
    yield from found


def _affirmed(taken: _Taken, sayings: Sequence[Saying]) -> Iterator[tuple[int, Saying]]:
    """Yield what plainly says the whole; nothing where a clause denies most of it as well."""
    found = list[tuple[int, Saying]]()
    for saying in sayings:
        parts = _parts(saying, taken)
        if any(
            no and taken.is_denied_in(clause, whole=True) and len(said) >= _MOST * len(taken.told)
            for clause, said, no in parts
        ):
            return
        plain = not has_negation(_BESIDE.sub("", saying.text), taken.language)
        is_whole = any(said == taken.told and not no for _, said, no in parts)
        if plain and is_whole and not _is_of_a_case(saying, taken):
            found.append((len(taken.told), saying))
    yield from found


def _around(saying: Saying, lexicon: Lexicon) -> str:
    return f"{saying.over}\n{told_before(saying, lexicon)}\n{saying.text}"


def _parts(saying: Saying, taken: _Taken) -> list[tuple[str, frozenset[str], bool]]:
    """Return the clauses of a sentence, what each has of the question, and whether it says "not"."""
    return [
        (one, taken.said_in(one), has_negation(one, taken.language))
        for one in clauses_of(saying.text, taken.lexicon)
    ]


def _is_of_a_case(saying: Saying, taken: _Taken) -> bool:
    return not taken.lexicon.claims.conditions.isdisjoint(words(saying.text))


def _is_of_it(clause: str, taken: _Taken) -> bool:
    """Whether what a clause denies is said of what is asked about; of few words, in no case: "in Lent".

    Behind the last of few words one more noun may stand: "server functionality".
    """
    found = [one[0] for one in _WORD.finditer(_BESIDE.sub("", clause))]
    no = next((at for at, one in enumerate(found) if has_negation(one, taken.language)), 0)
    last = max((at for at, one in enumerate(found) if taken.said_in(one)), default=-1)
    before, behind = " ".join(found[:no]), found[last + 1 :]
    if asked_words(before, taken.lexicon) and not taken.said_in(before):
        return False
    if len(taken.told) >= _LEAST_TO_LACK_ONE:
        return True
    adds = asked_words(" ".join(behind), taken.lexicon) - taken.lexicon.expected.light
    return not adds or behind[0].lower() not in taken.lexicon.stop_words


def _lacks_one(said: frozenset[str], taken: _Taken) -> bool:
    """Whether a clause has all of many words but one, which is no name."""
    lacking = taken.told - said
    many = len(taken.told) >= _LEAST_TO_LACK_ONE
    return many and len(lacking) <= 1 and lacking.isdisjoint(taken.named)
