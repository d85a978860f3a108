"""Take a question apart into terms as its language forms words, and weigh them by how rare they are.

The terms of passages are stems by English rules, and character bigrams where words have no spaces
between them. So a word of another language stands for all that begin with its stem, and what a question
is made of is left out: words, or characters, that say nothing of what it is about.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, takewhile
from statistics import fmean

from libs.language.endings import (
    Endings,
    bare_word,
    begin_with,
    is_verb,
    nouns_of,
    with_particles,
)
from libs.language.lexicon import FALLBACK, Lexicon, load_lexicon
from libs.language.verbs import join_verbs
from libs.question.said import without_elision, without_name_asked
from libs.question.synonyms import forms_of, known_as, reworded_as
from libs.text import STOP_WORDS, content_terms, function_words, is_unspaced, words
from libs.vectors.sparse import stem_in
from libs.vectors.stored import count_holders, has_beginning, has_inside
from services.retrieval.parted import PartedVerb, part_compound, part_verb

_LEAST_STEM = 4
"""Letters of a stem that stands for what begins with it."""

_LEAST_CONSONANTS = 3
"""The same where vowels are no letters of their own: the root of an Arabic word."""

_CONSONANTS = {"ar", "fa", "he", "hi", "mr", "ne", "ur"}

_LOAN_WORD = re.compile(r"[\u30a1-\u30ff]{3,}")
"""Katakana: a word or a compound, whose character bigrams any Japanese text has."""

_OF_BIGRAMS = 3
"""Power of the share of a word's character bigrams that are there, for what it says."""

_OF_VERB = 0.5
"""How much of a verb with a particle its verb alone is."""

_CONTRACTED = re.compile(
    r"(?:i|you|he|she|it|we|they|who|what|where|when|why|how|that|there|here|let)'(?:s|re|ve|ll|d|m)"
    r"|\w+n't|wanna|gonna|gotta"
)
"""What English writes as one word with a pronoun, a question word or "not"."""

_FLEETING = {"ru": re.compile("(.+[^аеёиоуыэюя])([её]|о)?([кц])")}
"""Stems whose last vowel comes and goes with the ending: "перец", "перцу"; "список", "списка"."""

_ELIDED = re.compile(r"([bcdfgkpt])([lnr])\Z")
"""What German verbs leave an "e" out of: "trocknen" makes "trocken"."""

_OF_PERSON = re.compile(r"(\w+(?:[^\Waeiouäöüy]|[dt]e))t")

_GRAVE, _ACUTE = (re.compile(rf"{vowel}([^\Waeiouyàâèéêîôû]{{1,2}})\Z") for vowel in "èé")
"""The last vowel of a French verb, whose accent goes with the ending: "sécher", "sèche"."""

_PREFIXES = {"ar": ("ال", "وال", "بال", "فال", "كال", "لل", "و", "ب", "ل", "ف", "ي", "ت", "ن")}
"""What a language writes as one word with the next: its article, "and", "in", the person of a verb."""

_ELIDES = {"ca", "fr", "it"}
_ELIDING = ("l'", "d'", "l’", "d’")
"""What is written as one word with a short word behind it: "l'eau"."""

_COMPOUNDING = {"da", "de", "fi", "nl", "no", "sv"}
"""Languages that write a word together with what says of which kind it is: "Stein" in "Mühlsteine"."""

_LEAST_INSIDE = 5
"""Letters of a stem that is looked for inside of other words: fewer are in too many by chance."""

ASSUMED_CHUNKS = 1000
"""Size of the book that IDF is reckoned for. The candidates hold every chunk with a rare term but
only some of those with a common one; against their own number common terms would weigh nothing."""


@dataclass(frozen=True)
class AskedTerms:
    """The terms of a question, those of a run of characters without spaces together."""

    runs: tuple[tuple[str, ...], ...]
    stems: frozenset[str] = frozenset()
    """Those that stand for every term that begins with them."""

    bigrams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that are found by their character bigrams together, with these."""

    varied: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other beginnings that some stems have."""

    written: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Those that stand for these terms alone."""

    joined: frozenset[str] = frozenset()
    """Those that languages write together with other words: they are found inside of terms as well."""

    parted: Mapping[str, PartedVerb] = field(default_factory=dict)
    """Of verbs with a particle, that and what stands for the verb where both are apart."""

    compounds: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Of words that no text has, the two that they are of."""

    otherwise: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Terms that stand for some that no text has, because books call the same so."""

    def followed_by(self, more: "AskedTerms") -> "AskedTerms":
        """Return these terms and, behind them, those of more of the question."""
        return AskedTerms(
            (*self.runs, *more.runs),
            self.stems | more.stems,
            {**self.bigrams, **more.bigrams},
            {**self.varied, **more.varied},
            {**self.written, **more.written},
            self.joined | more.joined,
            {**self.parted, **more.parted},
        )


def read_terms(question: str, language: str) -> AskedTerms:
    """Return the terms of a question in the language with this ISO 639-1 code.

    A question of nothing but function words keeps them. What asks for a name only is of no subject.
    """
    lexicon, without = load_lexicon(language), function_words(language)
    named = without_name_asked(question, lexicon)
    if language in ("", FALLBACK):
        said = " ".join(word for word in words(named) if not _is_unasked(word, lexicon))
        return _every_term(next(filter(content_terms, (said, named)), question))
    spaced = _LOAN_WORD.sub(lambda word: f" {word[0]} ", join_verbs(named, lexicon))
    shown_words = words(lexicon.between_words.sub(" ", spaced))
    asked = AskedTerms(())
    for left_out in (without | lexicon.unasked, without):
        asked = asked if asked.runs else _terms_beside(shown_words, left_out, language)
    if not asked.runs and len(shown_words) == 1 and _is_character(shown_words[0]):
        # "桥有多长？" is about a bridge, and about nothing else.
        return AskedTerms((tuple(shown_words),), frozenset(shown_words))
    return asked if asked.runs else _every_term(question)


def _terms_beside(shown_words: Sequence[str], without: Set[str], language: str) -> AskedTerms:
    """Return what finds the words of a question but for those `without`."""
    asked, endings = AskedTerms(()), load_lexicon(language).endings
    for word in map(without_elision, shown_words):
        if without.isdisjoint((word, bare_word(word, endings))) and content_terms(word):
            asked = asked.followed_by(_terms_of(word, language))
    return asked


def _is_unasked(word: str, lexicon: Lexicon) -> bool:
    """Whether people put it around what they ask: "anyone", "isn't", "I'm"."""
    plain = word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return plain in lexicon.unasked or _CONTRACTED.fullmatch(plain) is not None


def _terms_of(word: str, language: str) -> AskedTerms:
    """Return what finds one word of a question; nothing where no term does."""
    if _is_character(word):
        # In Japanese it is a word, or the stem of a verb; in Chinese mostly a rest of one.
        return AskedTerms(((word,),), frozenset((word,))) if language == "ja" else AskedTerms(())
    endings = load_lexicon(language).endings
    if endings.particles:
        return _bare_term(word, endings)
    terms = tuple(content_terms(word))
    if is_unspaced(word):
        return _unspaced_terms(word, terms, language)
    stem = word[: len(stem_in(language, word))]
    if language in _PREFIXES:
        stem, prefixed = _without_prefix(word, stem_in(language, word), language)
        return AskedTerms(((stem,),), frozenset((stem,)), varied={stem: prefixed})
    # English rules may cut more off one form of the word than off another.
    forms = [stem, terms[0], *content_terms(stem)]
    beginning = _common_beginning(min(forms), max(forms))
    least = _LEAST_CONSONANTS if language in _CONSONANTS else _LEAST_STEM
    if stem and len(beginning) < least and terms[0].startswith(word[:least]):
        # "baña-" of "bañar", whose stem says too little alone.
        beginning = word[:least]
    if len(beginning) < least:
        elided = frozenset(chain.from_iterable(content_terms(f"{one}{word}") for one in _ELIDING))
        written = {terms[0]: elided | {terms[0]}} if language in _ELIDES else {}
        return AskedTerms((terms,), written=written)
    varied = {beginning: (*_vary(beginning, language), *_forms_beginning(word, language))}
    verb = part_verb(word, load_lexicon(language))
    joins = language in _COMPOUNDING and len(beginning) >= _LEAST_INSIDE
    stems = frozenset((beginning,))
    return AskedTerms(
        ((beginning,),),
        stems,
        varied=varied,
        joined=stems if joins else frozenset(),
        parted={beginning: verb} if verb else {},
    )


def _forms_beginning(word: str, language: str) -> tuple[str, ...]:
    """Return how the forms of a word begin that do not begin alike: "gezogen", "ziehen"."""
    forms = forms_of(word, load_lexicon(language)) - {word}
    stems = (form[: max(_LEAST_STEM, len(stem_in(language, form)))] for form in sorted(forms))
    return tuple(dict.fromkeys(stem for stem in stems if len(stem) >= _LEAST_STEM))


def _unspaced_terms(word: str, terms: tuple[str, ...], language: str) -> AskedTerms:
    """Return what finds a run of characters: a loan word whole, others pair by pair or by synonyms."""
    if _LOAN_WORD.fullmatch(word):
        return AskedTerms(((word,),), bigrams={word: terms})
    meant = {term: known_as(term, language) for term in terms}
    written = {term: alike for term, alike in meant.items() if len(alike) > 1}
    # Beside a word that is known as one, a pair of characters is where two words meet.
    kept = (
        term
        for at, term in enumerate(terms)
        if term in written or written.keys().isdisjoint(terms[max(0, at - 1) : at + 2])
    )
    return AskedTerms((tuple(kept),), written=written)


def _bare_term(word: str, endings: Endings) -> AskedTerms:
    """Return what finds a word: a verb by how its forms begin, a short noun as it is written."""
    bare = bare_word(word, endings)
    if is_verb(word, endings):
        first, *others = begin_with(bare, endings)
        return AskedTerms(((first,),), frozenset((first,)), varied={first: tuple(others)})
    nouns = nouns_of(word, endings)
    if min(map(len, nouns)) > 1:
        return AskedTerms(((bare,),), frozenset((bare,)))
    forms = frozenset().union(*(with_particles(noun, endings) for noun in nouns))
    return AskedTerms(((bare,),), written={bare: forms})


def _is_character(word: str) -> bool:
    """Whether it is a character alone, which is in no bigram."""
    return len(word) == 1 and is_unspaced(word)


def _without_prefix(word: str, stem: str, language: str) -> tuple[str, tuple[str, ...]]:
    """Return the beginning that a word stands for, and how the same may begin with a prefix."""
    whole = stem if stem in word and len(stem) >= _LEAST_CONSONANTS else word
    prefixes = _PREFIXES[language]
    bare = [whole[len(one) :] for one in prefixes if whole.startswith(one)]
    bases = [whole, *(one for one in bare if len(one) >= _LEAST_CONSONANTS)]
    forms = dict.fromkeys(f"{prefix}{base}" for base in bases for prefix in ("", *prefixes))
    return whole, tuple(form for form in forms if form != whole)


def _vary(stem: str, language: str) -> tuple[str, ...]:
    """Return how the same word may begin beside `stem`: another vowel, or as a participle."""
    if language == "de":
        elided = _vary_vowel(_ELIDED, stem, r"\1e\2")
        return (*_vary_participle(stem), *elided, *_vary_person(stem))
    if language == "fr":
        return (*_vary_vowel(_GRAVE, stem, r"é\1"), *_vary_vowel(_ACUTE, stem, r"è\1"))
    pattern = _FLEETING.get(language)
    found = pattern.fullmatch(stem) if pattern else None
    if found is None:
        return ()
    forms = (f"{found[1]}{vowel}{found[3]}" for vowel in ("", "е", "о"))
    return tuple(form for form in forms if form != stem)


def _vary_vowel(pattern: re.Pattern[str], stem: str, form: str) -> tuple[str, ...]:
    found = pattern.search(stem)
    return (stem[: found.start()] + found.expand(form),) if found else ()


def _vary_participle(stem: str) -> tuple[str, ...]:
    """Return a German verb's stem with "ge" before it, or without: "schärft", "geschärft"."""
    verb = stem.removeprefix("ge").removesuffix("t")
    if not stem.startswith("ge"):
        return (f"ge{stem}",)
    return (verb,) if len(verb) >= _LEAST_STEM else ()


def _vary_person(stem: str) -> tuple[str, ...]:
    """Return a German verb's stem without the ending that its stemmer leaves: "tauscht", "meldet"."""
    found = _OF_PERSON.fullmatch(stem)
    return (found[1],) if found and len(found[1]) >= _LEAST_STEM else ()


def _common_beginning(one: str, other: str) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in same)


def _every_term(question: str) -> AskedTerms:
    return AskedTerms(tuple((term,) for term in content_terms(question)))


@dataclass(frozen=True)
class QuestionTerms:
    """The terms of a question, each with its weight: how rare it is where the answer is sought."""

    weights: Mapping[str, float]
    held: Collection[str] = ()
    """Those that are anywhere in what they were weighed by."""

    asked: AskedTerms | None = None
    """How they are found, where it is not letter by letter."""

    @classmethod
    def weigh(
        cls, question: str, texts: Sequence[Collection[str]], language: str = FALLBACK
    ) -> "QuestionTerms":
        """Weigh by IDF among `texts`, given as their terms.

        A term that is in none of them weighs most: it may be the very thing that is asked for. A bigram
        of characters that none has, between two that some have, is where two words meet, no term.
        """
        size = max(ASSUMED_CHUNKS, len(texts))
        asked = _reword_unheld(read_terms(question, language), texts, language)
        weights, held = {}, []
        for run in asked.runs:
            counts = [_count_holders(term, texts, asked) for term in run]
            for at, (term, holders) in enumerate(zip(run, counts, strict=True)):
                if not holders and 0 < at < len(run) - 1 and counts[at - 1] and counts[at + 1]:
                    continue
                weights[term] = math.log1p((size - holders + 0.5) / (holders + 0.5))
                held += [term] if holders else []
        special = asked.stems or asked.bigrams or asked.written or asked.otherwise
        return cls(weights, held, asked if special else None)

    def covered_by(self, found: Collection[str]) -> float:
        """Return the weighted share of the terms that are in `found`, in [0, 1]."""
        if not self._total:
            return 0.0
        if self.asked:
            parts = (
                weight * _share_in(found, term, self.asked) for term, weight in self.weights.items()
            )
            return math.fsum(parts) / self._total
        return sum([weight for term, weight in self.weights.items() if term in found]) / self._total

    def covered_beside(self, told: Collection[str], found: Collection[str]) -> float:
        """Return the share of the terms in `found` without those that `told` has; all if it has all."""
        shares = {term: self._share(told, term) for term in self.weights}
        rest = {term: weight for term, weight in self.weights.items() if shares[term] < 1.0}
        if not rest:
            return self.covered_by(found)
        said = frozenset(found) | frozenset(told)
        return math.fsum(self._share(said, term) * rest[term] for term in rest) / sum(rest.values())

    def share_of(self, words_asked: str, found: Collection[str]) -> float:
        """Return the share in [0, 1] of those terms that `words_asked` are made of; 1 without any."""
        beginnings = tuple(content_terms(words_asked))
        terms = [
            term
            for term in self.weights
            if any(one.startswith(term) or term.startswith(one) for one in beginnings)
        ]
        return fmean(self._share(found, term) for term in terms) if terms else 1.0

    def _share(self, found: Collection[str], term: str) -> float:
        return _share_in(found, term, self.asked) if self.asked else float(term in found)

    @cached_property
    def _total(self) -> float:
        return sum(self.weights.values())


def _reword_unheld(
    asked: AskedTerms, texts: Sequence[Collection[str]], language: str
) -> AskedTerms:
    """Let each term that no text has stand for what the texts may call the same."""
    if not load_lexicon(language or FALLBACK).reworded:
        return asked
    runs = chain.from_iterable(asked.runs)
    absent = [term for term in runs if not _count_holders(term, texts, asked)]
    if not absent:
        return asked
    if language in _COMPOUNDING:
        asked = _part_compounds(asked, absent, texts, language)
    if language in ("", FALLBACK):
        others = {term: reworded_as(term, FALLBACK) for term in absent}
        return replace(asked, otherwise={term: of for term, of in others.items() if len(of) > 1})
    groups, stems, parted = _reworded_stems(language)
    others = {term: groups[one] for term in absent for one in _alias(term, asked) if one in groups}
    named = frozenset[str]().union(*others.values()) & stems
    verbs = {term: parted[term] for term in named if term in parted}
    return replace(
        asked, stems=asked.stems | named, otherwise=others, parted={**verbs, **asked.parted}
    )


def _alias(term: str, asked: AskedTerms) -> Sequence[str]:
    """Return a term and, of a verb with a particle, how its other forms begin: "festgezogen"."""
    particle, verbs = asked.parted.get(term, ("", frozenset()))
    return (*(f"{particle}{verb[: len(stem_in('de', verb))]}" for verb in sorted(verbs)), term)


def _part_compounds(
    asked: AskedTerms, absent: Sequence[str], texts: Sequence[Collection[str]], language: str
) -> AskedTerms:
    measures = load_lexicon(language).expected.measures
    heads = frozenset[str]().union(*measures.values())

    def holds(part: str) -> bool:
        return any(has_beginning(part, text) for text in texts)

    found = {term: part_compound(term, holds, heads) for term in absent}
    return replace(asked, compounds={term: parts for term, parts in found.items() if parts})


@cache
def _reworded_stems(
    language: str,
) -> tuple[Mapping[str, frozenset[str]], frozenset[str], Mapping[str, PartedVerb]]:
    """Return what stands for what, as terms of questions, which are beginnings, and which verbs."""
    groups, stems = dict[str, frozenset[str]](), set[str]()
    parted = dict[str, PartedVerb]()
    for group in load_lexicon(language).reworded:
        read = [_terms_of(word, language) for word in group if content_terms(word)]
        terms = frozenset(term for one in read for run in one.runs for term in run[:1])
        stems.update(*(one.stems for one in read))
        for one in read:
            parted |= one.parted
        groups |= {term: groups.get(term, frozenset()) | terms for term in terms}
    return groups, frozenset(stems), parted


def _count_holders(term: str, texts: Sequence[Collection[str]], asked: AskedTerms) -> int:
    if any(
        term in held
        for held in (asked.stems, asked.bigrams, asked.written, asked.otherwise, asked.compounds)
    ):
        return sum(_share_in(text, term, asked) == 1.0 for text in texts)
    return count_holders(term, texts)


def _share_in(found: Collection[str], term: str, asked: AskedTerms) -> float:
    """Return how much of a term, or of what stands for it, is there."""
    share = max(_share_of_one(found, one, asked) for one in asked.otherwise.get(term, (term,)))
    if share < 1.0 and term in asked.compounds:
        parts = asked.compounds[term]
        share = max(share, sum(_is_part_in(found, part) for part in parts) / len(parts))
    return share


def _is_part_in(found: Collection[str], part: str) -> bool:
    return has_beginning(part, found) or has_inside(part, found)


def _share_of_one(found: Collection[str], term: str, asked: AskedTerms) -> float:
    """Return how much of a term is there: of character bigrams, few that are say little."""
    if term in asked.stems:
        forms = (term, *asked.varied.get(term, ()))
        if any(has_beginning(form, found) for form in forms):
            return 1.0
        if term in asked.joined and has_inside(term, found):
            return 1.0
        return _share_parted(found, *asked.parted[term]) if term in asked.parted else 0.0
    if term in asked.written:
        return float(any(form in found for form in asked.written[term]))
    if term in asked.bigrams:
        bigrams = asked.bigrams[term]
        return float((sum(bigram in found for bigram in bigrams) / len(bigrams)) ** _OF_BIGRAMS)
    return float(term in found)


def _share_parted(found: Collection[str], particle: str, verbs: Collection[str]) -> float:
    """Return how much of a verb with a particle is there where both are apart.

    The terms of texts lack a particle that is a function word of English: the verb is half of it then.
    """
    if not any(verb in found for verb in verbs):
        return 0.0
    return 1.0 if particle in found else _OF_VERB * (particle in STOP_WORDS)
