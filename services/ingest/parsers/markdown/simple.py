"""Read the inside of a paragraph whose marks can be read one way only, without the full grammar.

Most paragraphs hold nothing but words, spans of code, and links or emphasis that lie flat in them.
They need none of the library's rules, each of which makes tokens that nobody looks at.
"""

import re

MARKS = r"$\\`~*_\[!<&{"
"""What may mean more than itself inside a paragraph, for a class of characters."""

_AROUND = r" \n(\"'“”‘’—–:,.;/)\]}>|?!…-"
"""What emphasis may begin behind and end before: there its marks are read one way only."""
# A sign that does not begin what it could: "!" without a picture, "_" inside a word. A line's end is
# the space that it is read as, unless two spaces before it make it a break.
_SIGN = r"(?<! )\n(?=[ \t]*+\S)|!(?!\[)|~(?!~)|&(?![#\w])|(?<=[^\W_])_++(?=[^\W_])"
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
_MARKUP = re.compile(rf"`([^`]++)`|\[({_LABEL})\]\({_ADDRESS}\)|\*\**+|__*+")
_IN_WORD = re.compile(r"(?<=[^\W_])_++(?=[^\W_])")


def read_simple(content: str) -> str | None:
    """Return what is seen of the inside of a block, line ends kept; None where marks are not simple."""
    found = _SIMPLE.fullmatch(content)
    return None if found is None else _MARKUP.sub(_seen, content)


def _seen(mark: "re.Match[str]") -> str:
    code, label = mark.groups()
    if code or label:
        return code or _MARKUP.sub(_seen, label)
    in_word = _IN_WORD.match(mark.string, mark.start())
    return in_word[0] if in_word else ""
