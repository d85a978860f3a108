"""Tell in which language a question is asked: by its script, else by the function words in it.

A question is too short for what detects the language of a text.
"""

import re
from functools import cache
from importlib import resources

from libs.language.detect import detect_script
from libs.language.entries import Words
from libs.language.lexicon import FALLBACK, load_lexicon

_WORD = re.compile(r"[^\s.,;:!?()\[\]\"'’“”„«»¿¡؟،।]+")
"""Vowel signs of some scripts are no word characters to a pattern."""

_LEAST_WORDS = 2
"""Function words of a language that a question must have to be of it, where it has Latin letters."""


def language_asked_in(question: str, language: str = FALLBACK) -> str:
    """Return the ISO 639-1 code of a question's language, or the book's where it does not tell.

    Only languages that there are resources of are told.
    """
    book = language or FALLBACK
    script = detect_script(question)
    if script:
        return script if script in _known() else book
    asked = _WORD.findall(question.lower())
    held = {code: sum(word in stop for word in asked) for code, stop in _known().items()}
    best = max(held, key=lambda code: (held[code], code == book))
    least = _LEAST_WORDS if any(word.isascii() for word in asked) else 1
    return best if held[best] >= least and held[best] > held.get(book, 0) else book


@cache
def _known() -> dict[str, Words]:
    files = resources.files("libs.language").iterdir()
    codes = sorted(file.name[:-5] for file in files if file.name.endswith(".toml"))
    return {code: load_lexicon(code).stop_words for code in codes}
