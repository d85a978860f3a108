"""Text that one tilde before and behind it strikes out, as GitHub does: ~20~ 40 volts.

Only around whole words: elsewhere a tilde lowers (H~2~O) or is part of a version (1.0~rc1).
"""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

_MARKER = -ord("~")
"""Of no character: the library's own rule takes those of two tildes."""


def strike_plugin(md: MarkdownIt) -> None:
    md.inline.ruler.before("strikethrough", "strike", _tokenize)
    md.inline.ruler2.before("strikethrough", "strike", _pair)


def _tokenize(state: StateInline, silent: bool) -> bool:
    start = state.pos
    if silent or state.src[start] != "~":
        return False
    scanned = state.scanDelims(start, canSplitWord=True)
    if scanned.length != 1:
        return False
    opens = scanned.can_open and not state.src[start - 1 : start].isalnum()
    closes = scanned.can_close and not state.src[start + 1 : start + 2].isalnum()
    state.push("text", "", 0).content = "~"
    at = len(state.tokens) - 1
    state.delimiters.append(Delimiter(_MARKER, 0, at, -1, opens, closes))
    state.pos += 1
    return True


def _pair(state: StateInline) -> None:
    inner = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for delimiters in (state.delimiters, *inner):
        for opening in delimiters:
            if opening.marker == _MARKER and opening.end != -1:
                ends = (
                    (opening.token, "s_open", 1),
                    (delimiters[opening.end].token, "s_close", -1),
                )
                for at, kind, nesting in ends:
                    token = state.tokens[at]
                    token.type, token.tag, token.nesting = kind, "s", nesting
                    token.markup, token.content = "~", ""
