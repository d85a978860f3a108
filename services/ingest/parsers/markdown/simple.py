"""Read the inside of a paragraph whose marks can be read one way only, without the full grammar.

Most paragraphs hold nothing but words, spans of code, and links or emphasis that lie flat in them.
They need none of the library's rules, each of which makes tokens that nobody looks at.
"""

import re
from html import unescape

from markdown_it.common.normalize_url import normalizeLink

from services.ingest.model.book import Markup, MarkupKind
from services.ingest.parsers.markup import TextWithMarkup

MARKUP = "markup"
"""Under which a token that was read whole has the markup of its text."""

MARKS = r"$\\`~*_\[!<&{%@"
"""What may mean more than itself inside a paragraph, for a class of characters."""

_AROUND = r" \n(\"'“”‘’—–:,.;/)\]}>|?!…-"
"""What emphasis may begin behind and end before: there its marks are read one way only."""
# A sign that does not begin what it could: "!" without a picture, "_" inside a word. A line's end is
# the space that it is read as, unless two spaces before it make it a break.
_SIGN = (
    r"(?<! )\n(?=[ \t]*+\S)|!(?!\[)|~(?!~)(?=[^~]*+\Z)|&(?![#\w])|%(?!%)|@(?!\w{2,3}-)"
    r"|(?<=[^\W_])_++(?=[^\W_])"
)
_TEXT = rf"[^\n{MARKS}]++|{_SIGN}|\$(?=[^$]*+\Z)|\[ \](?![(\[])"
_CODE = r"`[^`\t\r\f\v]++(?<![ \n])`(?!`)"
_LABEL = rf"(?:[^\]\n{MARKS}]++|{_SIGN}|{_CODE})++"
_ADDRESS = r"(?:https?://[^\s\x00-\x20\x7f()<>\\`]*+|[^\s\x00-\x20\x7f()<>\\`:&]*+)"
_LINK = rf"\[{_LABEL}\]\({_ADDRESS}\)"


def _emphasis(run: str) -> str:
    inside = rf"(?:{_TEXT}|{_CODE}|{_LINK})++"
    return rf"(?:\A|(?<=[{_AROUND}])){run}(?=\S){inside}(?<=\S){run}(?=[{_AROUND}]|\Z)"


_EMPHASIS = "|".join(map(_emphasis, (r"\*\*(?!\*)", r"\*(?!\*)", "__(?!_)", "_(?!_)")))
_SIMPLE = re.compile(rf"(?:{_TEXT}|{_CODE}|{_LINK}|{_EMPHASIS})*+")
# Each begins with one character and no condition: so the search for them runs over all others.
_MARKUP = re.compile(rf"`([^`]++)`|\[({_LABEL})\]\(({_ADDRESS})\)|\*\**+|__*+")
_PLAIN_ADDRESS = re.compile(r"[A-Za-z0-9;/?:@&=+$,\-_.!~*'()#]*")
_IN_WORD = re.compile(r"(?<=[^\W_])_++(?=[^\W_])")


def read_simple(content: str) -> TextWithMarkup | None:
    """Return what is seen of the inside of a block, line ends kept; None where marks are not simple."""
    if _SIMPLE.fullmatch(content) is None:
        return None
    found: list[Markup] = []
    return _read(content, 0, found), found


def _written(address: str) -> str:
    """Return an address as the library writes it."""
    address = unescape(address) if "&" in address else address
    return address if _PLAIN_ADDRESS.fullmatch(address) else normalizeLink(address)


def _read(content: str, length: int, found: list[Markup]) -> str:
    """Return what is seen of `content`, `length` characters into the text; add to what was found."""
    parts: list[str] = []
    last = 0
    begun: tuple[int, int] | None = None
    for mark in _MARKUP.finditer(content):
        start = mark.start()
        parts.append(content[last:start])
        length += start - last
        last = mark.end()
        code, label, address = mark.groups()
        if code:
            seen = code
            found.append(Markup(MarkupKind.CODE, length, length + len(seen)))
        elif label:
            index = len(found)
            seen = _read(label, length, found)
            found.insert(
                index, Markup(MarkupKind.LINK, length, length + len(seen), _written(address))
            )
        elif _IN_WORD.match(content, start):
            seen = mark[0]
        else:
            seen = ""
            if begun is None:
                begun = length, len(found)
            else:
                kind = MarkupKind.EMPHASIS if last - start == 1 else MarkupKind.STRONG
                found.insert(begun[1], Markup(kind, begun[0], length))
                begun = None
        parts.append(seen)
        length += len(seen)
    if not parts:
        return content
    parts.append(content[last:])
    return "".join(parts)
