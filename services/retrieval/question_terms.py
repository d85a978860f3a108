"""Take a question apart into terms as its language forms words.

The terms of passages are stems by English rules, and pairs of characters where words have no spaces
between them. So a word of another language stands for all that begin with its stem, and what a question
is made of is left out: words, or characters, that say nothing of what it is about.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from libs.language.lexicon import FALLBACK, load_lexicon
from libs.text import content_terms, is_unspaced, words
from libs.vectors.sparse import stem_in

_LEAST_STEM = 4
"""Letters of a stem that stands for what begins with it."""

_ELISION = re.compile(r"^\w{1,4}['’](?=\w)")
"""What an apostrophe joins to a word that it is no part of: "l'image", "dell'albero"."""

_LOAN_WORD = re.compile(r"[\u30a1-\u30ff]{3,}")
"""Katakana: a word or a compound, whose pairs of characters any Japanese text has."""


@dataclass(frozen=True)
class AskedTerms:
    """The terms of a question, those of a run of characters without spaces together."""

    runs: tuple[tuple[str, ...], ...]
    stems: frozenset[str] = frozenset()
    """Those that stand for every term that begins with them."""

    pairs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that are found by their pairs of characters together, with these."""


def read_terms(question: str, language: str) -> AskedTerms:
    """Return the terms of a question in the language with this ISO 639-1 code.

    A question of nothing but function words keeps them.
    """
    if language in ("", FALLBACK):
        return _every_term(question)
    lexicon = load_lexicon(language)
    runs: list[tuple[str, ...]] = []
    stems: set[str] = set()
    pairs: dict[str, tuple[str, ...]] = {}
    spaced = _LOAN_WORD.sub(lambda word: f" {word[0]} ", question)
    for shown in words(lexicon.between_words.sub(" ", spaced)):
        word = _ELISION.sub("", shown)
        terms = tuple(content_terms(word))
        # One character alone is in no pair.
        if word in lexicon.stop_words or not terms or (len(word) == 1 and is_unspaced(word)):
            continue
        if _LOAN_WORD.fullmatch(word):
            pairs[word] = terms
            runs.append((word,))
            continue
        stem = word[: len(stem_in(language, word))]
        # English rules may cut more off one form of the word than off another.
        forms = [stem, terms[0], *content_terms(stem)]
        beginning = _common_beginning(min(forms), max(forms))
        if len(beginning) >= _LEAST_STEM:
            stems.add(beginning)
            terms = (beginning,)
        runs.append(terms)
    return AskedTerms(tuple(runs), frozenset(stems), pairs) if runs else _every_term(question)


def _common_beginning(one: str, other: str) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in same)


def _every_term(question: str) -> AskedTerms:
    return AskedTerms(tuple((term,) for term in content_terms(question)))
