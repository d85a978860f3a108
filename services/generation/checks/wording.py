"""What the words of a sentence tell of those before it: that it denies, doubts or points to them."""

import re
from functools import cached_property

from libs.text import count_words, is_question, words
from services.generation.checks.normal_forms import is_negation, rules_of

_INTRODUCES = (":", "：")
_ASKS = re.compile(r"[?？؟][\"'”’»)\]]*$")
_ASIDE = ("(", "（", "[")
_LABEL = re.compile(r"\w+[ \d]*[:：]")
_ENTRY = re.compile(r"\W*[\w./+-]+(?: [\w./+-]+){0,2}\s+[–—-]\s+\w")

SHORT, REPLY = 3, 8
"""Up to so many words a sentence leans on the one before it, and one behind a question on that."""

_OPENING = 4
"""Words at the beginning of a sentence among which one that can point back is taken to do so."""

_COMMENT = 12
"""Words at the most of a sentence that only comments on the one before it."""

_LONGEST = 300
"""Characters of a sentence that takes another back."""

_ADDRESS = re.compile(r"<?(?:\w+://|www\.)\S+|<?[\w.+-]+@[\w-]+\.\S+")
"""A line that is one address alone, which is all that words with a colon before it announce."""


class Wording:
    """The words of one sentence, by the rules of its language."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language
        self._rules = rules_of(language).clauses
        self._limiting = rules_of(language).context

    @cached_property
    def count(self) -> int:
        return count_words(self._text)

    @cached_property
    def _words(self) -> list[str]:
        return words(self._text)

    @property
    def asks(self) -> bool:
        return _ASKS.search(self._text.rstrip()) is not None or is_question(self._text)

    @property
    def introduces(self) -> bool:
        return self._text.rstrip().endswith(_INTRODUCES)

    @property
    def speaks_of_below(self) -> bool:
        """Whether it introduces or limits what stands below it, or points to it: no mere neighbour."""
        rules = self._limiting
        limits = (rules.withdrawn_title, rules.limits_below, rules.supposes)
        if self.introduces or any(one.search(self._text) for one in limits):
            return True
        # "Options that take nothing" begins with no pointer, though "that" may be one.
        far = (self._pointing - self._rules.inner) | self._pointing.intersection(self._words[:1])
        return self.denies_at_once or not far.isdisjoint(self._words)

    @property
    def is_address(self) -> bool:
        return _ADDRESS.fullmatch(self._text.strip()) is not None

    @property
    def is_aside(self) -> bool:
        return self._text.startswith(_ASIDE)

    @property
    def is_labelled(self) -> bool:
        """Whether it begins as a note does: "Warning:"."""
        return self._rules.resumes.match(self._text) is not None and bool(_LABEL.match(self._text))

    @property
    def resumes(self) -> bool:
        """Whether it goes on with what the one before it says."""
        if self.is_aside or self._rules.resumes.match(self._text):
            return True
        return self.count <= SHORT

    @property
    def points(self) -> bool:
        """Whether one of its words can point to the one before it."""
        return not self._pointing.isdisjoint(self._words)

    @property
    def is_entry(self) -> bool:
        """Whether it begins with the term that it tells of: "quilt - This package manages patches."."""
        return _ENTRY.match(self._text) is not None

    @property
    def opens_with_pointing(self) -> bool:
        return not self._pointing.isdisjoint(self._words[:_OPENING])

    @property
    def _pointing(self) -> frozenset[str]:
        return self._rules.pronouns | self._rules.pointing

    @property
    def denies(self) -> bool:
        return self._has_negation(self._words)

    @property
    def denies_at_once(self) -> bool:
        return self._has_negation(self._words[:_OPENING])

    @property
    def opens_with_denial(self) -> bool:
        return self._has_negation(self._words[:1])

    def _has_negation(self, spoken: list[str]) -> bool:
        return any(is_negation(word, self._language) for word in spoken)

    @property
    def doubts(self) -> bool:
        return self.denies or not self._rules.qualifying.isdisjoint(self._words)

    @property
    def takes_back(self) -> bool:
        """Whether its words limit or withdraw what the one before it says."""
        if len(self._text) > _LONGEST or self.introduces:
            return False
        if self._limiting.supposes.search(self._text):
            return self.speaks_of_all
        return self._limiting.takes_back.search(self._text) is not None

    @property
    def comments(self) -> bool:
        """Whether it is short, and denies or speaks of what the one before it says."""
        if self.count > _COMMENT or self.introduces:
            return False
        if self.count <= REPLY and self.denies_a_clause and self.points:
            return True
        return self.speaks_of_all

    @property
    def judges(self) -> bool:
        """Whether it takes up what the one before it says, to limit that or to tell of its harm."""
        if len(self._text) > _LONGEST or self.introduces or self.asks:
            return False
        if not self._limiting.refers_to.search(self._text):
            return False
        return self.denies_a_clause or self._limiting.judges.search(self._text) is not None

    @property
    def speaks_of_all(self) -> bool:
        """Whether it has words for all that stands before it: "this rule", "this table"."""
        return self._limiting.speaks_of.search(self._text) is not None

    @property
    def denies_a_clause(self) -> bool:
        """Whether it denies more than a noun: "without" does not."""
        weak = rules_of(self._language).polarity.weak
        return self._has_negation([word for word in self._words if word not in weak])
