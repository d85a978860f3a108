"""Tell a sentence that says of a counterpart what a question asks of the thing itself.

The north gate is not the south one, nor what nobody knows what is known: such a sentence has all other
words of the question, and so is likely before all others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from libs.language.checks import Polarity
from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.entities import list_capitalised, list_years, names_missing, without_code
from libs.text import content_terms, words
from services.generation.checks.normal_forms import (
    antonyms,
    contraries,
    has_negation,
    in_digits,
)

_COUNTED = 2
"""Words behind a number of which one may be what it counts: "seven account types"."""

_YEAR = re.compile(r"(?<![\d.,])(?:1\d|20)\d\d(?!\d|[.,]\d)")
_NUMBER = re.compile(r"(?<![\w.,:/$€£-])\d+(?:[.,]\d+)*(?![\w%:/-])")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class _Side:
    """One of the words of a group that exclude each other, and what it tells apart."""

    group: tuple[str, int, str]
    number: int

    def excludes(self, other: "_Side") -> bool:
        return self.group == other.group and self.number != other.number


@dataclass(frozen=True)
class _Beside:
    """A name or a number, and its place: on which side of it a word stands, and its terms."""

    said: str
    place: tuple[str, ...]


@dataclass(frozen=True)
class Counterparts:
    """What tells the thing that a question in a language asks about from others of its kind."""

    question: str
    language: str

    def speak_in(self, text: str, over: str) -> bool:
        """Whether `text` says something of a counterpart, and neither it nor `over` has the thing.

        `over` is what stands over and before `text`, which need not say it again.
        """
        return (
            self._is_contrary(text, over)
            or self._is_of_other_year(text, over)
            or self._is_numbered_otherwise(text, over)
            or self._is_named_otherwise(text, over)
            or self._affirms(text)
            or self._is_turned(text, over)
        )

    @property
    def _lexicon(self) -> Lexicon:
        return load_lexicon(self.language)

    @property
    def _polarity(self) -> Polarity:
        return self._lexicon.checks.polarity

    @cached_property
    def _sides(self) -> frozenset[_Side]:
        """The sides that the question takes, but those of which it has the counterpart as well."""
        sides = _sides_in(self.question, self.language)
        return frozenset(one for one in sides if not any(map(one.excludes, sides)))

    def _is_contrary(self, text: str, over: str) -> bool:
        """Whether it has "south" for "north", or "closed" for "open"."""
        if not self._sides:
            return False
        said = _sides_in(text, self.language)
        lacking = self._sides - said - _sides_in(over, self.language)
        return any(own.excludes(other) for own in lacking for other in said)

    @cached_property
    def _years(self) -> frozenset[str]:
        return frozenset(list_years(self.question, self._lexicon))

    def _is_of_other_year(self, text: str, over: str) -> bool:
        said = _YEAR.findall(text) if self._years else []
        return bool(said) and self._years.isdisjoint((*said, *_YEAR.findall(over)))

    @cached_property
    def _numbers(self) -> frozenset[_Beside]:
        return frozenset(_numbers_in(without_code(self.question), self._lexicon, self.language))

    def _is_numbered_otherwise(self, text: str, over: str) -> bool:
        """Whether it has "schedule 5" for "schedule 6", or "five types" for "seven types"."""
        if not self._numbers:
            return False
        said = frozenset(_numbers_in(text, self._lexicon, self.language))
        known = frozenset(_DIGITS.findall(in_digits(f"{text}\n{over}", self.language)))
        places = {one.place for one in said}
        return any(one.said not in known and one.place in places for one in self._numbers)

    @cached_property
    def _names(self) -> frozenset[_Beside]:
        return frozenset(_names_in(self.question, self._lexicon))

    def _is_named_otherwise(self, text: str, over: str) -> bool:
        """Whether it has "the Spanish government" for "the Scottish government"."""
        named = {one.said for one in self._names}
        lacking = names_missing(named, (text, over), self._lexicon) if named else []
        places = {one.place for one in _names_in(text, self._lexicon)} if lacking else set()
        return any(one.said in lacking and one.place in places for one in self._names)

    @cached_property
    def _denies(self) -> bool:
        return self._polarity.asked.search(self.question) is not None

    def _affirms(self, text: str) -> bool:
        """Whether it affirms what the question asks as denied: "known for" for "not known for"."""
        if not self._denies or self._is_denied(text):
            return False
        spoken = words(text)
        return (
            self._polarity.soft.isdisjoint(spoken)
            and not self._polarity.soft_phrases.search(text)
            and not any(map(self._polarity.denying.match, spoken))
        )

    def _is_denied(self, text: str) -> bool:
        return has_negation(text.replace("’", "'"), self.language)

    def _joined(self, text: str) -> frozenset[str]:
        """Return the words of a text, each with what is written before it and denies it."""
        return frozenset(words(self._polarity.parted.sub(lambda found: found[0][:-1], text)))

    def _is_turned(self, text: str, over: str) -> bool:
        """Whether it has "related" for "unrelated", or the other way round."""
        denying = self._polarity.denying
        if self._denies:
            return False
        asked, said = self._joined(self.question), self._joined(f"{text}\n{over}")
        own, others = asked - said, said - asked
        return any(denying.sub("", word) in others for word in own if denying.match(word)) or any(
            denying.sub("", word) in own for word in others if denying.match(word)
        )


def _sides_in(text: str, language: str) -> set[_Side]:
    held = {
        _Side(("contrast", group, (found.groupdict().get("of") or "").lower()), number)
        for group, patterns in enumerate(load_lexicon(language).contrasts)
        for number, pattern in enumerate(patterns)
        for found in pattern.finditer(text)
    }
    spoken = words(text)
    for kind, known in (("antonym", antonyms(language)), ("contrary", contraries(language))):
        pairs = (known[word] for word in spoken if word in known)
        held |= {_Side((kind, pair, ""), side) for pair, side in pairs}
    return held


def _numbers_in(text: str, lexicon: Lexicon, language: str) -> Iterator[_Beside]:
    """Yield each number with the word before it, and with each of those behind it."""
    text = in_digits(text, language)
    for found in _NUMBER.finditer(text):
        before = _WORD.findall(text[: found.start()].rpartition("\n")[2])[-1:]
        behind = _WORD.findall(text[found.end() :].partition("\n")[0])[:_COUNTED]
        for side, near in (("before", before), ("behind", behind)):
            for word in near:
                if word.lower() not in lexicon.stop_words:
                    yield _Beside(found[0], (side, *content_terms(word)))


def _names_in(text: str, lexicon: Lexicon) -> Iterator[_Beside]:
    """Yield each name with the word behind it, and with the one before it that a short word joins."""
    for name in dict.fromkeys(list_capitalised(text, lexicon)):
        for found in re.finditer(rf"(\w+)?\s*\b(\w+)?\s+{re.escape(name)}\b(?:\s+(\w+))?", text):
            before, joins, behind = found.groups()
            if behind and behind.lower() not in lexicon.stop_words:
                yield _Beside(name, ("behind", *content_terms(behind)))
            told = before and before.lower() not in lexicon.stop_words
            if told and joins and joins.lower() in lexicon.stop_words:
                yield _Beside(name, ("before", joins.lower(), *content_terms(before)))
