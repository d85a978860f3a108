"""Estimate the probability that cited text supports a sentence.

A logistic regression over a few features of words, fitted to labelled claims by
`python -m deploy.evaluation.training.entailment`; its coefficients are in entailment.json.
"""

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from libs.ml import LogisticModel, load_model
from libs.text import STOP_WORDS, sentence_ranges, terms, words
from services.generation.checks.names import spelled_as_names
from services.generation.checks.normal_forms import every_word, is_negation, rules_of, stems
from services.generation.checks.quantities import quantities

COEFFICIENTS = Path(__file__).with_name("entailment.json")

LEAST_SUPPORT = 0.5
"""Least probability at which a sentence counts as supported."""

FEATURES = (
    "terms_known",
    "words_missing",
    "trigrams",
    "names_missing",
    "numbers_missing",
    "speaks_of_self",
    "speaks_to_reader",
)
"""Features of support; the first and the third count for it, the others against."""

_MAX_CHARACTERS = 60_000
_TORN_NUMBER = re.compile(r"(?<=\d)([.,]) (?=\d)")
"""What some texts, cut into words and joined again, make of "235,000" and "122.5"."""


@dataclass(frozen=True)
class _Cited:
    """A text prepared for many sentences."""

    sentences: tuple[str, ...]
    bags: tuple[frozenset[str], ...]
    """Each sentence's words in normal form, function words included."""
    known: frozenset[str]
    terms: frozenset[str]
    trigrams: frozenset[tuple[str, ...]]
    bigrams: frozenset[tuple[str, ...]]
    words: frozenset[str]
    numbers: frozenset[float]


def support(sentence: str, cited: str) -> float:
    """Return the probability in [0, 1] that `cited` supports `sentence`."""
    return _coefficients().probability(read_features(sentence, cited))


def support_of_claim(claim: str, cited: str) -> float:
    """Return the probability in [0, 1] that `cited` supports every sentence of `claim`."""
    return math.prod(support(sentence, cited) for sentence in split_claim(claim))


def split_claim(claim: str) -> list[str]:
    """Return the sentences of `claim` that say something, all of it when none does."""
    nothing = STOP_WORDS | rules_of("").support.says_nothing
    sentences = [claim[start:end] for start, end in sentence_ranges(claim)]
    return [text for text in sentences if not nothing.issuperset(words(text))] or [claim]


def read_features(sentence: str, cited: str) -> dict[str, float]:
    """Return the values of FEATURES."""
    text, rules = _prepare(cited), rules_of("").support
    own, meant, spelled = every_word(sentence), _meant(sentence), words(sentence)
    window = _best_window(text, set(meant))
    own_numbers, own_names = _values(sentence), spelled_as_names(sentence)
    in_one = max((sum(word in bag for word in own) for bag in text.bags), default=0)
    foreign = set(spelled) - text.words
    return {
        "terms_known": 1 - sum(term not in text.terms for term in meant) / max(1, len(meant)),
        "words_missing": math.log1p(len(own) - in_one),
        "trigrams": _ngrams_known(own, text),
        "names_missing": len(own_names - stems(window)) / (1 + len(own_names)),
        "numbers_missing": len(own_numbers - text.numbers) / (1 + len(own_numbers)),
        "speaks_of_self": float(bool(rules.of_self & foreign)),
        "speaks_to_reader": float(bool(rules.to_reader & foreign)),
    }


def _meant(text: str) -> list[str]:
    """Return the terms of `text` but its negations, which are compared apart."""
    return [term for term in terms(text) if not is_negation(term)]


@cache
def _coefficients() -> LogisticModel:
    return load_model(COEFFICIENTS)


@lru_cache(maxsize=16)
def _prepare(cited: str) -> _Cited:
    cited = cited[:_MAX_CHARACTERS]
    sentences = tuple(
        line[start:end] for line in cited.split("\n") for start, end in sentence_ranges(line)
    )
    every = [every_word(sentence) for sentence in sentences]
    flat = [stem for stemmed in every for stem in stemmed]
    return _Cited(
        sentences,
        tuple(map(frozenset, every)),
        frozenset(flat),
        frozenset(_meant(cited)),
        _ngrams(flat, 3),
        _ngrams(flat, 2),
        frozenset(words(cited)),
        _values(cited) | _values(_TORN_NUMBER.sub(r"\1", cited)),
    )


def _values(text: str) -> frozenset[float]:
    return frozenset(item.value for item in quantities(text) if item.sure)


def _ngrams(stemmed: list[str], length: int) -> frozenset[tuple[str, ...]]:
    return frozenset(zip(*(stemmed[start:] for start in range(length)), strict=False))


def _share(own: list[str], known: frozenset[str]) -> float:
    return sum(word in known for word in own) / max(1, len(own))


def _ngrams_known(own: list[str], text: _Cited) -> float:
    """Return the share of trigrams that the text holds; of bigrams or words when too short."""
    for length, known in ((3, text.trigrams), (2, text.bigrams)):
        runs = list(zip(*(own[start:] for start in range(length)), strict=False))
        if runs:
            return sum(run in known for run in runs) / len(runs)
    return _share(own, text.known)


def _best_window(text: _Cited, wanted: set[str]) -> str:
    """Return the two neighbouring sentences that hold most of `wanted`."""
    held = [len(wanted & bag) for bag in text.bags]
    windows = [
        len(wanted & (first | second))
        for first, second in zip(text.bags, text.bags[1:], strict=False)
    ]
    if not windows:
        return " ".join(text.sentences)
    best = max(range(len(windows)), key=lambda index: (windows[index], held[index]))
    return " ".join(text.sentences[best : best + 2])
