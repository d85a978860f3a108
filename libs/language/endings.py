"""Take off a word what its language writes together with it: particles and the endings of verbs.

Both are data of the language, in `[endings]`. An ending may begin with a consonant that closes the
syllable before it, written as a letter alone: "ㅂ니까".
"""

import unicodedata
from functools import cache, lru_cache

from msgspec import Struct

from libs.language.entries import NO_WORDS, Words


class Endings(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands behind a word without a space."""

    particles: Words = NO_WORDS
    verbs: Words = NO_WORDS
    """Endings of verbs."""

    syllables: Words = NO_WORDS
    """How endings begin behind a stem of one open syllable, which begins too many words alone."""

    copula: Words = NO_WORDS
    """What makes a noun a statement, behind it."""


_FINALS = dict(
    zip("ㄱㄴㄹㅁㅂㅅㅆㅎ", "\u11a8\u11ab\u11af\u11b7\u11b8\u11ba\u11bb\u11c2", strict=True)
)
"""Consonants as letters alone, and as the ends of syllables."""

_CLOSING = tuple(_FINALS[letter] for letter in "ㄴㄹㅁㅂㅆ")
_CONTRACTED = {"\u116f": "\u116e", "\u1167": "\u1175", "\u116a": "\u1169"}
"""Vowels that become of two, with that of the stem: "우" and "어" are "워"."""

_LEAST_OF_NOUN = 2
"""Syllables that a particle of one leaves at least: in "포도" it is none."""


def bare_word(word: str, endings: Endings) -> str:
    """Return a word without its particles and endings; the word itself in a language without any."""
    return _bare(word, endings) if endings.particles or endings.verbs else word


def is_verb(word: str, endings: Endings) -> bool:
    """Whether a word ends as verbs do."""
    shown = unicodedata.normalize("NFD", word)
    rest = _without_verb(shown, _in_order(endings.verbs))
    as_noun = _without_particle(shown, _in_order(endings.particles))
    return rest != shown and len(rest) <= len(as_noun)


@lru_cache(maxsize=65536)
def _bare(word: str, endings: Endings) -> str:
    shown, rest = "", unicodedata.normalize("NFD", word)
    while rest != shown:
        shown = rest
        as_verb = _without_verb(shown, _in_order(endings.verbs))
        as_noun = _without_particle(shown, _in_order(endings.particles))
        rest = min(as_verb, as_noun, key=len)
    return unicodedata.normalize("NFC", shown)


def _without_verb(shown: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if shown.endswith(ending) and len(shown) - len(ending) >= 2:
            rest = shown[: -len(ending)]
            vowel = _CONTRACTED.get(rest[-1], "")
            return rest[:-1] + vowel if vowel else rest
    return shown


def _without_particle(shown: str, particles: tuple[str, ...]) -> str:
    for particle in particles:
        if shown.endswith(particle):
            rest = unicodedata.normalize("NFC", shown[: -len(particle)])
            short = len(unicodedata.normalize("NFC", particle)) == 1
            if len(rest) >= (_LEAST_OF_NOUN if short else 1):
                return unicodedata.normalize("NFD", rest)
    return shown


@cache
def _in_order(endings: Words) -> tuple[str, ...]:
    """Return the endings as they stand in decomposed text, the longest first."""
    shown = (_FINALS.get(one[0], one[0]) + one[1:] for one in endings)
    decomposed = (unicodedata.normalize("NFD", one) for one in shown)
    return tuple(sorted(decomposed, key=lambda one: (-len(one), one)))


def begin_with(stem: str, endings: Endings) -> tuple[str, ...]:
    """Return how the forms of a verb may begin: an ending may close the last syllable of the stem."""
    shown = unicodedata.normalize("NFD", stem)
    if not "\u1161" <= shown[-1] <= "\u1175":
        return (stem,)
    vowels = (shown[-1], *(one for one, whole in _CONTRACTED.items() if whole == shown[-1]))
    closed = (
        unicodedata.normalize("NFC", f"{shown[:-1]}{vowel}{final}")
        for vowel in vowels
        for final in _CLOSING
    )
    is_short = len(stem) == 1
    opened = [f"{stem}{one}" for one in sorted(endings.syllables)] if is_short else [stem]
    contracted = (unicodedata.normalize("NFC", f"{shown[:-1]}{vowel}") for vowel in vowels[1:])
    return (*opened, *closed, *contracted)


def nouns_of(word: str, endings: Endings) -> frozenset[str]:
    """Return which nouns a word may be: one of two syllables may have a particle of one, or not."""
    bare = bare_word(word, endings)
    ends = len(bare) == _LEAST_OF_NOUN and bare[-1] in endings.particles
    return frozenset((bare, bare[:-1]) if ends else (bare,))


def with_particles(noun: str, endings: Endings) -> frozenset[str]:
    """Return a noun as it is written alone and with each particle, or as a statement."""
    behind = endings.particles | endings.copula
    return frozenset((noun, *(f"{noun}{particle}" for particle in behind)))
