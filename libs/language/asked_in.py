"""Tell in which language a question is asked: by its script, else by the function words in it.

A question is too short for what detects the language of a text.
"""

import re
from functools import cache
from importlib import resources

from libs.language.detect import detect_script
from libs.language.entries import Words
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.language.scripts import foreign_script, name_language, scripts_of

_WORD = re.compile(r"[^\s.,;:!?()\[\]\"'’“”„«»¿¡؟،।]+")
"""Vowel signs of some scripts are no word characters to a pattern."""

_LEAST_WORDS = 2
"""Function words of a language that a question must have to be of it, where it has Latin letters."""


def language_asked_in(question: str, language: str = FALLBACK) -> str:
    """Return the ISO 639-1 code of a question's language, or the book's where it does not tell.

    A question without a letter of the book's script is not in the book's language, however short.
    """
    book = language or FALLBACK
    foreign = foreign_script(question, book)
    script = detect_script(question)
    if script:
        return script if foreign or script in known_languages() else book
    codes = [code for code in known_languages() if not foreign or foreign in scripts_of(code)]
    asked = _WORD.findall(question.lower())
    held = {code: sum(word in known_languages()[code] for word in asked) for code in codes}
    likely = FALLBACK if foreign else book
    best = max(held, key=lambda code: (held[code], code == likely), default="")
    if foreign:
        return best or name_language(foreign) or book
    least = _LEAST_WORDS if any(word.isascii() for word in asked) else 1
    if held[best] >= least and held[best] > held.get(book, 0):
        return best
    is_short = not held.get(book, 0) and len(asked) > 1 and question.rstrip().endswith("?")
    return (is_short and _opened_by(asked[0])) or book


def _opened_by(word: str) -> str:
    """Return the one language that a question may begin so in: "What treats mites?"; else ""."""
    owners = [code for code, words in known_languages().items() if word in words]
    return owners[0] if len(owners) == 1 else ""


@cache
def known_languages() -> dict[str, Words]:
    """Return the function words of each language that there are resources of."""
    files = resources.files("libs.language").iterdir()
    codes = sorted(file.name[:-5] for file in files if file.name.endswith(".toml"))
    return {code: load_lexicon(code).stop_words for code in codes}
