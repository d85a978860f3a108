"""List the names and years in a question.

Only what is surely a name counts, outside of code: an identifier (letters with digits, inner capitals,
underscores) or an acronym. Readers put other words for the book's, but seldom other names.
"""

import re
from collections.abc import Collection, Iterable

from libs.language.lexicon import Lexicon
from libs.question.said import is_one_of
from libs.text import without_accents

_TOKEN = re.compile(r"[A-Za-z][\w+-]*\w|(?<![\w-])\d{2,}-\d{2,}[A-Z]{1,3}(?![\w-])")
"""A word, or the number of a part: "940-0024C"."""
_NAME = re.compile(r"(?=.*[A-Za-z]).*\d|.*[a-z][A-Z]|.*\w_\w|.*[a-z]-[A-Z]|[A-Z]{3,}$")
_LISTING = re.compile(r"```[\s\S]*?(?:```|\Z)|^.*[{};][ \t]*$", re.MULTILINE)
"""A reader's own program has names of its own, which no book knows, wherever the question says them."""

_CODE = re.compile(r"`[^`]*`|(?<!\w)\w*\([^)\n]*\)")

_NO_NAME = re.compile(r"v?\d+$|[a-z]$|(?-i:[a-z])\d$", re.IGNORECASE)
"""A version, a letter, and what a formula or a program calls "x1": "P7" is the name of a row."""
_ENDING = re.compile(r"(?:['’]s|(?<=[A-Z0-9])s)$")
_WORD = re.compile(r"[^\W_]+")
_LEAST_BEGINNING = 3
_LONGEST_ENDING = 2
"""Letters of a name that a form of it may have otherwise."""

_LOUD = 0.5
"""Share of capitals among a question's letters from which it is shouted, and capitals say nothing."""


def list_names(question: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return what is surely a name in `question`; nothing when the question is shouted."""
    own = {name for code in _LISTING.findall(question) for name in _TOKEN.findall(code)}
    question = without_code(question)
    letters = [character for character in question if character.isalpha()]
    if sum(map(str.isupper, letters)) > _LOUD * len(letters):
        return ()
    tokens = (_ENDING.sub("", found) for found in _TOKEN.findall(question))
    return tuple(
        token
        for token in tokens
        if _NAME.match(token)
        and not _NO_NAME.match(token)
        and token.lower() not in lexicon.stop_words
        and token not in own
    )


def holds_listing(question: str) -> bool:
    """Whether a reader's own program stands in `question`."""
    return _LISTING.search(question) is not None


def list_years(question: str, lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(lexicon.names.year.findall(without_code(question)))


def list_versions(question: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the versions of named things in `question`: "3.12" of "Python 3.12"."""
    return tuple(lexicon.names.version.findall(without_code(question)))


def list_numbered(question: str, lexicon: Lexicon) -> tuple[tuple[str, str], ...]:
    """Return what is named by its number in `question`, each with that: "RFC 9110", "9110"."""
    found = lexicon.names.numbered.finditer(without_code(question))
    return tuple((one[0], one[1]) for one in found)


def list_versioned(question: str, lexicon: Lexicon) -> tuple[tuple[str, str], ...]:
    """Return each name in `question` with the number behind it: "Debian" and "12"."""
    return tuple(lexicon.names.versioned.findall(without_code(question)))


def list_capitalised(question: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the words in `question` that are names by their capitals; none where most have one."""
    question = without_code(question)
    found = lexicon.names.capital.findall(question)
    return tuple(found) if len(found) <= _LOUD * len(question.split()) else ()


def names_missing(names: Iterable[str], texts: Iterable[str], lexicon: Lexicon) -> list[str]:
    """Return the names that no text has in any form, with accents or without."""
    sought = list(names)
    said = {word for text in texts for word in _plain_words(text)} if sought else set()
    return [name for name in sought if not _is_said(_plain_words(name)[0], said, lexicon)]


def _is_said(name: str, said: Collection[str], lexicon: Lexicon) -> bool:
    first = name[: max(_LEAST_BEGINNING, len(name) - _LONGEST_ENDING)]
    # They are all words of several passages: most names are found by their beginning.
    return any(word.startswith(first) for word in said) or any(
        is_one_of(word, (name,), lexicon) for word in said
    )


def _plain_words(text: str) -> list[str]:
    """Return the words of a text in small letters without accents."""
    return _WORD.findall(without_accents(text.lower()))


def without_code(question: str) -> str:
    """Return the question with a space in the place of each listing and each piece of code."""
    return _CODE.sub(" ", _LISTING.sub(" ", question))
