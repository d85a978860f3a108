"""Whether a sentence carries anything that is not words of the book: links, tags, hidden characters."""

import re
import unicodedata
from collections.abc import Sequence

from libs.text import collapse_space

_SIGNS = ("So", "Mn", "Me")
"""Categories of characters that are no mere typography: pictures, what strikes letters out."""

_CODE = re.compile(r"`([^`\n]+)`|(?<![\w-])(--?[A-Za-z][\w-]*)|([\w.+-]+@[\w-]+\.[\w.-]*\w)")
"""What is typed as it stands: code, options of a command, addresses."""

_HIDDEN = ("Cc", "Cf", "Co", "Cs", "Cn")
_MADE_OUTSIDE = re.compile(
    r"""(?:[a-z][a-z0-9+.-]{1,20}:)?//\S+ | \bwww\.\S+ | \b(?:data|javascript|vbscript|mailto|file):\S+
    | \b[\w-]+(?:\.[\w-]+)+/\S* | </?[a-z!][^>]*>? | &\#?\w+; | !?\[[^\]]*\]\s?[(\[:] | ^\[[^\]]+\]:""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def carries_only(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether every link, tag, control and bidi character of the sentence is the book's own."""
    if any(sentence in quote for quote in quotes):
        return True
    for character in sentence:
        hidden = character not in "\n\t" and unicodedata.category(character) in _HIDDEN
        foreign = hidden or character == "\N{REPLACEMENT CHARACTER}"
        if foreign and not any(character in quote for quote in quotes):
            return False
    cited = [collapse_space(quote) for quote in quotes]
    return all(
        any(collapse_space(found.group()) in quote for quote in cited)
        for found in _MADE_OUTSIDE.finditer(sentence)
    )


def has_other_characters(sentence: str, evidence: Sequence[str]) -> bool:
    """Whether the sentence has code, an option, an address or a sign that the book does not have so."""
    given = collapse_space("\n".join(evidence))
    for character in set(unicodedata.normalize("NFC", sentence)):
        if unicodedata.category(character) in _SIGNS and character not in given:
            return True
    typed = (found[found.lastindex or 0] for found in _CODE.finditer(sentence))
    return any(
        not re.search(rf"(?<![\w-]){re.escape(collapse_space(code))}(?![\w-])", given)
        for code in typed
    )
