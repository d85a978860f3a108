"""Tell whether the clause around a value says it of what a question asks about, and of nothing else."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import takewhile

from libs.language.lexicon import Lexicon
from libs.question.said import asked_words
from libs.question.synonyms import is_said, said_of
from libs.text import words
from services.generation.checks.normal_forms import has_negation
from services.generation.premise.sayings import Saying
from services.generation.premise.values import NUMBER

_YEAR_LIKE = re.compile(r"(?<![\d.,])\d{3,4}(?![\d.,])")
_CLAUSE = re.compile(r"(?:[,;:?!(—–]|(?<!\b[A-Z])\.)\s")
_NAME = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯЁ]\w+")
_WORD = re.compile(r"\w+")

_DAY = re.compile(r"(?:\b\d{1,2}(?:er|st|nd|rd|th|\.)?\s+(?:de\s+)?[^\W\d_]+\s*|\b[^\W\d_]+-)$")
"""What of a date stands before its year: "19 août", "mid-"."""

_FEW = 2
"""Words behind "and" that go on with the subject before it: "and cost"."""


@dataclass(frozen=True)
class Clause:
    """What stands before a value and behind it in its clause, earlier in the sentence and over it."""

    before: str
    behind: str
    earlier: str
    over: str
    lexicon: Lexicon
    language: str

    def says_of(
        self,
        asked: frozenset[str],
        *,
        is_joined: bool,
        may_lean: bool = True,
        excused: Collection[str] = (),
        is_year: bool = False,
    ) -> bool:
        """Whether it has every word of `asked`, and before the value no other but the `excused`.

        What a value is joined to may say more: "received a gift of". Before it may stand nothing, where
        it comes first or behind a comma, and its subject, if it `may_lean`, in the clause before.
        """
        missing = asked - self._said(asked, f"{self.over}\n{self.before} {self.behind}")
        if missing and not (may_lean and self._leans_on(missing, asked)):
            return False
        if is_joined:
            return True
        if self._is_denied(f"{self.before} {self.behind}" if not missing else self.before):
            return False
        is_dated = is_year and self._only_dates(asked)
        if is_dated or (not missing and self._is_led_by_one_word(asked)):
            return True
        if not self._content(self.before):
            told = may_lean and self._is_told_behind(asked, may_add=is_year)
            return bool(missing) or told
        excused = {*asked, *excused, *self.lexicon.prices.words, *self.lexicon.expected.light}
        shared = self._said({*asked, *self.lexicon.prices.words}, self.before)
        return bool(shared or missing) and all(
            is_said(word, excused, self.lexicon, self.language)
            for word in self._content(self._without_its_name(asked))
        )

    def _only_dates(self, asked: frozenset[str]) -> bool:
        """Whether all words stand before the year, with few others, as of who did it: "by thieves"."""
        spoken = self._content(self.before)
        last = max((at for at, one in enumerate(spoken) if self._said(asked, one)), default=-1)
        subject_and_verb, others = spoken[: last + 1], spoken[last + 1 :]
        are_asked = all(self._said(asked, one) for one in subject_and_verb)
        return len(others) <= _FEW and are_asked and self._said(asked, self.before) == asked

    def _is_led_by_one_word(self, asked: frozenset[str]) -> bool:
        """Whether one other word stands right before the value, behind the verb: "has now 4 doors"."""
        spoken = [one for one in words(self.before) if not one.isdecimal()]
        content = self._content(self.before)
        others = [one for one in content if not self._said(asked, one)]
        return len(content) == _FEW and others == spoken[-1:] and content[0] == spoken[-2]

    def is_of_another(self, asked: frozenset[str]) -> bool:
        """Whether it has a subject of its own, and no word of `asked`."""
        if not self._content(self.before) or not self._has_subject():
            return False
        return not self._said(asked, f"{self.before} {self.behind}")

    def _leans_on(self, missing: frozenset[str], asked: frozenset[str]) -> bool:
        """Whether those words are the subject of the sentence, or the last before the clause.

        "The hall has two doors and cost £900", "the wheel, which was built in 1870".
        """
        if self._content(self.before) and self._has_subject():
            # "The Head is rowed in June; the fee is £18": of what the sentence is about.
            goes_on = self.earlier.rstrip().endswith(";") and len(asked) >= _FEW
            known = {*asked, *self.lexicon.prices.words}
            if not goes_on or not all(map(self._is_asked(known), self._content(self.before))):
                return False
        if self._is_denied(self.earlier):
            return False
        spoken = self._content(self.earlier)
        return any(
            self._said(missing, " ".join(takewhile(self._is_asked(asked), part))) == missing
            for part in (spoken, spoken[::-1])
        )

    def _is_asked(self, asked: Collection[str]) -> Callable[[str], bool]:
        return lambda word: bool(self._said(asked, word))

    def _is_told_behind(self, asked: frozenset[str], *, may_add: bool) -> bool:
        """Whether what stands behind the value says all that is asked about, and until then no more.

        Behind a year it may add a word: "In 2010 she took over the running of the mill".
        """
        spoken = self._content(self.behind)
        held = next(
            (
                spoken[:end]
                for end in range(1, len(spoken) + 1)
                if self._said(asked, " ".join(spoken[:end])) == self._said(asked, self.behind)
            ),
            [],
        )
        known = {*asked, *self.lexicon.expected.light}
        others = [one for one in held if not is_said(one, known, self.lexicon, self.language)]
        return bool(self._said(asked, " ".join(held))) and len(others) <= may_add

    def _without_its_name(self, asked: frozenset[str]) -> str:
        """Return what stands before the value without names of the thing that the titles have.

        They stand beside what is asked about: "the Tower bridge", "la maison Carnot".
        """
        titled = frozenset(_NAME.findall(self.over))
        found = list(_WORD.finditer(self.before))
        if not self.lexicon.values.alike_from:
            found.reverse()  # A name stands before an English noun.
        kept, beside = [], False
        for one in found:
            beside = bool(self._said(asked, one[0])) or (beside and one[0] in titled)
            if not beside or self._said(asked, one[0]):
                kept.append(one[0])
        return " ".join(kept)

    def _has_subject(self) -> bool:
        first = words(self.before)[:1]
        return not self.lexicon.checks.clauses.articles.isdisjoint(first)

    def _said(self, asked: Collection[str], text: str) -> frozenset[str]:
        return said_of(asked, text, self.lexicon, self.language)

    def _content(self, text: str) -> list[str]:
        """Return the words of a text that say something, in order."""
        rest = self.lexicon.expected.year.sub(" ", text)
        known = asked_words(rest, self.lexicon)
        return [one for one in words(rest) if one in known and not one.isdecimal()]

    def _is_denied(self, text: str) -> bool:
        return has_negation(text, self.language)


def clause_around(
    saying: Saying, place: tuple[int, int, int], lexicon: Lexicon, language: str
) -> Clause:
    """Return the clause of a value; its place is where the one before it ends, and where it is.

    What is said of one value ends at the next.
    """
    text, (until, start, end) = saying.text, place
    between = text[until:start]
    before = _without_first_of_two(pieces(_YEAR_LIKE.split(between)[-1], lexicon)[-1], lexicon)
    before = _DAY.sub("", before)
    rest = NUMBER.split(text[end:])[0]
    # "In 2010, Ada took over": what comes first in its sentence goes on behind the comma.
    rest = rest if asked_words(before, lexicon) or until else rest.lstrip(", ")
    behind = pieces(rest, lexicon)[0]
    # "Entry costs £9 for adults and £4": what stands before the second goes on with the first.
    earlier = "" if until and before == between else text[: start - len(before)]
    return Clause(before, behind, earlier, saying.over, lexicon, language)


def _without_first_of_two(text: str, lexicon: Lexicon) -> str:
    """Return what stands behind the last "and", if that begins no clause with a subject of its own."""
    clauses, found = lexicon.checks.clauses, list(_WORD.finditer(text))
    at = max((at for at, one in enumerate(found) if one[0].lower() in clauses.joiners), default=-1)
    behind = [one[0].lower() for one in found[at + 1 :]]
    if at < 0 or len(behind) > _FEW or not clauses.articles.isdisjoint(behind[:1]):
        return text
    return text[found[at].end() :]


def pieces(text: str, lexicon: Lexicon) -> list[str]:
    """Return the clauses of a text, by its signs and by words such as "and"."""
    return [one for part in _CLAUSE.split(text) for one in lexicon.spans.clause.split(part)]
