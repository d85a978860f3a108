"""Recognise greetings, thanks and other small talk, and messages of marks alone."""

import re

from libs.language.asked_in import known_languages
from libs.language.lexicon import SmallTalk, load_lexicon
from libs.text import words

_MOST_WORDS = 12

_MARKS_ALONE = re.compile(
    "[\\s?!.,;…¿¡‽⁇⁈⁉？！。｡、，；؟،؛।॥།\u200d\ufe0e\ufe0f❓❔❗❕\U0001f000-\U0001faff]+"
)
"""Marks that end or part sentences, of any script, and pictures; no operator of a language."""


def is_small_talk(text: str) -> bool:
    """Whether `text` is made of greetings, thanks and the like, and nothing to look up.

    Readers greet in their own language, whatever the book's. "?" and "…" ask nothing in any.
    """
    if _MARKS_ALONE.fullmatch(text) and text.strip():
        return True
    spoken = words(text.replace("’", "'"))
    if not spoken or len(spoken) > _MOST_WORDS:
        return False
    return any(_is_made_of(spoken, load_lexicon(code).small_talk) for code in known_languages())


def _is_made_of(spoken: list[str], rules: SmallTalk) -> bool:
    at, found = 0, False
    while at < len(spoken):
        length = _phrase_length(spoken, at, rules)
        found |= length > 0
        if not length and not (found and spoken[at] in rules.fillers):
            return False
        at += max(1, length)
    return found


def _phrase_length(spoken: list[str], at: int, rules: SmallTalk) -> int:
    """Return the length of the longest phrase that begins at word `at`, 0 for none."""
    for length in range(len(spoken) - at, 0, -1):
        if " ".join(spoken[at : at + length]) in rules.phrases:
            return length
    return 0
