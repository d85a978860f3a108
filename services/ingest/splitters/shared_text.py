"""Tell what every format of a book shows of a text from what only some of them do."""

import re
from collections.abc import Iterable

from libs.language.entries import alternatives
from libs.language.layout import load_layout

_LAYOUT = load_layout()
_NUMBERING = re.compile(
    r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?(?=\s)"
    r"|[A-Z](?:\.\d{1,3})*\.(?=\s)|[A-Z](?:\.\d{1,3})+(?=\s)"
    rf"|(?:{alternatives(_LAYOUT.part)}|{alternatives(_LAYOUT.chapter)})"
    rf" (?:\d{{1,4}}[.:]?|(?:{alternatives(_LAYOUT.numbers)})[.:]?"
    r"|(?:[IVXLC]{1,8}|(?-i:[A-Z]))[.:])(?=\s))\s+(?=\S)",
    re.IGNORECASE,
)
"""What some formats of a book show before a title and others do not."""

_QUOTES = re.compile('["“”„‟«»]')
_SAME = str.maketrans({**dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("–—", "-")})
_QUOTE_IN_WORD = re.compile(r"(?<=[^\W_])[\"“”](?=[^\W_])")
_JOINS = "\u00ad"
"""A soft hyphen, which embedding models leave out: the word goes on as it does without the mark."""
_DASHES = re.compile(r"(?<=[\s\w\"“])--(?=[\s\w])")
_STRESS = re.compile(
    r"(?<![\w*])\*{1,2}(?=[\"“‘']?\w)"
    r"|(?:(?<=[\w.,;:!?)])|(?<=[\w.,!?)][\"”’]))\*{1,2}(?![\w*])"
)
_ADDRESS = re.compile(r"[\[(<](?:https?|ftp)://[^\])>]*[\])>]")


def without_number(title: str) -> str:
    """Return a title without the number that stands before it."""
    found = _NUMBERING.match(title)
    return title[found.end() :] if found else title


def blank_numbers(text: str, titles: Iterable[tuple[int, int]], blank: str = " ") -> str:
    """Return the text with `blank`, a character, for the numbers of the titles in it, in order."""
    parts, done = list[str](), 0
    for start, end in titles:
        if found := _NUMBERING.match(text, start, end):
            parts += [text[done:start], blank * (found.end() - start)]
            done = found.end()
    return "".join((*parts, text[done:]))


def without_stress(text: str, blank: str = " ") -> str:
    """Return the text with `blank`, a character, for each star around what plain text stresses."""
    # What looks behind is tried at every character, and hardly a text has such a sign.
    return _STRESS.sub(lambda found: blank * len(found[0]), text) if "*" in text else text


def shared_text(text: str, blank: str = " ") -> str:
    """Return the text without what formats add or write differently, each letter in its place.

    `blank`, a character, stands where something was left out.
    """
    bare = _ADDRESS.sub(lambda found: blank * len(found[0]), text)
    bare = _DASHES.sub("-" + blank, bare) if "--" in bare else bare
    bare = without_stress(bare, blank)
    if blank.isspace():
        bare = _QUOTE_IN_WORD.sub(_JOINS, bare)
    return _QUOTES.sub(blank, bare).translate(_SAME)
