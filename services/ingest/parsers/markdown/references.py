"""What pandoc, Quarto and kramdown write for a reference: citations, [@key], and labels, @fig-kiln.

A citation proves what is said, which says the same without it. A reference shows the title of what it
leads to, where a site writes its number.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from services.ingest.parsers.markdown.comments import WITHOUT as REWRITTEN
from services.ingest.parsers.sphinx_labels import words_of_label

LABELS = "labels"
"""In the environment of a file, the titles that references show by their labels in small letters."""
_PREFIXES = "sec|fig|tbl|eq|lst"
_REFERENCE = re.compile(rf"@((?:{_PREFIXES})-[\w:.-]{{0,98}}\w)")
# Each part is taken by one piece and given back by none.
_ONE = r"[^\[\]@;]{0,60}+(?<=[\s(\[;-])@(?=[\w{])[^\[\];@]{1,300}+"
_CITATION = re.compile(rf"\[({_ONE}(?:;{_ONE}){{0,20}})\](?![(\[:])")
_NUMBER_TO_COME = re.compile(r"\[\\?\[link\\?\]\]\((?:[^()\s#]{0,200}#)([\w:.-]{1,100})\)")
"""A link of OpenStax, whose words are but a sign of the number that a site writes there."""
SIGNS = re.compile(rf"(?<![\w@])@(?:{_PREFIXES})-\w|\[\\?\[link\\?\]\]\(")
"""What a file has whose references show titles."""
_UNKNOWN = "…"


def reference_plugin(md: MarkdownIt) -> None:
    """Add the rules; tokens are of the types text, or citation with what is left out as meta."""
    md.inline.ruler.before("link", "number_to_come", _number_to_come)
    md.inline.ruler.push("citation", _citation)
    md.inline.ruler.push("reference", _reference)


def _citation(state: StateInline, silent: bool) -> bool:
    found = _CITATION.match(state.src, state.pos, state.posMax)
    if found is None or state.env.get(REWRITTEN):
        return False
    if not silent:
        keys, references = found[1].count("@"), _REFERENCE.findall(found[1])
        if keys == len(references):
            shown = re.sub(r"-(?=@)", "", found[1])
            _push_text(state, _REFERENCE.sub(lambda one: _title_of(state, one[1]), shown))
        else:
            _push_lost(state, found[0])
    state.pos = found.end()
    return True


def _reference(state: StateInline, silent: bool) -> bool:
    found = _REFERENCE.match(state.src, state.pos, state.posMax)
    before = state.src[state.pos - 1 : state.pos]
    if found is None or before.isalnum() or before in ("_", "@", "/") or state.env.get(REWRITTEN):
        return False
    if not silent:
        _push_text(state, _title_of(state, found[1]))
    state.pos = found.end()
    return True


def _number_to_come(state: StateInline, silent: bool) -> bool:
    found = _NUMBER_TO_COME.match(state.src, state.pos, state.posMax)
    if found is None or state.env.get(REWRITTEN):
        return False
    end = found.end()
    if not silent:
        title = state.env.get(LABELS, {}).get(found[1].lower(), "")
        if not title and state.pending.endswith("(") and state.src[end : end + 1] == ")":
            state.pending, end = state.pending[:-1], end + 1
            _push_lost(state, found[0])
        else:
            # A letter behind it, that tells a part of a figure, is no part of the title.
            after = " " if re.match(r"\w|\*+\w", state.src[end : end + 4]) else ""
            _push_text(state, (title or _UNKNOWN) + after)
    state.pos = end
    return True


def _title_of(state: StateInline, label: str) -> str:
    title: str = state.env.get(LABELS, {}).get(label.lower(), "")
    return title or words_of_label(label.partition("-")[2])


def _push_text(state: StateInline, text: str) -> None:
    state.push("text_special", "", 0).content = text


def _push_lost(state: StateInline, text: str) -> None:
    state.push("citation", "", 0).meta = {"text": text}
