"""Whether a sentence is one of the book's with something changed, left out or put elsewhere.

What is copied must be copied: the word that differs is the one that matters, words alone can't tell
what it does to the meaning, and a reader loses nothing by the book's own sentence.
"""

from collections import Counter
from collections.abc import Sequence

from libs.text import STOP_WORDS, sentence_ranges
from services.generation.checks.clauses import Word, read_words
from services.generation.checks.normal_forms import rules_of

_COPIED = 0.85
"""Share of the words of two sentences that both have, in any order, from which one is a copy: of 162
true sentences that a capable model wrote freely, nine."""

_ADDED = 1
"""Words of little meaning that a sentence may add to those of the book's and still is a part of it."""

_RESOLVED = 6
"""Words from the beginning within which a pronoun of the book may be replaced by what it means."""


def is_altered_copy(sentence: str, near: Sequence[str], language: str = "") -> bool:
    """Whether `sentence` is one of `near` but for a little, or says less than one, in its words.

    It may say what a pronoun means that the book's sentence begins with.
    """
    own = read_words(sentence, language)
    return bool(own) and any(
        _is_altered(own, source, language)
        for text in near
        for line in text.split("\n")
        for start, end in sentence_ranges(line)
        if (source := read_words(line[start:end], language))
    )


def _is_altered(own: Sequence[Word], source: Sequence[Word], language: str) -> bool:
    rules = rules_of(language)
    light = STOP_WORDS | rules.support.light
    said, given = ([word.normal_form for word in words] for words in (own, source))
    added = [place for place, form in enumerate(said) if form not in given]
    if len(added) <= _ADDED and all(own[place].spelled in light for place in added):
        return True
    shared = sum((Counter(said) & Counter(given)).values())
    if 2 * shared < _COPIED * (len(said) + len(given)):
        return False
    lost = [word.spelled for word in source if word.normal_form not in said]
    resolves = bool(lost) and rules.clauses.pronouns.issuperset(lost) and added[-1] < _RESOLVED
    return not resolves
