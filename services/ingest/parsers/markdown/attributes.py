"""Attributes in braces, {#id .name key="value"}, that no reader sees: of a block or within a line.

Our own, since the library's takes a line of Liquid, {% if x %}, for one, and seeks its end in all text.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.attrs import attrs_plugin


def _attributes(longest: int) -> re.Pattern[str]:
    """Return what finds attributes of which no quoted value is longer."""
    quoted = rf"\"[^\"{{}}\n]{{0,{longest}}}\"|'[^'{{}}\n]{{0,{longest}}}'"
    one = rf"(?:[.#][\w:.-]{{1,80}}|[\w:-]{{1,40}}=(?:{quoted}|[\w:.%/-]{{1,80}}))"
    return re.compile(rf"\{{:?[ \t]*{one}(?:[ \t]+{one}){{0,20}}[ \t]*\}}")


_ATTRIBUTES = _attributes(200)
_OWN_LINE = _attributes(4000)
"""A line of its own may have the summary of a table, for those who do not see it."""
_OF_ITEM = re.compile(rf"(?=\{{:){_ATTRIBUTES.pattern}[ \t]+")
_SPAN = re.compile(rf"\]{_ATTRIBUTES.pattern}")
_ATTRIBUTION = re.compile(r"attribution=(?:\"([^\"]*)\"|'([^']*)')")
_BEHIND = ")]`*_"
"""What a piece of a line that can have attributes ends with."""
_END_OF_BLOCK = "^"
"""What alone on a line ends a list for kramdown, as in textbooks between terms that are defined."""

_MOST_SPANS = 100
"""Brackets in a paragraph: the end of each is looked for."""


def attributes_plugin(md: MarkdownIt) -> None:
    """Read attributes as tokens, and spans, [text]{.name}, that have some."""
    md.block.ruler.before("code", "attributes", _own_line, {"alt": ["paragraph", "reference"]})
    attrs_plugin(md, after=(), spans=True)
    [span] = [rule for rule in md.inline.ruler.__rules__ if rule.name == "span"]
    read_span = span.fn

    def _span(state: StateInline, silent: bool) -> bool:
        is_bounded = state.src.count("[") <= _MOST_SPANS
        has_one = is_bounded and _SPAN.search(state.src, state.pos) is not None
        return has_one and bool(read_span(state, silent))

    span.fn = _span
    md.inline.ruler.push("attributes", _behind_a_piece)


def _own_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    begin = state.bMarks[start] + state.tShift[start]
    line = state.src[begin : state.eMarks[start]].rstrip()
    is_seen = line != _END_OF_BLOCK and _OWN_LINE.fullmatch(line) is None
    if state.is_code_block(start) or is_seen:
        return False
    if not silent:
        state.line = start + 1
        found = _ATTRIBUTION.search(line)
        token = state.push("attributes", "", 0)
        token.map = [start, start + 1]
        token.meta = {"attribution": (found[1] or found[2] or "") if found else ""}
    return True


def _behind_a_piece(state: StateInline, silent: bool) -> bool:  # noqa: ARG001
    """Read the attributes of what stands before them, or of an item that they begin for kramdown."""
    if state.pos == 0:
        found = _OF_ITEM.match(state.src)
    elif state.src[state.pos - 1] in _BEHIND:
        found = _ATTRIBUTES.match(state.src, state.pos, state.posMax)
    else:
        return False
    if found is None:
        return False
    state.pos = found.end()
    return True
