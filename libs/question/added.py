"""Tell what a follow-up asks beside what was asked before, and whether a text speaks of it.

"What does he teach?" after "Who was the first chair?" is answered by nothing that only names the chair.
"""

from libs.language.lexicon import Lexicon
from libs.question.said import asked_words
from libs.question.synonyms import is_said
from libs.text import is_unspaced, words


def words_added(follow_up: str, whole: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of a follow-up that say what it asks; none of "Why him?" and "And then?".

    `whole` is the question as it was searched for: what its spelling gave way to is not compared.
    """
    own = asked_words(follow_up, lexicon) & asked_words(whole, lexicon)
    own -= lexicon.follow_ups.bare | lexicon.expected.light
    return frozenset() if any(map(is_unspaced, own)) else own


def speaks_of(added: frozenset[str], text: str, lexicon: Lexicon, language: str) -> bool:
    """Whether a text has one of the words, in another form or by another word for it."""
    said = frozenset(words(text))
    return any(is_said(one, said, lexicon, language) for one in added)
