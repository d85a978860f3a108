"""Correct words of a question that neither the book nor its language has to words of the book.

A word that the language has is left as it is, though the book does not have it: what is asked for may
be what the book does not say.
"""

import re
from collections.abc import Callable, Collection, Sequence

from libs.question.analyse import QuestionAnalysis
from libs.question.entities import without_code
from libs.text import content_terms, words
from services.retrieval.model import Correction
from services.retrieval.slips import Slips
from services.retrieval.vocabulary import LEAST_LETTERS, Vocabulary

_WORD = re.compile(r"[^\W\d_]+")


def list_doubtful(
    question: QuestionAnalysis, found: Collection[str], is_word: Callable[[str], bool]
) -> list[str]:
    """Return the words whose terms are not among those `found` in the book, and which are no words.

    Code, identifiers and acronyms are spelled by other rules and left alone.
    """
    own = {word for name in (*question.names, *question.literals) for word in words(name)}
    return [
        word
        for word in dict.fromkeys(words(without_code(question.question)))
        if len(word) >= LEAST_LETTERS
        and word.isalpha()
        and word not in own
        and not any(term in found for term in content_terms(word))
        and content_terms(word)
        and not is_word(word)
    ]


def correct_words(
    doubtful: Sequence[str], vocabulary: Vocabulary, slips: Slips
) -> tuple[Correction, ...]:
    """Return what to search for in the place of each word that the book has near another form."""
    unknown = [word for word in doubtful if not vocabulary.terms >= set(content_terms(word))]
    nearest = ((word, vocabulary.nearest(word, slips)) for word in unknown)
    return tuple(Correction(word, other) for word, other in nearest if other)


def respell(question: str, corrections: Sequence[Correction]) -> str:
    """Return the question with each word corrected, its first letter as large as it was."""
    searched = {item.asked: item.searched for item in corrections}

    def correct(found: re.Match[str]) -> str:
        written = found[0]
        word = searched.get(written.lower(), written)
        return word[0].upper() + word[1:] if written[0].isupper() else word

    return _WORD.sub(correct, question)
