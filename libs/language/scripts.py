"""Tell the script of a question's letters, and whether a language is written in it."""

import unicodedata
from collections import Counter
from functools import lru_cache

LATIN = "LATIN"
_LATIN_ALONE = frozenset((LATIN,))

_LANGUAGES: dict[str, str] = {
    "CYRILLIC": "ru be bg kk ky mk mn sr uk",
    "ARABIC": "ar fa ps ug ur",
    "DEVANAGARI": "hi mr ne",
    "BENGALI": "bn as",
    "GURMUKHI": "pa",
    "GUJARATI": "gu",
    "ORIYA": "or",
    "TAMIL": "ta",
    "TELUGU": "te",
    "KANNADA": "kn",
    "MALAYALAM": "ml",
    "SINHALA": "si",
    "TIBETAN": "dz bo",
    "ETHIOPIC": "am ti",
    "GREEK": "el",
    "HEBREW": "he yi",
    "ARMENIAN": "hy",
    "GEORGIAN": "ka",
    "THAI": "th",
    "LAO": "lo",
    "KHMER": "km",
    "MYANMAR": "my",
    "HANGUL": "ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh ja ko",
    LATIN: "sr",
}
"""The languages of each script by their ISO 639-1 codes, the first where nothing else tells; all that
are not here are written in Latin letters."""

_SCRIPTS: dict[str, set[str]] = {}
for _script, _codes in _LANGUAGES.items():
    for _code in _codes.split():
        _SCRIPTS.setdefault(_code, set()).add(_script)


def scripts_of(language: str) -> frozenset[str]:
    """Return the scripts that a language is written in, as Unicode names their letters."""
    return frozenset(_SCRIPTS.get(language, {LATIN}))


def name_language(script: str) -> str:
    """Return a language that is written in this script; "" for Latin and what is not known."""
    return "" if script == LATIN else _LANGUAGES.get(script, "").partition(" ")[0]


def scripts_in(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters, as Unicode names them."""
    if text.isascii():
        return _LATIN_ALONE if any(map(str.isalpha, text)) else frozenset()
    return frozenset(_count_scripts(text))


def main_script(text: str) -> str:
    """Return the script of most of a text's letters; "" for a text without any."""
    if text.isascii():
        return LATIN if any(map(str.isalpha, text)) else ""
    return next((script for script, _ in _count_scripts(text).most_common(1)), "")


def foreign_script(text: str, language: str) -> str:
    """Return the script of most letters where no letter is of the language's own; else ""."""
    found = _count_scripts(text)
    if not found or found.keys() & scripts_of(language):
        return ""
    return found.most_common(1)[0][0]


def _count_scripts(text: str) -> Counter[str]:
    if text.isascii():
        letters = sum(map(str.isalpha, text))
        return Counter({LATIN: letters} if letters else {})
    composed = unicodedata.normalize("NFKC", text)
    return Counter(_script_of(one) for one in composed if one.isalpha())


@lru_cache(maxsize=4096)
def _script_of(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
