"""Parse AsciiDoc by rewriting it as Markdown, line for line, so that places stay those of the file.

What includes name, passes through to another format or is conditional on what is not set is left out
and named.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from libs.text import heading_anchor
from services.ingest.model.book import DroppedContent, ParsedText
from services.ingest.parsers.asciidoc import header as headers
from services.ingest.parsers.asciidoc import lines as kinds
from services.ingest.parsers.asciidoc.conditions import count_lines, is_met
from services.ingest.parsers.asciidoc.fences import fence_code, fence_passed
from services.ingest.parsers.asciidoc.inline import Inline
from services.ingest.parsers.asciidoc.others import NO_NAMES
from services.ingest.parsers.asciidoc.tables import rewrite_table
from services.ingest.parsers.asciidoc.titles import read_titles, title_words
from services.ingest.parsers.markdown import DEFINED_TERM, TERM, parse_markdown
from services.ingest.parsers.scripts import STRUCK, STRUCK_NAMES

_VERBATIM = "-.`"
_INDENT = "    "
_STEP = len(_INDENT)
_MOST_LEVELS = 8
_MOST_COLONS = 20
"""Of the outermost box; each within one has fewer."""
_MOST_SAID = 4000
"""Characters said of one block, each line of which has them looked through."""
_HEADER_LINES = 2
_ADDRESSES = "the addresses of authors are no text"
_BROKEN = "\x1e"
_INCLUDED = "what it includes is another file"
_PASSED = "it is for another format than text"
_CONDITION = "it is for when something is set that is not"
_NO_TEXT = "what it shows is no text"
_ADMONITIONS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
_SAID = ("quote", "verse")
_PREFORMATTED = ("listing", "literal", "source")
_SET_BY_ASCIIDOCTOR = ("asciidoctor", "backend-html5", "basebackend-html")
"""Attributes that are set where a page is made of a file."""


def parse_asciidoc(
    source: str, fallback_title: str, names: Mapping[str, str] = NO_NAMES
) -> ParsedText:
    """Parse a file; `fallback_title` names a document that has no title of its own.

    `names` are what references to other files show.
    """
    whole = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rewriter = _Rewriter(whole.expandtabs(8).split("\n"), names)
    markdown = "\n".join(rewriter.rewrite())
    parsed = parse_markdown(markdown, mdx=False, fallback_title=fallback_title, has_terms=True)
    byline = headers.byline_of(rewriter.header, rewriter.inline.attributes)
    dropped = (*parsed.dropped_content, *rewriter.dropped, *rewriter.inline.unsaid())
    return replace(parsed, dropped_content=dropped, byline=byline)


@dataclass
class _Rewriter:
    """Goes through the lines of a file once; `out` has as many, and the footnotes after them."""

    source: Sequence[str]
    names: Mapping[str, str]
    out: list[str] = field(default_factory=list)
    dropped: list[DroppedContent] = field(default_factory=list)
    markers: list[str] = field(default_factory=list)
    """Of the lists that are open, the outermost first."""
    attributes: str = ""
    """Those of the block that comes next."""
    anchor: str = ""
    title: str = ""
    """That of the code that comes next."""
    at: int = 0
    is_attached: bool = False
    """Whether the block that comes next belongs to the last item."""
    quotes: bool = False
    header: headers.Header = headers.NO_HEADER
    blocks: list[str] = field(default_factory=list)
    """Lines that begin the blocks that are open, the outermost first."""
    boxes: dict[str, str] = field(default_factory=dict)
    """By the line that begins one, what ends it in Markdown."""
    _places: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        attributes = dict.fromkeys(_SET_BY_ASCIIDOCTOR, "")
        self.inline = Inline(dict(read_titles(self.source)), attributes, self.names)

    def rewrite(self) -> list[str]:
        """Return the lines of Markdown."""
        self._header()
        while self.at < len(self.source):
            self._line(self.source[self.at])
        notes = [f"[^{at}]: {text}" for at, text in enumerate(self.inline.footnotes, start=1)]
        return [*self.out, "", *(line for note in notes for line in (note, ""))]

    def _line(self, line: str) -> None:
        if not line.strip():
            self._put(">" if self.quotes else "")
        elif line.strip() == "+":
            self.is_attached = True
            self._put("")
        elif not (self._structure(line) or self._block(line) or self._item(line)):
            self._text(line)

    def _put(self, *lines: str) -> None:
        self.out += lines
        self.at += len(lines)

    def _skip(self, count: int = 1) -> None:
        self._put(*[""] * count)

    @property
    def _margin(self) -> str:
        return ("> " if self.quotes else "") + _INDENT * len(self.markers)

    def _is_after_blank(self) -> bool:
        """Whether a paragraph begins here: behind an empty line, or behind what is said of it."""
        before = self.source[self.at - 1] if self.at else ""
        return not before.strip(" \t+") or any(kind.fullmatch(before) for kind in kinds.BEFORE)

    def _underlined(self, at: int) -> int:
        """Return the level of the title that begins at a line; what ends a block underlines none."""
        below = self.source[at + 1].strip() if at + 1 < len(self.source) else ""
        return 0 if below in self.blocks else kinds.underlined(self.source, at)

    def _header(self) -> None:
        """Take the title and what stands right below it: who wrote the document, and its revision."""
        while self.at < len(self.source) and self.source[self.at].startswith(("//", ":")):
            self._line(self.source[self.at])
        if self.at >= len(self.source) or not kinds.TITLE.fullmatch(self.source[self.at]):
            return
        self._line(self.source[self.at])
        self.header = headers.read_header(self.source[self.at : self.at + _HEADER_LINES])
        self._drop("authors", self.header.addresses, _ADDRESSES)
        below = self.at
        self._skip(self.header.lines)
        while self.at < len(self.source) and self.source[self.at].startswith(("//", ":")):
            self._line(self.source[self.at])
        row = below if self.at > below else below - 1
        if row and self.at == below:
            self.out[0] = self.out[row]  # of attributes above, that then show the title
        if row:
            block = self.inline.rewrite(headers.title_block(self.header, self.inline.attributes))
            self.out[row] = headers.with_break(block, self.source[row + 1 : self.at + 1])

    def _structure(self, line: str) -> bool:
        """Take a title, an attribute, a comment or a directive."""
        level = self._underlined(self.at)
        title = kinds.TITLE.fullmatch(line)
        if level or title:
            text = title[2] if title else line.strip()
            self._title(level or len(title[1] if title else ""), text)
            self._put(*[""] * bool(level))
        elif found := kinds.ATTRIBUTE.fullmatch(line):
            self._set(found[1], found[2] or "")
        elif line.startswith("//") and not line.startswith("////"):
            self._skip()
        elif found := kinds.DIRECTIVE.fullmatch(line):
            self._directive(found)
        elif found := kinds.BLOCK_ANCHOR.fullmatch(line):
            self.anchor = found[1]
            self._skip()
        elif kinds.BLOCK_ATTRIBUTES.fullmatch(line):
            self._put(self._note_attributes(line))
        else:
            return False
        return True

    def _note_attributes(self, line: str) -> str:
        """Keep what is said of the next block; return what says who a quotation is of, if that does."""
        said = line.strip()[1:-1]
        if len(self.attributes) < _MOST_SAID:
            self.attributes = f"{self.attributes},{said}" if self.attributes else said
        found = re.search(r"(?:^|,|\w)#([\w:.-]+)|\bid=[\"']?([\w:.-]+)", self.attributes)
        self.anchor = (found[1] or found[2]) if found else self.anchor
        by = ", ".join(kinds.attribution_of(said)) if self._style() in _SAID else ""
        shown = re.sub(r"[{}\n]", "", self.inline.rewrite(by)).replace('"', "”")[:200]
        return f'{{attribution="{shown}"}}' if shown else ""

    def _style(self) -> str:
        """Return what the first of the attributes says that the block is."""
        return kinds.style_of(self.attributes)

    def _title(self, level: int, text: str) -> None:
        self.markers, self.is_attached, self.attributes = [], False, ""
        anchor = self.anchor or f"_{heading_anchor(title_words(text), set()).replace('-', '_')}"
        self.anchor = ""
        self.inline.attributes.setdefault("doctitle", text)
        named = f" {{#{anchor}}}" if re.fullmatch(r"[\w-]+", anchor) else ""
        self._put(f"{'#' * min(level, 6)} {self.inline.rewrite(text)}{named}")

    def _set(self, name: str, value: str) -> None:
        lines = 1
        while value.endswith("\\") and self.at + lines < len(self.source):
            value = value.rstrip(" \\+") + " " + self.source[self.at + lines].strip()
            lines += 1
        if "!" in name:
            self.inline.attributes.pop(name.strip("!"), None)
        else:
            self.inline.set(name, value)
        self._skip(lines)

    def _directive(self, found: re.Match[str]) -> None:
        name, target, shown = found.groups()
        if name == "image":
            self._put(f"{self._margin}{self.inline.rewrite(found[0].strip())}")
            return
        if name in ("video", "audio"):
            self.dropped.append(DroppedContent(name, f"line {self.at + 1}", _NO_TEXT))
        elif name == "include":
            self._drop("include", found[0].strip(), _INCLUDED)
        elif name in ("ifdef", "ifndef", "ifeval"):
            self._condition(name, target, shown)
            return
        self._skip()

    def _condition(self, name: str, target: str, shown: str) -> None:
        """Take a line or the lines that are there if something is set, or leave them out."""
        holds = is_met(name, target, shown, self.inline)
        if holds:
            self._put(self.inline.rewrite(shown) if name != "ifeval" else "")
        elif shown and name != "ifeval":
            self._drop("condition", shown, _CONDITION)
            self._skip()
        else:
            self._leave_out()

    def _leave_out(self) -> None:
        first = self.at
        self._skip(count_lines(self.source, first))
        self._drop("condition", "\n".join(self.source[first + 1 : self.at - 1]), _CONDITION, first)

    def _drop(self, kind: str, text: str, reason: str, at: int | None = None) -> None:
        place = f"line {(self.at if at is None else at) + 1}"
        characters = sum(not sign.isspace() for sign in text)
        if characters:
            self.dropped.append(DroppedContent(kind, place, reason, characters))

    def _block(self, line: str) -> bool:
        """Take a block between two equal lines, or the line that begins or ends one."""
        if not kinds.DELIMITER.fullmatch(line):
            if kinds.RULE.fullmatch(line.strip()):
                self._skip()
                return True
            return False
        mark = line.strip()
        end = self._end_of(mark, self.at)
        self._end_lists_unless_attached()
        if "=" in mark[1:] and mark[0] in "|,:!" and end is not None:
            self._table(end)
        elif mark[0] in "+/" and end is not None:
            self._passed(end)
        elif end is not None and ((mark[0] in _VERBATIM and mark != "--") or self._is_verse()):
            self._verbatim(end) if mark[0] in _VERBATIM else self._verse(end)
        else:
            self._toggle(mark)
        self.attributes = ""
        return True

    def _passed(self, end: int) -> None:
        """Leave out a comment, or what is passed through to a page, but for formulas and HTML."""
        inner, room = self.source[self.at + 1 : end], end + 1 - self.at
        if self.source[self.at][0] == "/":
            self._skip(room)
        elif lines := fence_passed(inner, self.attributes, self.inline):
            self._put(*(f"{self._margin}{line}" for line in lines))
        else:
            self._drop("passed through", "\n".join(inner), _PASSED)
            self._skip(room)

    def _verse(self, end: int) -> None:
        """Take a poem, whose lines stay lines."""
        lines = [self.inline.rewrite(line.strip()) for line in self.source[self.at + 1 : end]]
        below = [*lines[1:], ""]
        broken = [
            f"{line}\\" if line and after else line
            for line, after in zip(lines, below, strict=True)
        ]
        margin = self._margin + "> " * ("," in self.attributes)
        self._put("", *(f"{margin}{line}" for line in broken), "")

    def _toggle(self, mark: str) -> None:
        """Begin or end a block that holds others."""
        if is_end := mark in self.blocks:
            del self.blocks[self.blocks.index(mark) :]
        else:
            self.blocks.append(mark)
        self.quotes = any(one[0] == "_" for one in self.blocks)
        style = "" if is_end else self._style()
        self._put(self.boxes.pop(mark, "") if is_end else "")
        if style in _ADMONITIONS:
            colons = ":" * max(3, _MOST_COLONS - len(self.blocks))
            self.boxes[mark] = f"{self._margin}{colons}"
            title, self.title = self.inline.rewrite(self.title), ""
            self.out[-1] = f"{self._margin}{colons}{style.lower()} {title}".rstrip()

    def _end_of(self, mark: str, at: int) -> int | None:
        closing = mark.rstrip("abcdefghijklmnopqrstuvwxyz") if mark[0] == "`" else mark
        return self._next_line(closing, at)

    def _next_line(self, wanted: str, behind: int) -> int | None:
        """Return the number of the next line behind one that is `wanted`; all are found once."""
        if not self._places:
            for at, line in enumerate(self.source):
                if kinds.DELIMITER.fullmatch(line):
                    self._places.setdefault(line.strip(), []).append(at)
        places = self._places.get(wanted, [])
        at = bisect_right(places, behind)
        return places[at] if at < len(places) else None

    def _end_lists_unless_attached(self) -> None:
        if not self.is_attached and self._is_after_blank():
            self.markers = []
        self.is_attached = False

    def _verbatim(self, end: int) -> None:
        title = re.sub(r"[`*]", "", self.inline.known(self.title)).replace('"', "”")
        self.title = ""
        lines = fence_code(self.source[self.at + 1 : end], self.attributes, title)
        self._put(*(f"{self._margin}{line}" for line in lines))

    def _table(self, end: int) -> None:
        rows = rewrite_table(self.source[self.at : end + 1], self.attributes, self.inline)
        room = end + 1 - self.at
        lines = [f"{self._margin}{row}" for row in rows]
        self.out += [*[""] * (room - len(lines) - 1), *lines, ""]
        self.at = end + 1

    def _item(self, line: str) -> bool:
        """Take the first line of an item of a list, or a term with what is said of it."""
        found = kinds.ITEM.fullmatch(line)
        term = None if found else kinds.TERM.fullmatch(line)
        if not found and not (term and self._may_be_term(term)):
            return False
        marker = kinds.kind_of(found[1]) if found else (term[2] if term else "")
        self._open(marker)
        margin, below = self._margin[:-_STEP], "\\" if self._has_text_below() else ""
        if found:
            number = "1.  " if marker.startswith((".", "1", "a", "<")) else "-   "
            text = re.sub(r"\A\[\*\](?=\s)", "[x]", found[2])
            self._put(f"{margin}{number}{self._broken(text, below)}")
        elif term:
            said = f" {self._broken(term[3], below)}" if term[3] else ""
            bullet = DEFINED_TERM if said or self._has_text_below() else TERM
            named = self.inline.rewrite(term[1].rstrip(" :"))
            named = f"{named if '*' in named else f'**{named}**'}:" if named else ""
            self._put(f"{margin}{bullet if named else '-'}   {named}{said}")
        # What a term without a text stands over, an empty line between them or not, defines it.
        self.attributes, self.is_attached = "", term is not None and not term[3]
        return True

    def _broken(self, text: str, end: str) -> str:
        """Return the first line of an item; `end` is put for the sign of a break at its end."""
        kept = text.rstrip()
        if not kept.endswith(" +"):
            return self.inline.rewrite(text)
        return self.inline.rewrite(kept.removesuffix(" +")) + end

    def _has_text_below(self) -> bool:
        below = self.at + 1
        return below < len(self.source) and self._goes_on(below, is_literal=False)

    def _may_be_term(self, term: re.Match[str]) -> bool:
        return term[2] != ";;" or bool(self.markers)

    def _open(self, marker: str) -> None:
        if marker in self.markers:
            self.markers = self.markers[: self.markers.index(marker) + 1]
        elif len(self.markers) < _MOST_LEVELS:
            self.markers.append(marker)

    def _text(self, line: str) -> None:
        """Take the lines of a paragraph, or those of it that are left."""
        is_first = self._is_after_blank() or bool(self.title)
        begins = is_first or (self.at > 0 and self.source[self.at - 1].strip() in self.blocks)
        title = kinds.BLOCK_TITLE.fullmatch(line) if begins else None
        if title and (self._is_above_code() or self._is_above_box()):
            self.markers = [] if is_first and not self.is_attached else self.markers
            self.title = title[1]
            self._skip()
            return
        is_literal = begins and line[0].isspace() and not self._is_verse()
        if is_first and not self.is_attached and not is_literal:
            self.markers = []
        end = self.at + 1
        while end < len(self.source) and self._goes_on(end, is_literal=is_literal):
            end += 1
        lines = self.source[self.at : end]
        below = self.source[end].strip() if end < len(self.source) else ""
        # The title of a block: what stands above it is said of the block.
        is_title = title is not None and len(lines) == 1 and bool(below)
        self.is_attached = self.is_attached and is_title
        is_code = is_first and self._style() in _PREFORMATTED and not is_title
        if is_code and title and not below:
            self.title = title[1]
            self._verbatim(end)
        elif is_code or is_literal:
            self._put(*(f"{self._margin}{_INDENT}{one}" for one in lines))
        elif is_first and not STRUCK_NAMES.isdisjoint(re.split(r"[.#,]", self.attributes)):
            self._drop(STRUCK.kind, "\n".join(lines), STRUCK.reason)
            self._skip(len(lines))
        else:
            shown = self._shown([one.strip() for one in lines], is_first=begins).split("\n")
            # What becomes of a line that shows nothing must not end the paragraph.
            shown = [one for one in shown if one.strip()]
            margin = self._margin + "> " * self._is_said(lines)
            shown = [f"{margin}{one}" for one in shown]
            if lead := "" if is_title or not begins else self._lead_of(lines[0]):
                shown = self._boxed(lead, shown)
            self._put(*shown, *[""] * (len(lines) - len(shown)))
        self.attributes = self.attributes if is_title else ""

    def _is_above_code(self) -> bool:
        """Whether code between two lines comes next, behind no more than what is said of it."""
        at = self.at + 1
        while at < len(self.source) and any(
            kind.fullmatch(self.source[at]) for kind in (kinds.BLOCK_ATTRIBUTES, kinds.BLOCK_ANCHOR)
        ):
            at += 1
        mark = self.source[at].strip() if at < len(self.source) else ""
        is_verbatim = mark[:1] in ("-", ".", "`") and mark != "--"
        is_block = is_verbatim and kinds.DELIMITER.fullmatch(mark) is not None
        return is_block and self._end_of(mark, at) is not None

    def _is_above_box(self) -> bool:
        """Whether a note comes next, behind no more than what is said of it."""
        at, kept = self.at + 1, self.attributes
        while at < len(self.source) and (
            found := kinds.BLOCK_ATTRIBUTES.fullmatch(self.source[at])
        ):
            self.attributes = self.attributes or found[1]
            at += 1
        lead = self._lead_of(self.source[at]) if at < len(self.source) else ""
        self.attributes = kept
        return bool(lead) and bool(self.source[at].strip())

    def _is_said(self, lines: Sequence[str]) -> bool:
        """Whether a paragraph is a quotation of somebody."""
        # A verse of nobody's is how manuals write what a command is called with.
        is_styled = self._style() == "quote" or (self._is_verse() and "," in self.attributes)
        return is_styled or all(line.startswith("> ") for line in lines) or kinds.is_signed(lines)

    def _goes_on(self, at: int, *, is_literal: bool) -> bool:
        """Whether a line belongs to the paragraph of the one above it."""
        line = self.source[at]
        if not line.strip() or line.strip() == "+" or line.strip() in self.blocks:
            return False
        is_block = any(kind.fullmatch(line) for kind in kinds.BLOCKS) or line.startswith("//")
        return is_literal or not (is_block or self._underlined(at))

    def _is_verse(self) -> bool:
        return self._style() == "verse"

    def _shown(self, lines: Sequence[str], *, is_first: bool) -> str:
        title = kinds.BLOCK_TITLE.fullmatch(lines[0]) if is_first else None
        told = kinds.ADMONITION.fullmatch(lines[0]) if is_first else None
        if title:
            first = f"**{self.inline.rewrite(title[1])}**"
            rest = self._shown(lines[1:], is_first=True) if lines[1:] else ""
            return "\n".join([f"{first}\\", rest]) if rest else first
        lines = [line.removeprefix("> ") for line in lines] if self._is_said(lines) else lines
        if kinds.is_signed(lines):
            lines = [*lines[:-2], f"{lines[-2]} +", f"— {lines[-1][3:]}"]
        text = "\n".join([told[2] if told else lines[0], *lines[1:]]).removesuffix(" +")
        if is_broken := "hardbreaks" in self.attributes or self._is_verse():
            text = text.replace(" +\n", "\n")
        shown = self.inline.rewrite(text.replace(" +\n", _BROKEN + "\n")).replace(_BROKEN, "\\")
        if is_broken:
            shown = shown.replace("\n", "\\\n")
        return "\n".join(map(kinds.as_text, shown.split("\n")))

    def _lead_of(self, line: str) -> str:
        """Return what a paragraph that begins with a line says it is: "NOTE"; "" for plain text."""
        told = kinds.ADMONITION.fullmatch(line)
        return told[1] if told else self._style() if self._style() in _ADMONITIONS else ""

    def _boxed(self, lead: str, lines: Sequence[str]) -> list[str]:
        """Return the lines of Markdown of a box; its title stands where the lines above say it."""
        first = f"{self._margin}> [!{lead}] "
        if self.title:
            titled = f"{first}{self.inline.rewrite(self.title)}"
            has_room = self.out[-2:] == ["", ""]
            self.out[-2:] = (
                [titled, f"{self._margin}>"] if has_room else [*self.out[-2:-1], f"{titled}\\"]
            )
            first, self.title = f"{self._margin}> ", ""
        margins = [first, *[f"{self._margin}> "] * (len(lines) - 1)]
        return [
            before + line[len(self._margin) :] for before, line in zip(margins, lines, strict=True)
        ]
