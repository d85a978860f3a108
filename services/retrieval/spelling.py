"""Correct words of a question that neither the book nor its language has to words of the book.

A word that the language has is left as it is, though the book does not have it: what is asked for may
be what the book does not say.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from string import ascii_lowercase

from libs.budget import stages
from libs.errors import QuothError
from libs.language.asked_in import language_asked_in
from libs.language.lexicon import FALLBACK, Spelling, load_lexicon
from libs.language.scripts import scripts_of
from libs.question.analyse import QuestionAnalysis, reword_question
from libs.question.entities import without_code
from libs.text import content_terms, function_words, words
from services.retrieval.model import Correction
from services.retrieval.slips import (
    correct_beside,
    correct_joined,
    correct_names,
    correct_swapped,
    with_capitals,
)
from services.retrieval.state import Fetched, ScopedQuery
from services.retrieval.typos import TypoModel
from services.retrieval.vocabulary import LEAST_LETTERS, Vocabulary

SPELLING = "spelling"
"""Left out where a book's words are not there in time; they will be for the next question."""

_LONGEST_S = 0.5

_LEAST_OF_NAMES = 3
"""Letters of a name: shorter ones are anything."""

_MOST_UNKNOWN = 0.5
"""Share of a question's words from which it is in another language than the book, not about a name."""

_VERB_ENDING = (1, 2, 3)
"""Letters that a verb's form may end in where its infinitive ends otherwise."""

_WORD = re.compile(r"[^\W\d_]+")


async def correct_query(asked: ScopedQuery, fetched: Fetched) -> ScopedQuery:
    """Correct the words that neither the book nor its language has; a step that may be left out."""
    if asked.tools.words_of is None or asked.selection is not None or not is_of_book(asked):
        return asked
    query = asked.query
    held = fetched.weigh(query.question).held
    missing = list_missing(asked.analysis, held)
    if not missing and not asked.analysis.names:
        return asked
    rules = load_lexicon(asked.analysis.language).spelling
    async with asked.budget.stage(stages.SEARCH) as allowed_s:
        try:
            async with asyncio.timeout(min(allowed_s / 2, _LONGEST_S)):
                is_word = await asked.tools.words_of(_lists_of(asked))
                doubtful = list_doubtful(missing, is_word, rules.infinitives) if is_word else []
                plain = list_plain(missing, rules)
                if is_word is None or not may_have_slips(asked.analysis, doubtful, plain):
                    return asked
                vocabulary = await asked.tools.index.vocabulary(
                    query.book, query.edition, timeout_s=_LONGEST_S
                )
        except (TimeoutError, QuothError):
            return replace(asked, omitted=(SPELLING,))
    corrections, rest = _correct(asked.analysis, (missing, doubtful, plain), vocabulary, is_word)
    names = correct_names(asked.analysis.names, held, vocabulary)
    unknown = list_unknown(rest, query.question, vocabulary, TypoModel(rules), is_word)
    asked = replace(asked, unknown_words=unknown)
    return _reword(asked, (*names, *corrections)) if names or corrections else asked


def may_have_slips(
    question: QuestionAnalysis, doubtful: Sequence[str], plain: Sequence[str]
) -> bool:
    """Whether a question has words that may be slips: of none of the book's words are any read."""
    return bool(doubtful or plain or question.names) or "-" in question.question


def _correct(
    question: QuestionAnalysis,
    sought: tuple[Sequence[str], Sequence[str], Sequence[str]],
    vocabulary: Vocabulary,
    is_word: Callable[[str], bool],
) -> tuple[tuple[Correction, ...], list[str]]:
    """Return what to search for in the place of the words that the book lacks, and what is left.

    `sought` are those words, those of them that are none of the language, and those that have accents.
    """
    missing, doubtful, plain = sought
    typos = TypoModel(load_lexicon(question.language).spelling)
    found = list(accent_words(plain, vocabulary))

    def left() -> list[str]:
        own = {item.asked for item in found}
        return [word for word in doubtful if word not in own]

    doubtful = [word for word in left() if not vocabulary.has_form(word, question.language)]
    found += correct_asking(doubtful, question)
    found += correct_joined(question.question, missing, vocabulary)
    # "Maen" is "mean", of which questions are made, and not the book's "main".
    found += correct_swapped(left(), function_words(question.language or FALLBACK).__contains__)
    found += correct_words(left(), vocabulary, typos)
    found += correct_swapped(left(), is_word)
    if found:
        own = {item.asked for item in found}
        others = [word for word in missing if word not in own and is_word(word)]
        found += correct_beside(others, vocabulary, typos)
    return tuple(found), left()


def is_of_book(asked: ScopedQuery) -> bool:
    """Whether the question is in a language of the book: words of others are no typos."""
    first, *others = asked.languages
    own = first or FALLBACK
    return language_asked_in(asked.query.question, own, others) in (own, *others)


def _lists_of(asked: ScopedQuery) -> Sequence[str]:
    """Return the book's languages that have words in the question's script."""
    own = scripts_of(asked.language or asked.languages[0])
    return [language for language in asked.languages if scripts_of(language) & own]


def _reword(asked: ScopedQuery, corrections: tuple[Correction, ...]) -> ScopedQuery:
    question = respell(asked.query.question, corrections)
    return replace(
        asked,
        query=replace(asked.query, question=question),
        analysis=reword_question(asked.analysis, question, question),
        corrections=corrections,
    )


def list_missing(question: QuestionAnalysis, found: Collection[str]) -> list[str]:
    """Return the words whose terms are not among those `found` in the book.

    Code, identifiers and acronyms are spelled by other rules and left alone, and so is what a question
    is made of, and words that books say otherwise: "cheque" and "check".
    """
    own = {word for name in (*question.names, *question.literals) for word in words(name)}
    usual = _said_usually(question.language or FALLBACK)
    return [
        word
        for word in dict.fromkeys(words(without_code(question.question)))
        if len(word) >= _LEAST_OF_NAMES
        and word.isalpha()
        and word not in own
        and word not in usual
        and not any(term in found for term in content_terms(word))
        and content_terms(word)
    ]


@cache
def _said_usually(language: str) -> frozenset[str]:
    """Return what questions are made of, and the words that books say otherwise."""
    return function_words(language).union(*load_lexicon(language).reworded)


def list_doubtful(
    missing: Sequence[str], is_word: Callable[[str], bool], infinitives: Collection[str]
) -> list[str]:
    """Return the words that are none of the language, nor a form of a verb that is."""
    return [
        word
        for word in missing
        if not is_word(word)
        and not any(
            is_word(f"{word[:-cut]}{ending}") for cut in _VERB_ENDING for ending in infinitives
        )
    ]


def list_plain(missing: Sequence[str], rules: Spelling) -> list[str]:
    """Return the words that may have been typed without the accents that the language writes."""
    writes_accents = not all(map(str.isascii, rules.sounds))
    return [word for word in missing if writes_accents and word.isascii()]


def accent_words(plain: Sequence[str], vocabulary: Vocabulary) -> tuple[Correction, ...]:
    """Return the words of the book that are these with accents, be these words or not: "tenia"."""
    accented = ((word, vocabulary.accented(word)) for word in plain)
    return tuple(Correction(word, other) for word, other in accented if other)


def correct_asking(doubtful: Sequence[str], question: QuestionAnalysis) -> tuple[Correction, ...]:
    """Return the first word where a slip makes it of one that asks: "waht" is no "want" of the book."""
    language = question.language or FALLBACK
    asks = {one for one in load_lexicon(language).framing.asks if len(one) >= _LEAST_OF_NAMES}
    first = next(iter(words(question.question)), "")
    near = asks.intersection(_one_typo_away(first, "".join({*"".join(asks)})))
    is_slip = first in doubtful and len(near) == 1
    return (Correction(first, near.pop()),) if is_slip else ()


def correct_words(
    doubtful: Sequence[str], vocabulary: Vocabulary, typos: TypoModel
) -> tuple[Correction, ...]:
    """Return what to search for in the place of each word that the book has near another form."""
    unknown = [
        word
        for word in doubtful
        if len(word) >= LEAST_LETTERS
        and word not in typos.rules.terms
        and not vocabulary.terms >= set(content_terms(word))
    ]
    nearest = ((word, vocabulary.nearest(word, typos)) for word in unknown)
    return tuple(Correction(word, other) for word, other in nearest if other)


def list_unknown(
    doubtful: Sequence[str],
    question: str,
    vocabulary: Vocabulary,
    typos: TypoModel,
    is_word: Callable[[str], bool],
) -> tuple[str, ...]:
    """Return those of `doubtful` that are surely names of what the book does not speak of.

    None is short for a word of the book, made of two of its words or, but for terms that are known, a
    typo for a word of either. Of 1,365 questions that their books answer none has such a word, of
    1,120 that other books answer 83.
    """
    if len(doubtful) >= _MOST_UNKNOWN * len(words(question)):
        return ()
    return tuple(
        word
        for word in doubtful
        if not vocabulary.terms >= set(content_terms(word))
        and not vocabulary.has_longer(word)
        and not vocabulary.has_parts(word)
        and (word in typos.rules.terms or not _may_be_typo(word, vocabulary, typos, is_word))
    )


def _may_be_typo(
    word: str, vocabulary: Vocabulary, typos: TypoModel, is_word: Callable[[str], bool]
) -> bool:
    """Whether it is near a word of the book or a typo from one of the language, as short ones are."""
    if len(word) < LEAST_LETTERS or vocabulary.has_near(word):
        return True
    return any(map(is_word, _one_typo_away(word, "".join(typos.rules.keys) or ascii_lowercase)))


def _one_typo_away(word: str, letters: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        yield from (head + letter + tail[skipped:] for letter in letters for skipped in (0, 1))


def respell(question: str, corrections: Sequence[Correction]) -> str:
    """Return the question with each word corrected, its first letter as large as it was."""
    searched = {item.asked: item.searched for item in corrections}

    def correct(found: re.Match[str]) -> str:
        written = found[0]
        word = searched.get(written.lower())
        return written if word is None else with_capitals(written, word)

    return _WORD.sub(correct, question)
