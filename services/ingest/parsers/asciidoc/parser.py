"""Parse AsciiDoc by rewriting it as Markdown, line for line, so that places stay those of the file.

What includes name, passes through to another format or is conditional on what is not set is left out
and named.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from libs.text import heading_anchor
from services.ingest.model.book import DroppedContent, ParsedText
from services.ingest.parsers.asciidoc import lines as kinds
from services.ingest.parsers.asciidoc.inline import Inline
from services.ingest.parsers.asciidoc.tables import rewrite_table
from services.ingest.parsers.markdown import DEFINED_TERM, TERM, parse_markdown

_VERBATIM = "-.`"
_INDENT = "    "
_STEP = len(_INDENT)
_MOST_LEVELS = 8
_HEADER_LINES = 3
_BROKEN = "\x1e"
_INCLUDED = "what it includes is another file"
_PASSED = "it is for another format than text"
_CONDITION = "it is for when something is set that is not"
_CALLOUT, _LONGEST_CALLOUT = re.compile(r"<\d+>\Z"), 8
_LANGUAGE = re.compile(r"(?:source|,)\s*%?\w*,?\s*([\w+-]+)")


def parse_asciidoc(source: str, fallback_title: str) -> ParsedText:
    """Parse a file; `fallback_title` names a document that has no title of its own."""
    whole = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rewriter = _Rewriter(whole.expandtabs(8).split("\n"))
    markdown = "\n".join(rewriter.rewrite())
    parsed = parse_markdown(markdown, mdx=False, fallback_title=fallback_title, has_terms=True)
    return replace(parsed, dropped_content=(*parsed.dropped_content, *rewriter.dropped))


@dataclass
class _Rewriter:
    """Goes through the lines of a file once; `out` has as many, and the footnotes after them."""

    source: Sequence[str]
    out: list[str] = field(default_factory=list)
    dropped: list[DroppedContent] = field(default_factory=list)
    markers: list[str] = field(default_factory=list)
    """Of the lists that are open, the outermost first."""
    attributes: str = ""
    """Those of the block that comes next."""
    anchor: str = ""
    at: int = 0
    is_attached: bool = False
    """Whether the block that comes next belongs to the last item."""
    quotes: bool = False
    _places: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inline = Inline(dict(_titles(self.source)))

    def rewrite(self) -> list[str]:
        """Return the lines of Markdown."""
        self._header()
        while self.at < len(self.source):
            self._line(self.source[self.at])
        notes = [f"[^{at}]: {text}" for at, text in enumerate(self.inline.footnotes, start=1)]
        return [*self.out, "", *(line for note in notes for line in (note, ""))]

    def _line(self, line: str) -> None:
        if not line.strip():
            self._put("")
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
        return not self.at or not self.source[self.at - 1].strip(" \t+")

    def _header(self) -> None:
        """Take the title, and leave out the lines of author and revision right below it."""
        while self.at < len(self.source) and self.source[self.at].startswith(("//", ":")):
            self._line(self.source[self.at])
        if self.at >= len(self.source) or not kinds.TITLE.fullmatch(self.source[self.at]):
            return
        self._line(self.source[self.at])
        for _ in range(_HEADER_LINES):
            line = self.source[self.at] if self.at < len(self.source) else ""
            if not line.strip() or line.startswith((":", "//", "=", "include")):
                return
            self._skip()

    def _structure(self, line: str) -> bool:
        """Take a title, an attribute, a comment or a directive."""
        level = kinds.underlined(self.source, self.at)
        title = kinds.TITLE.fullmatch(line)
        if level or title:
            text = title[2] if title else line.strip()
            self._title(level or len(title[1] if title else ""), text)
            self._put(*[""] * bool(level))
        elif found := kinds.ATTRIBUTE.fullmatch(line):
            self._set(found[1], found[2] or "")
            self._skip()
        elif line.startswith("//") and not line.startswith("////"):
            self._skip()
        elif found := kinds.DIRECTIVE.fullmatch(line):
            self._directive(found)
        elif found := kinds.BLOCK_ANCHOR.fullmatch(line):
            self.anchor = found[1]
            self._skip()
        elif kinds.BLOCK_ATTRIBUTES.fullmatch(line):
            self._note_attributes(line)
            self._skip()
        else:
            return False
        return True

    def _note_attributes(self, line: str) -> None:
        self.attributes = line.strip()[1:-1]
        found = re.search(r"(?:^|,|\w)#([\w:.-]+)|id=[\"']?([\w:.-]+)", self.attributes)
        self.anchor = (found[1] or found[2]) if found else self.anchor

    def _title(self, level: int, text: str) -> None:
        self.markers, self.is_attached, self.attributes = [], False, ""
        anchor = self.anchor or f"_{heading_anchor(text, set()).replace('-', '_')}"
        self.anchor = ""
        named = f" {{#{anchor}}}" if re.fullmatch(r"[\w-]+", anchor) else ""
        self._put(f"{'#' * min(level, 6)} {self.inline.rewrite(text)}{named}")

    def _set(self, name: str, value: str) -> None:
        if "!" in name:
            self.inline.attributes.pop(name.strip("!"), None)
        else:
            self.inline.attributes[name] = value

    def _directive(self, found: re.Match[str]) -> None:
        name, target, shown = found.groups()
        known = self.inline.attributes
        if name == "include":
            self._drop("include", found[0].strip(), _INCLUDED)
        elif name in ("image", "video", "audio"):
            self._put(f"{self._margin}{self.inline.rewrite(found[0].strip())}")
            return
        wanted = (target in known) is (name == "ifdef")
        if name in ("ifdef", "ifndef") and not shown and not wanted:
            self._leave_out()
            return
        self._put(self.inline.rewrite(shown) if name in ("ifdef", "ifndef") and wanted else "")

    def _leave_out(self) -> None:
        first, depth = self.at, 0
        while self.at < len(self.source):
            line = self.source[self.at]
            depth += line.startswith(("ifdef::", "ifndef::")) and line.rstrip().endswith("[]")
            is_end = line.startswith("endif::")
            depth -= is_end
            self._skip()
            if is_end and depth <= 0:
                break
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
        closing = mark.rstrip("abcdefghijklmnopqrstuvwxyz") if mark[0] == "`" else mark
        end = self._next_line(closing)
        self._end_lists_unless_attached()
        if "=" in mark[1:] and mark[0] in "|,:!" and end is not None:
            self._table(end)
        elif mark[0] in "+/" and end is not None:
            inner = "\n".join(self.source[self.at + 1 : end])
            if mark[0] == "+":
                self._drop("passed through", inner, _PASSED)
            self._skip(end + 1 - self.at)
        elif (mark[0] in _VERBATIM and mark != "--") and end is not None:
            self._verbatim(end)
        else:
            if mark[0] == "_":
                self.quotes = not self.quotes
            self._skip()
        self.attributes = ""
        return True

    def _next_line(self, wanted: str) -> int | None:
        """Return the number of the next line that is `wanted`, found in a search made once."""
        if not self._places:
            for at, line in enumerate(self.source):
                if kinds.DELIMITER.fullmatch(line):
                    self._places.setdefault(line.strip(), []).append(at)
        places = self._places.get(wanted, [])
        at = bisect_right(places, self.at)
        return places[at] if at < len(places) else None

    def _end_lists_unless_attached(self) -> None:
        if not self.is_attached and self._is_after_blank():
            self.markers = []
        self.is_attached = False

    def _verbatim(self, end: int) -> None:
        language = _LANGUAGE.search(self.attributes) if "source" in self.attributes else None
        inner = self.source[self.at + 1 : end]
        longest = max((len(found) for found in re.findall(r"`{3,}", "\n".join(inner))), default=2)
        fence = "`" * (longest + 1)
        shown = [_without_callout(line) for line in inner]
        margin = self._margin
        self._put(
            f"{margin}{fence}{language[1] if language else ''}",
            *(f"{margin}{line}" for line in shown),
            f"{margin}{fence}",
        )

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
        marker = _kind_of(found[1]) if found else (term[2] if term else "")
        self._open(marker)
        margin = self._margin[:-_STEP]
        if found:
            number = "1.  " if marker.startswith((".", "1", "a", "<")) else "-   "
            self._put(f"{margin}{number}{self.inline.rewrite(found[2])}")
        elif term:
            said = f" {self.inline.rewrite(term[3])}" if term[3] else ""
            bullet = DEFINED_TERM if said or self._has_text_below() else TERM
            self._put(f"{margin}{bullet}   **{self.inline.rewrite(term[1])}**:{said}")
        # What a term without a text stands over, an empty line between them or not, defines it.
        self.attributes, self.is_attached = "", term is not None and not term[3]
        return True

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
        is_first = self._is_after_blank()
        is_literal = is_first and line[0].isspace() and not self._is_verse()
        if is_first and not self.is_attached and not is_literal:
            self.markers = []
        end = self.at + 1
        while end < len(self.source) and self._goes_on(end, is_literal=is_literal):
            end += 1
        lines = self.source[self.at : end]
        self.is_attached = False
        if is_literal:
            self._put(*(f"{self._margin}{_INDENT}{one}" for one in lines))
            return
        shown = self._shown([one.strip() for one in lines], is_first=is_first).split("\n")
        shown += [""] * (len(lines) - len(shown))
        self._put(*(f"{self._margin}{one}" if one else one for one in shown))

    def _goes_on(self, at: int, *, is_literal: bool) -> bool:
        """Whether a line belongs to the paragraph of the one above it."""
        line = self.source[at]
        if not line.strip() or line.strip() == "+":
            return False
        is_block = any(kind.fullmatch(line) for kind in kinds.BLOCKS) or line.startswith("//")
        return is_literal or not (is_block or kinds.underlined(self.source, at))

    def _is_verse(self) -> bool:
        return self.attributes.startswith(("verse", "quote"))

    def _shown(self, lines: Sequence[str], *, is_first: bool) -> str:
        title = kinds.BLOCK_TITLE.fullmatch(lines[0]) if is_first else None
        told = kinds.ADMONITION.fullmatch(lines[0]) if is_first else None
        if title:
            first = f"**{self.inline.rewrite(title[1])}**"
            rest = self._shown(lines[1:], is_first=False) if lines[1:] else ""
            return "\n".join([first, rest]) if rest else first
        lead = f"**{told[1]}:** " if told else ""
        text = "\n".join([told[2] if told else lines[0], *lines[1:]])
        shown = self.inline.rewrite(text.replace(" +\n", _BROKEN + "\n")).replace(_BROKEN, "\\")
        if self._is_verse():
            shown = shown.replace("\n", "\\\n")
        return lead + "\n".join(map(_as_text, shown.split("\n")))


def _without_callout(line: str) -> str:
    """Return a line of code without the number, behind the mark of a comment, that explains it."""
    found = _CALLOUT.search(line.rstrip()[-_LONGEST_CALLOUT:])
    if not found:
        return line
    before = line.rstrip()[: -len(found[0])].rstrip()
    mark = next((one for one in ("//", "#", ";") if before.endswith(one)), "")
    return before.removesuffix(mark).rstrip()


def _as_text(line: str) -> str:
    """Return a line that Markdown takes for the beginning of nothing else."""
    if line[:1] in "#-+=" or re.match(r"\d+[.)]\s", line):
        return re.sub(r"\A(\d*)([#\-+=.)])", r"\1\\\2", line)
    return line


def _kind_of(marker: str) -> str:
    if marker[0] in "*-.":
        return marker
    return "1." if marker[0].isdigit() else marker[0] if marker[0] == "<" else "a."


def _titles(source: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the ids of headings with what they say: their own, and those made of their words."""
    own = ""
    for at, line in enumerate(source):
        found = kinds.BLOCK_ANCHOR.fullmatch(line)
        own = found[1] if found else own
        title = kinds.TITLE.fullmatch(line)
        if title or kinds.underlined(source, at):
            text = re.sub(r"[`*]", "", title[2] if title else line.strip())
            yield own or f"_{heading_anchor(text, set()).replace('-', '_')}", text
            yield text, text
            own = ""
        elif line.strip() and not found:
            own = own if line.startswith("[") else ""
