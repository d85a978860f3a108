"""Find which abbreviation a document defines for which words: "inertial measurement unit (IMU)".

After Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical
text" (2003): the letters of the short form are sought from its end in the words before the bracket, and
its first one begins a word.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

_SHORT = r"(?=[\w-]{0,9}[A-Z][\w-]{0,9}[A-Z])[A-Z\d][A-Za-z\d-]{1,9}"
"""Two to ten characters, two of them capitals; others are words as often."""
_SHORT_FORM = re.compile(rf"({_SHORT}?)(?:s|’s|'s)?")
_BRACKETS = re.compile(r"\(([^()\n]{2,100})\)")
_ENTRY = re.compile(
    rf"^[ \t*|-]{{0,8}}({_SHORT})[ \t]*[:|–—=-][ \t]*([^\n]{{4,100}})", re.MULTILINE
)
"""A line of a glossary, or a row of a table."""
_BEFORE = re.compile(r"[\w-]+\Z")
_SENTENCE_END = re.compile(r"[.!?;:](?=\s)|\n")
_WORD = re.compile(r"[^\W_]+")
_MOST_BEFORE = 120
"""Characters that are looked at before a bracket."""
_PLURAL = re.compile(r"(?<=[^\W\d_]{3}[^suci\W\d_])s\Z")
_MOST_PAIRS = 1000
_MOST_DEFINITIONS = 20_000
_MOST_FORMS = 8
"""Of one chunk: one with more is a list of abbreviations."""


@dataclass(frozen=True)
class Abbreviations:
    """What each short form stands for, in lower case, a space between its words, in the singular."""

    long_forms: Mapping[str, str]

    def other_forms(self, text: str) -> tuple[str, ...]:
        """Return for each form that the text has alone the other one, eight at most, as they come."""
        if not self.long_forms:
            return ()
        words = _WORD.findall(text)
        there = set(words)
        whole = f" {' '.join(words).lower()} "
        found: dict[str, str] = {}
        for word in dict.fromkeys(words):
            short = word if word in self.long_forms else word.removesuffix("s")
            if (long := self.long_forms.get(short)) and f" {long}" not in whole:
                found[short] = long
            for other in self._beginning.get(word.lower(), ()):
                is_there = f" {self.long_forms[other]}" in whole
                if is_there and there.isdisjoint((other, f"{other}s")):
                    found[other] = other
        return tuple(found.values())[:_MOST_FORMS]

    @cached_property
    def _beginning(self) -> Mapping[str, list[str]]:
        """The short forms by the first word of what they stand for."""
        found: dict[str, list[str]] = defaultdict(list)
        for short, long in self.long_forms.items():
            found[long.partition(" ")[0]].append(short)
        return dict(found)


def find_abbreviations(text: str) -> Abbreviations:
    """Return what the text abbreviates, by the first definition of each; a thousand at most."""
    found: dict[str, str] = {}
    for short, long in islice(_definitions(text), _MOST_DEFINITIONS):
        found.setdefault(short, _PLURAL.sub("", long))
    return Abbreviations(dict(islice(found.items(), _MOST_PAIRS)))


def _definitions(text: str) -> Iterator[tuple[str, str]]:
    for bracket in _BRACKETS.finditer(text):
        inner = bracket[1].strip()
        line = text[max(0, bracket.start() - _MOST_BEFORE) : bracket.start()]
        before = _SENTENCE_END.split(line)[-1].rstrip()
        if short := _SHORT_FORM.fullmatch(inner):
            long = _long_form(short[1], before)
            if long:
                yield short[1], long
        elif (word := _BEFORE.search(before)) and (short := _SHORT_FORM.fullmatch(word[0])):
            yield from _spelled_out(short[1], inner)
    for entry in _ENTRY.finditer(text):
        yield from _spelled_out(entry[1], entry[2])


def _spelled_out(short: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the words that `text` begins with, if their initials are the short form."""
    words = list(_WORD.finditer(text))[: len(short)]
    initials = "".join(word[0][0] for word in words)
    if len(words) == len(short) and initials.lower() == short.lower():
        yield short, " ".join(word[0] for word in words).lower()


def _long_form(short: str, before: str) -> str:
    """Return the fewest words at the end of `before` in which the letters of `short` stand in order."""
    words = list(_WORD.finditer(before))[-min(len(short) + 5, len(short) * 2) :]
    if not words:
        return ""
    letters = [letter for letter in short.lower() if letter.isalnum()]
    at = len(before)
    lower = before.lower()
    for number, letter in enumerate(reversed(letters)):
        is_first = number == len(letters) - 1
        at = lower.rfind(letter, 0, at)
        while is_first and at > 0 and lower[at - 1].isalnum():
            at = lower.rfind(letter, 0, at)
        if at < words[0].start():
            return ""
    taken = [word[0] for word in words if word.start() >= at]
    most = 2 * sum(letter.isupper() for letter in short) + 1
    return " ".join(taken).lower() if 1 < len(taken) <= most and short not in taken else ""
