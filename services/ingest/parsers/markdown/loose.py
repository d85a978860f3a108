r"""Marks that editors such as GitBook's write where CommonMark reads none: "**Note **:" and a last "\".

Bold by two marks may have a space inside of them, and the mark of a line's end may stand at that of a
paragraph. Both show nothing to the reader of the site, and would to the reader of the book.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

_STAR = ord("*")
_BOLD = 2
_EMPTY = 4
_NO_PARAGRAPHS = ("heading_open", "th_open", "td_open", "dt_open")
_NOTHING = Token("nothing", "", 0)
_LAST_BREAK = re.compile(r"(?<!\\)((?:\\\\)*)\\\Z")
_BREAK = re.compile(r"(?<!\\)(?:\\\\)*\\\n")
_PATH = re.compile(r"(?:[A-Za-z]:|\\[^\s\\]+)\\\Z")


def loose_plugin(md: MarkdownIt) -> None:
    md.inline.ruler2.after("emphasis", "loose", _embolden)
    md.core.ruler.before("inline", "last_break", _drop_last_breaks)


def _drop_last_breaks(state: StateCore) -> None:
    """Take the backslash off the end of paragraphs: of all where the file ends lines by it.

    Elsewhere it may be what is spoken of, in a list of signs or behind a space: "It begins with \\".
    """
    inside = [
        (before, token)
        for before, token in pairwise((_NOTHING, *state.tokens))
        if token.type == "inline" and before.type not in _NO_PARAGRAPHS
    ]
    ended = [(before, token) for before, token in inside if token.content.endswith("\\")]
    breaks = bool(ended) and any(_BREAK.search(token.content) for _, token in inside)
    for before, token in ended:
        # In a paragraph of the library a token stands a level below it; the quick one opens none.
        is_outermost = token.level == (before.type == "paragraph_open")
        is_empty = token.content == "\\" and is_outermost
        is_sure = breaks or token.content[-2:-1].strip() or is_empty
        if is_sure and _PATH.search(token.content) is None:
            token.content = _LAST_BREAK.sub(r"\1", token.content).rstrip(" ")


def _embolden(state: StateInline) -> None:
    inner = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for delimiters in (state.delimiters, *inner):
        left = list(_left(delimiters))
        if len(left) % 2 == 0:
            for first, last in zip(left[::2], left[1::2], strict=True):
                _pair(state, delimiters, first, last)
        _drop_empty(state, delimiters)


def _left(delimiters: Sequence[Delimiter]) -> Iterator[int]:
    """Yield where two stars stand that the library did not pair; none where one alone is left too."""
    ends = {one.end for one in delimiters if one.end != -1}
    left = [
        at
        for at, one in enumerate(delimiters)
        if one.marker == _STAR and one.end == -1 and at not in ends
    ]
    if all(delimiters[at].length in (_BOLD, _EMPTY) for at in left):
        twos = [at for at in left if delimiters[at].length == _BOLD]
        yield from twos[::2]


def _pair(state: StateInline, delimiters: Sequence[Delimiter], first: int, last: int) -> None:
    opening, closing = delimiters[first].token, delimiters[last].token
    if not _is_bold(state, delimiters[first], delimiters[last]) or _crosses(
        delimiters, first, last
    ):
        return
    state.tokens[opening].nesting, state.tokens[closing].nesting = 1, -1
    for at, kind in ((opening, "strong_open"), (closing, "strong_close")):
        token = state.tokens[at]
        token.type, token.tag = kind, "strong"
        token.markup, token.content = "**", ""
        state.tokens[at + 1].content = ""


def _is_bold(state: StateInline, first: Delimiter, last: Delimiter) -> bool:
    """Whether it is no power and no name of a program that two pairs of stars stand in."""
    inside = "".join(one.content for one in state.tokens[first.token + 2 : last.token])
    before, behind = _character(state, last.token - 1, -1), _character(state, last.token + 2, 0)
    if not inside.strip():
        return True
    if behind.isdigit() and inside[0].isdigit():
        return False
    opens = (first.open and not inside[0].isspace()) or first.token == 0
    return (opens and before.isspace()) or (last.close and inside[0].isspace())


def _character(state: StateInline, at: int, which: int) -> str:
    """Return the first or last character of a token, a space for the end of a line or paragraph."""
    if at >= len(state.tokens):
        return " "
    token = state.tokens[at]
    return token.content[which] if token.content else " " if "break" in token.type else "-"


def _crosses(delimiters: Sequence[Delimiter], first: int, last: int) -> bool:
    """Whether something begins inside of the two and ends outside, or the other way round."""
    return any(
        one.end != -1 and (first < at < last) != (first < one.end < last)
        for at, one in enumerate(delimiters)
    )


def _drop_empty(state: StateInline, delimiters: Sequence[Delimiter]) -> None:
    """Take away four stars that begin a line of several: bold with nothing in it."""
    ends = {one.end for one in delimiters}
    for at, one in enumerate(delimiters):
        run = range(at, at + _EMPTY)
        is_four = one.marker == _STAR and one.length == _EMPTY and at + _EMPTY <= len(delimiters)
        is_left = is_four and all(delimiters[i].end == -1 and i not in ends for i in run)
        if is_left and _stands_first(state, one.token):
            for token in state.tokens[one.token : one.token + _EMPTY]:
                token.content = ""


def _stands_first(state: StateInline, at: int) -> bool:
    """Whether a line begins with this token, and something else stands in the paragraph."""
    begins = at == 0 or "break" in state.tokens[at - 1].type
    return begins and len(state.tokens) > at + _EMPTY
