"""Try only the rules that can begin at a line or character; what they do stays the library's.

markdown-it asks each of its rules at each line of a paragraph, twice, and at each special character.
Nearly all of them look at the first character and say no. Here they are asked only where it fits.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import add
from typing import TypeVar

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, lheading, paragraph
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.token import Token
from markdown_it.utils import EnvType
from typing_extensions import override

from services.ingest.parsers.markdown.simple import MARKUP, read_simple

_LIST = "*+-0123456789"
_BLOCKS: dict[str, str] = {
    "esm": "ie",
    "braces": "{",
    "raw": "<",
    "tags": "<",
    "math_block": "$",
    "amsmath": "\\",
    "attributes": "{^",
    "container_admonition": ":",
    "admonition": "!?",
    "comment": "%",
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": _LIST,
    "footnote_def": "[",
    "reference": "[",
    "heading": "#",
    "deflist": ":~",
    "pipes": "|",
}
"""What the first line of a block begins with; it may be anything where a rule is not named here."""
_INLINES: dict[str, str] = {
    "newline": "\n",
    "math_inline": "$",
    "escape": "\\",
    "backticks": "`",
    "strike": "~",
    "strikethrough": "~",
    "comment": "%",
    "emphasis": "*_",
    "link": "[",
    "image": "!",
    "footnote_ref": "[",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "braces": "{",
    "attributes": "{",
    "span": "[",
    "number_to_come": "[",
    "citation": "[",
    "reference": "@",
}
_INDENT = " \t"
_TABLE_UNDERLINE = frozenset("|-:")
_TEXT = ("lheading", "deflist", "paragraph")
"""What every other line is, asked in this order."""
_MARKS = re.escape("".join(sorted(set("".join(_INLINES.values())) - {"\n"})))
# A line's end between plain words is the space that it is read as: no mark of its own is needed.
_PLAIN = re.compile(rf"[^\n{_MARKS}]+(?:(?<! )\n(?=[ \t]*[^\s{_MARKS}])[^\n{_MARKS}]*)*")
_LABEL = re.compile(rf"[^\n\]{_MARKS}]+")
_CODE = re.compile(r"`([^`]+)`(?!`)")

Rule = TypeVar("Rule")


def dispatch(md: MarkdownIt) -> None:
    """Let `md`, to which no rule will be added any more, ask rules by the first character."""
    md.block = _Blocks(md.block)
    md.inline = _Inlines(md.inline)


def _by_character(
    rules: Sequence[tuple[str, Rule]], beginnings: Mapping[str, str]
) -> dict[str, list[Rule]]:
    """Return for each character the rules that can begin with it, in their order."""
    characters = {character for name, _ in rules for character in beginnings.get(name, "")}
    return {
        character: [rule for name, rule in rules if character in beginnings.get(name, character)]
        for character in characters
    }


class _Lines(StateBlock):
    """What the library knows of each line, found out for all of them at once."""

    def __init__(self, source: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        self.src = source
        lines = source.split("\n")
        if not lines[-1].strip(_INDENT):
            lines.pop()
        lengths = [len(line) for line in lines]
        starts = list(accumulate((length + 1 for length in lengths), initial=0))[:-1]
        shifts = [len(line) - len(line.lstrip(_INDENT)) for line in lines]
        columns = shifts
        if "\t" in source:
            columns = [
                len(line[:shift].expandtabs(4)) for line, shift in zip(lines, shifts, strict=True)
            ]
        # One more, as the library has it, so that nobody has to look for the end.
        self.bMarks = [*starts, len(source)]
        self.eMarks = [*map(add, starts, lengths), len(source)]
        self.tShift = [*shifts, 0]
        self.sCount = [*columns, 0]
        self.bsCount = [0] * len(self.bMarks)
        self.lineMax = len(lines)

    @override
    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:
        """Do as the library's does; outside of all containers lines follow each other."""
        if indent or self.level or begin >= end:
            return super().getLines(begin, end, indent, keepLastLF)
        return self.src[self.bMarks[begin] : self.eMarks[end - 1] + keepLastLF]


class _Blocks(ParserBlock):
    def __init__(self, parser: ParserBlock) -> None:
        self.ruler = parser.ruler
        rules = [rule for rule in self.ruler.__rules__ if rule.enabled]
        by_name = {rule.name: rule.fn for rule in rules}
        self._table, self._definitions = by_name["table"], by_name["deflist"]
        first = [(rule.name, rule.fn) for rule in rules if rule.name not in (*_TEXT, "table")]
        self._first = _by_character(first, _BLOCKS)
        self._any = [rule for name, rule in first if name not in _BLOCKS]
        # A table, the first of the library's rules, is told by its second line, and asked for apart.
        ends = [(rule.name, rule.fn) for rule in rules if "paragraph" in rule.alt]
        self._ends = _by_character([end for end in ends if end[0] != "table"], _BLOCKS)

    @override
    def parse(
        self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]
    ) -> list[Token] | None:
        """Do as the library's does."""
        if not src:
            return None
        state = _Lines(src, md, env, outTokens)
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens

    @override
    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """Do as the library's does, but ask only the rules that the line may belong to."""
        line, after_empty = startLine, False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= state.md.options.maxNesting:
                state.line = endLine
                break
            character = state.src[state.bMarks[line] + state.tShift[line]]
            if not (
                (self._may_be_table(state, line) and self._table(state, line, endLine, False))
                or any(
                    rule(state, line, endLine, False)
                    for rule in self._first.get(character, self._any)
                )
            ):
                self._read_text(state, line, endLine)
            if state.line <= line:
                raise RuntimeError("a rule took no line")
            state.tight = not after_empty
            line = state.line
            if line <= endLine and state.isEmpty(line - 1):
                after_empty = True
            if line < endLine and state.isEmpty(line):
                after_empty = True
                line += 1
                state.line = line

    def _read_text(self, state: StateBlock, start: int, end: int) -> None:
        """Read an underlined heading, a list of definitions or a paragraph."""
        if end != state.lineMax or state.is_code_block(start):
            rules = (lheading, self._definitions, paragraph)
            any(rule(state, start, end, False) for rule in rules)
            return
        around, state.parentType = state.parentType, "paragraph"
        stop, marker = self._end_of_text(state, start, end)
        state.parentType = around
        if marker:
            _push_heading(state, "h1" if marker == "=" else "h2", start, stop)
        elif not self._definitions(state, start, end, False):
            _push_paragraph(state, start, stop)

    def _end_of_text(self, state: StateBlock, start: int, end: int) -> tuple[int, str]:
        """Return the line where a paragraph ends, and the mark of the underline that it may be."""
        source, begins, shifts, stops = state.src, state.bMarks, state.tShift, state.eMarks
        indent = state.blkIndent
        for line in range(start + 1, end):
            at = begins[line] + shifts[line]
            if at >= stops[line]:
                return line, ""
            count = state.sCount[line]
            if count - indent > 3:
                continue
            character = source[at]
            if (
                character in "-="
                and count >= indent
                and state.skipSpaces(state.skipCharsStr(at, character)) >= stops[line]
            ):
                return line, character
            if count < 0:
                continue
            if character in self._ends and any(
                rule(state, line, end, True) for rule in self._ends[character]
            ):
                return line, ""
            if self._may_be_table(state, line) and self._table(state, line, end, True):
                return line, ""
        return end, ""

    @staticmethod
    def _may_be_table(state: StateBlock, line: int) -> bool:
        below = state.bMarks[line + 1] + state.tShift[line + 1]
        return state.src[below : below + 1] in _TABLE_UNDERLINE


def _push_heading(state: StateBlock, tag: str, start: int, stop: int) -> None:
    content = state.getLines(start, stop, state.blkIndent, False)
    state.push("heading_open", tag, 1)
    _push_inline(state, content, start, stop)
    state.push("heading_close", tag, -1)
    state.line = stop + 1


def _push_paragraph(state: StateBlock, start: int, stop: int) -> None:
    # Its beginning and its end say nothing that the inside does not.
    _push_inline(state, state.getLines(start, stop, state.blkIndent, False), start, stop)
    state.line = stop


def _push_inline(state: StateBlock, content: str, start: int, stop: int) -> None:
    inline = state.push("inline", "", 0)
    inline.content = mdTrim(content)
    inline.map = [start, stop]
    inline.children = []


class _Inlines(ParserInline):
    def __init__(self, parser: ParserInline) -> None:
        self.ruler = parser.ruler
        self.ruler2 = parser.ruler2
        self.terminator_re = parser.terminator_re
        rules = [
            (rule.name, _code_span if rule.name == "backticks" else rule.fn)
            for rule in self.ruler.__rules__
            if rule.enabled and rule.name != "text"
        ]
        self._rules = _by_character(rules, _INLINES)

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Do as the library's does, at once where the marks are simple."""
        seen = read_simple(src)
        if seen is not None:
            token = Token("text", "", 0)
            token.content, markup = seen
            if markup:
                token.meta = {MARKUP: markup}
            tokens.append(token)
            return tokens
        return super().parse(src, md, env, tokens)

    def tokenize(self, state: StateInline) -> None:
        """Do as the library's does, but ask only the rules of the mark that stands there."""
        if state.level >= state.md.options["maxNesting"]:
            super().tokenize(state)
            return
        source, end = state.src, state.posMax
        while state.pos < end:
            plain = _PLAIN.match(source, state.pos, end)
            if plain:
                state.append_pending(plain[0])
                state.pos = plain.end()
                continue
            for rule in self._rules[source[state.pos]]:
                if rule(state, False):
                    break
            else:
                state.append_pending(source[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()

    @override
    def skipToken(self, state: StateInline) -> None:
        """Do as the library's does, inside of the label of a link."""
        start = state.pos
        if start in state.cache or state.level >= state.md.options["maxNesting"]:
            super().skipToken(state)
            return
        label = _LABEL.match(state.src, start, state.posMax)
        if label:
            state.pos = label.end()
        else:
            state.level += 1
            rules = self._rules.get(state.src[start], ())
            if not any(rule(state, True) for rule in rules):
                state.pos = start + 1
            state.level -= 1
        state.cache[start] = state.pos


def _code_span(state: StateInline, silent: bool) -> bool:
    span = _CODE.match(state.src, state.pos, state.posMax)
    if span is None or state.src.startswith("`", span.end()):
        return backtick(state, silent)
    if not silent:
        content = span[1].replace("\n", " ")
        if content[0] == content[-1] == " " and content.strip(" "):
            content = content[1:-1]
        token = state.push("code_inline", "code", 0)
        token.markup = "`"
        token.content = content
    state.pos = span.end()
    return True
