"""The Markdown that books are written in: CommonMark, GitHub's and Docusaurus' additions, MDX."""

import re
from functools import cache, partial

from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock, code
from markdown_it.rules_block.table import getLine
from markdown_it.rules_core import StateCore, normalize
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.admon.index import admonition
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from services.ingest.parsers.markdown.attributes import attributes_plugin
from services.ingest.parsers.markdown.comments import comment_plugin
from services.ingest.parsers.markdown.dispatch import dispatch
from services.ingest.parsers.markdown.jsx import is_comment, scan_braces
from services.ingest.parsers.markdown.loose import loose_plugin
from services.ingest.parsers.markdown.pipes import pipes_plugin
from services.ingest.parsers.markdown.references import reference_plugin
from services.ingest.parsers.markdown.strike import strike_plugin
from services.ingest.parsers.markdown.tags import Tag, scan_tag

_MAX_INLINE_LENGTH = 50_000
_MAX_MARKS = 1000

_MAX_DEPTH = 60
_MOST_EMPTY_CELLS = 10_000
"""Of a file's tables, beyond three for each that has text: a row of one sign has as many cells as the
first."""
_MAX_TAG_LINES = 100
_NESTING_RULES = (
    *("blockquote", "list", "footnote_def", "container_admonition", "admonition", "deflist"),
)
_INTERRUPTS = ["paragraph", "reference", "blockquote"]

_HEADING_ID = re.compile(r"[ \t]*\{:?[ ]*#([^\s{}]+)[^{}]*\}[ \t]*$")
_ENVIRONMENT = re.compile(r"\\begin\{[^{}]{1,40}\}")
_IMPORT_LINE = re.compile(r"import\s+(?:[\w$*{][^'\"]*\sfrom\s+)?(['\"])[^'\"]+\1\s*;?\s*")
_ESM = re.compile(
    r"import\s+(?:['\"{*]|[\w$]+\s*(?:,|\sfrom\b))"
    r"|export\s+(?:const|let|var|function|async|class|default|type|interface|[{*])"
)
_CONSTANT = re.compile(
    r"export\s+const\s+([\w$]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|`([^`$]*)`|(-?[\d.]+))\s*;?\s*"
)
_DIRECTIVE = re.compile(r"\{\{#\w[^{}]*\}\}")
_RAW = re.compile(r"<(pre|script|style|table|svg|!--|\?|!\[CDATA\[)", re.IGNORECASE)
_RAW_END = {"!--": "-->", "?": "?>", "![cdata[": "]]>"}
_TAG_START = re.compile(r"</?[A-Za-z][\w.:-]*(?:\s|$)")
_TOLD = r"[\w:-]{1,40}=(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s\"'<>]{1,300})"
_TOLD_ALONE = re.compile(
    rf"\s{{0,20}}{_TOLD}(?:\s{{1,20}}{_TOLD}){{0,20}}\s{{0,20}}</([\w-]{{1,40}})>"
)
"""Attributes alone in an element that is no HTML, as converters keep instructions to programs."""
_ADMONITION = re.compile(r"\s*[A-Za-z]")
_INDENTED = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+[A-Za-z][\w-]*[^\n]*")
"""What a box of MkDocs begins with; its text stands further in."""
_STEP = 4
_TITLE = 3
"""Tokens with which the library begins a box, the last of them its title."""


class _BookMarkdown(MarkdownIt):
    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the library's name
        """Return the address as it is written: decoded, `%00` and `%0A` would be characters."""
        return link


@cache
def grammar(mdx: bool) -> MarkdownIt:
    """Return the parser. Tokens beyond CommonMark's: tags, raw, math, footnotes, containers."""
    md = rules_of(mdx)
    dispatch(md)
    return md


def rules_of(mdx: bool) -> MarkdownIt:
    """Return the parser with all of its rules, which asks each of them everywhere."""
    md = _BookMarkdown("commonmark", {"maxNesting": 100, "html": True})
    md.enable(["table", "strikethrough"])
    strike_plugin(md)
    loose_plugin(md)
    footnote_plugin(md, inline=False, move_to_end=False)
    dollarmath_plugin(md, allow_labels=True, allow_space=False, allow_digits=False)
    deflist_plugin(md)
    container_plugin(md, "admonition", validate=lambda params, _: bool(_ADMONITION.match(params)))
    md.block.ruler.before("fence", "admonition", _admonition, {"alt": _INTERRUPTS})
    md.block.ruler.before("code", "esm", partial(_esm, mdx))
    md.block.ruler.before("code", "braces", partial(_braces_block, mdx), {"alt": _INTERRUPTS})
    md.block.ruler.before("code", "raw", _raw_block, {"alt": _INTERRUPTS})
    md.block.ruler.before("code", "tags", partial(_tag_lines, mdx), {"alt": _INTERRUPTS})
    md.block.ruler.disable("html_block")
    md.inline.ruler.at("html_inline", partial(_tag_inline, mdx))
    md.inline.ruler.push("braces", partial(_braces_inline, mdx))
    md.core.ruler.at("normalize", _normalize)
    md.core.ruler.before("inline", "heading_ids", _heading_ids)
    md.core.ruler.at("inline", _inline)
    attributes_plugin(md)
    pipes_plugin(md)
    amsmath_plugin(md)
    comment_plugin(md)
    reference_plugin(md)
    if mdx:
        md.disable("code")
    else:
        md.block.ruler.at("code", _code)
    _limit_nesting(md.block.ruler)
    return md


def _admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a box of MkDocs as the library does, where one line below it at least stands further in."""
    first = state.bMarks[start] + state.tShift[start]
    if not _INDENTED.fullmatch(state.src, first, state.eMarks[start]):
        return False
    below = next((at for at in range(start + 1, end) if not state.isEmpty(at)), end)
    is_within = below < end and state.sCount[below] >= state.sCount[start] + _STEP
    made = len(state.tokens)
    if not (is_within and admonition(state, start, end, silent)):
        return False
    for token in state.tokens[made : made + _TITLE]:
        if token.type == "inline" and token.content.lower() == state.tokens[made].meta["tag"]:
            token.content = ""  # its title is its type
    return True


def _limit_nesting(ruler: Ruler) -> None:
    # Beyond its own limit markdown-it drops text; with these rules out of play it stays text.
    for rule in ruler.__rules__:
        if rule.name in _NESTING_RULES:
            rule.fn = partial(_unless_deep, rule.fn)
        elif rule.name == "table":
            rule.fn = partial(_unless_empty, rule.fn)
        elif rule.name == "amsmath":
            rule.fn = partial(_unless_open, rule.fn)


def _unless_deep(rule, state: StateBlock, start: int, end: int, silent: bool) -> bool:  # type: ignore[no-untyped-def]
    return state.level < _MAX_DEPTH and bool(rule(state, start, end, silent))


def _unless_empty(rule, state: StateBlock, start: int, end: int, silent: bool) -> bool:  # type: ignore[no-untyped-def]
    """Read a table, but not one most of whose cells nobody wrote: that stays text."""
    if silent or not rule(state, start, end, True):
        return bool(silent and rule(state, start, end, True))
    empty = state.env.get("empty_cells", 0)
    columns, number = len(getLine(state, start).strip(" \t|").split("|")), start + 2
    while number < end and not state.isEmpty(number) and empty <= _MOST_EMPTY_CELLS:
        cells = getLine(state, number).split("|")
        empty += columns - 3 * sum(not cell.isspace() for cell in cells if cell)
        number += 1
    state.env["empty_cells"] = empty
    if empty > _MOST_EMPTY_CELLS:
        state.env.setdefault("long_lines", []).append(start + 1)
        return False
    return bool(rule(state, start, end, False))


def _unless_open(rule, state: StateBlock, start: int, end: int, silent: bool) -> bool:  # type: ignore[no-untyped-def]
    """Read a formula, but look only once for the end of one that has none."""
    begun = _ENVIRONMENT.match(getLine(state, start))
    missing = state.env.setdefault("missing", set())
    if begun is None or (begun[0], end) in missing:
        return False
    if rule(state, start, end, silent):
        return True
    missing.add((begun[0], end))
    return False


def _push(state: StateBlock, kind: str, start: int, end: int, **meta: object) -> None:
    token = state.push(kind, "", 0)
    token.map = [start, end]
    token.meta = meta


def _push_rest(state: StateBlock, text: str, start: int, end: int) -> None:
    """Keep what stands behind a construct on its last line as a paragraph of its own."""
    if text.strip():
        state.push("paragraph_open", "p", 1)
        token = state.push("inline", "", 0)
        token.content, token.map, token.children = text.strip(), [start, end], []
        state.push("paragraph_close", "p", -1)


def _esm(mdx: bool, state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Drop import and export statements, over several lines and empty lines if they need it."""
    line = getLine(state, start)
    if silent or state.level or state.sCount[start] or line[:6] not in ("import", "export"):
        return False
    if not mdx:
        if not _IMPORT_LINE.fullmatch(line):
            return False
        state.line = start + 1
        return True
    if not _ESM.match(line):
        return False
    if constant := _CONSTANT.fullmatch(line):
        value = next(part for part in constant.groups()[1:] if part is not None)
        state.env.setdefault("constants", {})[constant[1]] = value
    text, number = "", start
    while number < min(end, start + 500):
        text += getLine(state, number) + "\n"
        number += 1
        if _is_balanced(text) and _is_statement_end(state, number, end):
            break
    else:
        number = start + 1
        while number < end and not state.isEmpty(number):
            number += 1
    state.line = number
    return True


def _is_balanced(text: str) -> bool:
    pairs = text.count("(") == text.count(")") and text.count("[") == text.count("]")
    return pairs and scan_braces("{" + text + "}", 0) == len(text) + 2


def _is_statement_end(state: StateBlock, number: int, end: int) -> bool:
    return number >= end or state.isEmpty(number) or bool(_ESM.match(getLine(state, number)))


def _joined(state: StateBlock, start: int, end: int) -> str:
    """Return the lines from `start` on without the marks of the containers around them."""
    return state.getLines(start, min(end, start + _MAX_TAG_LINES), state.blkIndent, False)


def _braces_block(mdx: bool, state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Drop an expression that has its lines to itself; outside of MDX only comments."""
    line = getLine(state, start)
    if not line.startswith("{") or (not mdx and state.is_code_block(start)):
        return False
    if not mdx and (match := _DIRECTIVE.fullmatch(line.strip())):
        if not silent:
            state.line = start + 1
            _push(state, "directive", start, start + 1, text=match[0])
        return True
    if not mdx and not line.startswith("{/*"):
        return False
    text = _joined(state, start, end).lstrip()
    stop = scan_braces(text, 0)
    rest = text[stop:].split("\n", 1)[0] if stop > 0 else "-"
    if rest.strip():
        return False
    if not silent:
        state.line = start + text.count("\n", 0, stop) + 1
        _push(state, "expression", start, state.line, text=text[1 : stop - 1])
    return True


def _raw_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take what HTML reads to a mark of its own: comments, pre, table, script, style."""
    opening = _RAW.match(getLine(state, start))
    if opening is None or state.is_code_block(start):
        return False
    name = opening[1].lower()
    closer = _RAW_END.get(name, f"</{name}")
    missing = state.env.setdefault("missing", set())
    if (closer, end) in missing:
        return False
    number = start
    while number < end and closer not in getLine(state, number).lower():
        number += 1
    if number == end:
        missing.add((closer, end))
        return False
    text = state.getLines(start, number + 1, state.blkIndent, False).lstrip()
    stop = text.lower().index(closer) + len(closer)
    if closer.startswith("</"):
        stop = text.find(">", stop) + 1 or len(text)
    if text[stop:].strip() and number == start:
        return False  # part of a line of text: the inline rules see to it
    if not silent:
        state.line = number + 1
        _push(state, "raw", start, number + 1, name=name, text=text[:stop])
        _push_rest(state, text[stop:], number, number + 1)
    return True


def _tag_lines(mdx: bool, state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take lines that hold nothing but tags; what stands between them is Markdown again."""
    line = getLine(state, start)
    if not line.startswith("<") or (not mdx and _is_indented_code(state, start)):
        return False
    found = _tags_alone(line, mdx)
    if found is None and _TAG_START.match(line):
        found = _tags_alone(_joined(state, start, end).lstrip(), mdx)
    if found is None:
        return False
    tags, lines = found
    if silent:
        return any(tag.is_block for tag in tags)
    state.line = start + lines
    state.env["tags_end"] = state.line
    _push(state, "tags", start, state.line, tags=tags)
    return True


def _tags_alone(text: str, mdx: bool) -> tuple[list[Tag], int] | None:
    """Return the tags that `text` begins with, and the lines they have to themselves."""
    tags: list[Tag] = []
    position = 0
    while text.startswith("<", position):
        tag = scan_tag(text, position, mdx)
        if tag is None:
            return None
        tags.append(tag)
        position = tag.end
        while text[position : position + 1] in (" ", "\t"):
            position += 1
    if not tags or text[position : position + 1] not in ("", "\n"):
        return None
    return tags, text.count("\n", 0, position) + 1


def _code(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return _is_indented_code(state, start) and code(state, start, end, silent)


def _is_indented_code(state: StateBlock, start: int) -> bool:
    # Lines right below a tag belong to it, however far they are indented.
    return state.is_code_block(start) and state.env.get("tags_end") != start


def _tag_inline(mdx: bool, state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    if state.src.startswith("<!--", state.pos):
        end = state.src.find("-->", state.pos + 4)
        if end < 0 or end + 3 > state.posMax:
            return False
        state.pos = end + 3
        return True
    tag = scan_tag(state.src, state.pos, mdx)
    if tag is None or tag.end > state.posMax:
        return False
    told = _TOLD_ALONE.match(state.src, tag.end, state.posMax) if "-" in tag.name else None
    if told and told[1] == tag.name and not tag.closing:
        state.pos = told.end()
        return True
    if not silent:
        token = state.push("tag", "", 0)
        token.meta = {"tag": tag}
    state.pos = tag.end
    return True


def _braces_inline(mdx: bool, state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    if not mdx:
        directive = _DIRECTIVE.match(state.src, state.pos)
        if directive:
            if not silent:
                state.push("directive", "", 0).meta = {"text": directive[0]}
            state.pos = directive.end()
            return True
        if not state.src.startswith("{/*", state.pos):
            return False
    end = scan_braces(state.src, state.pos)
    if end < 0 or end > state.posMax:
        return False
    expression = state.src[state.pos + 1 : end - 1]
    if not mdx and not is_comment(expression):
        return False
    constant = state.env.get("constants", {}).get(expression.strip())
    if not silent and constant is not None:
        state.push("text", "", 0).content = constant
    elif not silent:
        state.push("expression", "", 0).meta = {"text": expression}
    state.pos = end
    return True


def _normalize(state: StateCore) -> None:
    # The library puts each line's end in the place of itself, which takes its time.
    if "\r" in state.src or "\0" in state.src:
        normalize(state)


def _heading_ids(state: StateCore) -> None:
    for opening, inline in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type == "heading_open" and (match := _HEADING_ID.search(inline.content)):
            opening.meta = {"id": match[1]}
            inline.content = inline.content[: match.start()]


def _is_costly(content: str) -> bool:
    # The inline rules may need the square of the number of marks that open something.
    return len(content) > _MAX_INLINE_LENGTH or any(
        content.count(mark) > _MAX_MARKS for mark in "[{<$"
    )


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = token.children or []
        if _is_costly(token.content):
            text = Token("text", "", 0)
            text.content = token.content
            token.children.append(text)
            state.env.setdefault("long_lines", []).append((token.map or [0])[0] + 1)
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)
