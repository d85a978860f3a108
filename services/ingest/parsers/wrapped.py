"""Join two lines of a wrapped paragraph as if there had been no line break."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from libs.language.entries import alternatives
from libs.language.layout import load_layout

_OPEN_BRACKET = re.compile(r"[(\[<](?:https?|ftp):[^\s)\]>]*$")
_ADDRESS = re.compile(r"(?:https?|ftp):(?:/?|//\S*)$")
"""What a line ends with that is broken inside an address; in brackets it may end anywhere."""
_CUT = re.compile(r"[/:#?&=%_~-]$")
_GOES_ON = re.compile(r"[\w.%~-]*[/#?&=_.]\w")
_COMPOUND = re.compile(r"[^\W_]-$")
_LONGEST_WORD = 2000
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
)
"""Letters and signs of Thai, Lao, Burmese, Khmer, Japanese and Chinese: no space parts their words."""
_ENDS_UNSPACED = re.compile(rf"[{_UNSPACED}]\Z")
_BEGINS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_UNSPACED_BREAK = re.compile(rf"(?<=[{_UNSPACED}])[^\S\n]*\n\s*(?=[{_UNSPACED}])")
_SUSPENDED = re.compile(rf"(?:{alternatives(load_layout().suspended)})\b")


def is_in_address(above: str, below: str) -> bool:
    """Whether the line break between two lines stands inside a web address."""
    if _OPEN_BRACKET.search(above):
        return True
    if not _ADDRESS.search(above) or not below:
        return False
    if above.endswith((":", "://")) or (above.endswith(":/") and below.startswith("/")):
        return True
    if _CUT.search(above):
        return bool(_GOES_ON.match(below) or above[-1] in "-#?&=%_~")
    return bool(re.match(r"[/#?&]\w", below))


def is_unspaced(above: str, below: str) -> bool:
    """Whether two lines end and begin in a script without spaces, so that none stood at the break."""
    return bool(_ENDS_UNSPACED.search(above[-1:]) and _BEGINS_UNSPACED.match(below))


def first_word(line: str) -> str:
    """Return what could stand in the line above: a word, or a letter of a script without spaces."""
    return line[:1] if _BEGINS_UNSPACED.match(line) else line.split(" ", 1)[0]


def columns_of(line: str) -> int:
    """Return how many columns a line takes where letters of Chinese, Japanese and Korean take two."""
    if line.isascii():
        return len(line)
    return len(line) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in line)


def without_unspaced_breaks(text: str) -> str:
    """Take out the line breaks at which a script without spaces is wrapped."""
    return text if text.isascii() else _UNSPACED_BREAK.sub("", text)


def is_suspended(below: str) -> bool:
    """Whether a line goes on as behind a hyphen that stands for the rest of a word: "pre- and"."""
    return _SUSPENDED.match(below) is not None


def join_lines(above: str, below: str) -> str:
    """Join two lines by a space, or by nothing where the break is inside an address or a word.

    Scripts that part no words by spaces have none at a break either.
    """
    compound = _COMPOUND.search(above) and below[:1].islower() and not is_suspended(below)
    if compound or is_unspaced(above, below) or is_in_address(above, below):
        return above + below
    return f"{above} {below}"


def join_unless_unspaced(above: str, below: str) -> str:
    """Join two lines by a space, or by nothing where a script without spaces is wrapped."""
    return above + below if is_unspaced(above, below) else f"{above} {below}"


def join_addresses(above: str, below: str) -> str:
    """Leave two lines as they are, unless the break is inside an address."""
    return above + below if is_in_address(above, below) else f"{above}\n{below}"


def join_all(lines: Sequence[str], join: Callable[[str, str], str]) -> str:
    """Join lines one after the other, in time that grows as they do: only a last word is looked at."""
    parts = [lines[0]]
    word = _last_word(lines[0])
    for line in lines[1:]:
        joined = join(word, line)
        if not joined.startswith(word):  # its hyphen was but one of the line break
            parts[-1], word = parts[-1][:-1], word[:-1]
        parts.append(joined[len(word) :])
        word = _last_word(joined)
    return "".join(parts)


def _last_word(text: str) -> str:
    near = text[-_LONGEST_WORD:]
    return "" if not near or near[-1].isspace() else near.split()[-1]
