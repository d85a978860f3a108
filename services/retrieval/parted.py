"""Take apart what German writes as one word.

The particle of a verb stands at the end of its clause, "Setzen Sie den Filter ein", and before the
verb elsewhere: "eingesetzt", "einzusetzen", "Einsetzen". A noun that a book has not may be of two that
it has: "Rauchgastemperatur".
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import TypeAlias

from libs.language.lexicon import Lexicon
from libs.language.verbs import bare_verb
from libs.question.synonyms import forms_of
from libs.text import content_terms

_LEAST_PART = 4
"""Letters of a part of a compound: fewer are in too many words by chance."""

_LEAST_COMPOUND = 9

_BEFORE_VERB = re.compile(r"(?:ge|zu)(?=\w{3})")
_ENDINGS = ("e", "en", "et", "st", "t", "te", "ten", "")
_LINKS = ("", "s", "es", "n", "en")


PartedVerb: TypeAlias = tuple[str, frozenset[str]]
"""The particle of a verb, and the terms of the verb alone."""


def part_verb(word: str, lexicon: Lexicon) -> PartedVerb | None:
    """Return the particle that a word begins with, and the terms of its verb alone, if it has one."""
    for particle in _longest_first(lexicon.particles):
        if word.startswith(particle):
            rest = _BEFORE_VERB.sub("", word[len(particle) :], count=1)
            if verb := bare_verb(rest):
                return particle, frozenset(_terms_of_verb(verb, word[len(particle) :], lexicon))
    return None


def _terms_of_verb(verb: str, written: str, lexicon: Lexicon) -> Iterator[str]:
    for ending in _ENDINGS:
        yield from content_terms(verb + ending)
    for form in forms_of(written, lexicon):
        yield from content_terms(form)


@cache
def _longest_first(particles: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(particles, key=lambda one: (-len(one), one)))


def part_compound(
    word: str, holds: Callable[[str], bool], heads: Collection[str]
) -> tuple[str, str] | None:
    """Return the two words that a word is of, as `holds` knows them; None where it is of no such.

    The second may be one of `heads`, which a book tells by values.
    """
    if len(word) < _LEAST_COMPOUND:
        return None
    for cut in range(len(word) - _LEAST_PART, _LEAST_PART - 1, -1):
        first, second = word[:cut], word[cut:]
        if not (any(head.startswith(second) for head in heads) or holds(second)):
            continue
        bare = (first.removesuffix(link) for link in _LINKS if first.endswith(link))
        held = next((one for one in bare if len(one) >= _LEAST_PART and holds(one)), None)
        if held is not None:
            return held, second
    return None
