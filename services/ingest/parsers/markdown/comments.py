"""Comments as Obsidian has them, `%% … %%`: no reader of such a book sees them.

Two percent signs mean themselves as well: in formats of printf, behind a number ("100 %%"), before the
names of a batch file. What may be either is text.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import getLine
from markdown_it.rules_inline import StateInline

WITHOUT = "without comments"
"""In the environment of a file whose format has no such comments: MDX, or one that was rewritten."""
_MARK = "%%"
_OPENING = re.compile(r"(?<![%\w])%%(?![%,.;:)])")
_CLOSING = re.compile(r"(?<!%)%%(?![%\w])")
_BEHIND_NUMBER = re.compile(r"\d[ \u00a0\u202f]?\Z")
_PLACEHOLDER = re.compile(r"(?<![%\w])%[-+#0]*\d*(?:\.\d+)?[A-Za-z]\b")
_NEAR = 200
"""Characters on both sides of a comment. A conversion of printf there ("%d") says that the text is
about such formats, and that "%%" is one."""


def comment_plugin(md: MarkdownIt) -> None:
    """Add the rules. Their tokens are of the type comment, with the text left out as meta."""
    interrupts = ["paragraph", "reference", "blockquote"]
    md.block.ruler.before("fence", "comment", _block, {"alt": interrupts})
    md.inline.ruler.before("emphasis", "comment", _inline)


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "%" or state.env.get(WITHOUT):
        return False
    end = _end_of(state.src, state.pos, state.posMax)
    if end < 0:
        return False
    if not silent:
        token = state.push("comment", "", 0)
        token.meta = {"text": state.src[state.pos + len(_MARK) : end - len(_MARK)]}
    state.pos = end
    return True


def _end_of(source: str, start: int, stop: int) -> int:
    """Return where the comment ends that begins at `start`; -1 where none does."""
    at = source.find(_MARK, start + len(_MARK), stop) if _OPENING.match(source, start) else -1
    if at < 0 or not _CLOSING.match(source, at, stop):
        return -1
    end, inside = at + len(_MARK), source[start + len(_MARK) : at]
    before = source[source.rfind("\n", 0, start) + 1 : start].strip(" \t>")
    after = source[end : (source + "\n").index("\n", end)].strip()
    last = inside.rpartition("\n")[2] if "\n" in inside else "."
    if not inside.strip() or _PLACEHOLDER.search(source[max(0, start - _NEAR) : end + _NEAR]):
        return -1
    if not before and not last.strip() and (after or inside.count("\n") == 1):
        return -1  # both stand before what a line says, as they do in the files of TeX
    is_tight = not (inside[0].isspace() or inside[-1].isspace())
    may_be_sign = not is_tight and _BEHIND_NUMBER.search(inside) and (before or after)
    is_sign = _BEHIND_NUMBER.search(before) and (after or _BEHIND_NUMBER.search(inside))
    return -1 if may_be_sign or is_sign else end


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take a comment of several lines, which may have empty ones."""
    if state.env.get(WITHOUT) or state.is_code_block(start):
        return False
    opening = getLine(state, start)
    if not opening.startswith(_MARK) or _MARK in opening[1:]:
        return False
    missing = state.env.setdefault("missing", set())
    if (_MARK, end) in missing:
        return False
    number = start + 1
    while number < end and not _may_close(opening, getLine(state, number)):
        number += 1
    if number == end:
        missing.add((_MARK, end))
        return False
    text = state.getLines(start, number + 1, state.blkIndent, False).lstrip()
    at = text.index(_MARK, len(_MARK))
    rest = text[at + len(_MARK) :]
    if opening.strip() != _MARK and _end_of(text, 0, len(text)) != len(text.rstrip()):
        return False
    if not silent:
        state.line = number + 1
        _push(state, text[len(_MARK) : at], start, number)
        if rest.strip():
            _push_rest(state, rest.strip(), number)
    return True


def _may_close(opening: str, line: str) -> bool:
    """Whether a line has the end of what a line begins: of one that is a mark alone, at an edge."""
    if opening.strip() != _MARK:
        return _MARK in line
    line = line.strip()
    return line.startswith(_MARK) or (line.endswith(_MARK) and line.count(_MARK) == 1)


def _push(state: StateBlock, text: str, start: int, number: int) -> None:
    token = state.push("comment", "", 0)
    token.map, token.meta = [start, number + 1], {"text": text}


def _push_rest(state: StateBlock, text: str, number: int) -> None:
    """Keep what stands behind a comment on its last line as a paragraph of its own."""
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = text, [number, number + 1], []
    state.push("paragraph_close", "p", -1)
