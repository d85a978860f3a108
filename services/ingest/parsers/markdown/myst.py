"""Rewrite the roles, directives and labels of Sphinx in Markdown as Markdown, line for line.

Books write them as MyST does, {ref}`intro`, or as reStructuredText does, :numref:`sec_intro`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.admonitions import kind_of
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.markdown.list_table import write_csv_table, write_table
from services.ingest.parsers.markdown.myst_labels import read_captions, read_equations
from services.ingest.parsers.markdown.myst_names import (
    CODE,
    DESCRIBED,
    HIDDEN,
    OBJECTS,
    PICTURES,
    PLAIN,
    SIGNATURE,
    UNTITLED,
)
from services.ingest.parsers.markdown.myst_roles import KNOWN_ROLES, ROLE_NAME, Roles, goes_on
from services.ingest.parsers.markdown.nested import EVAL_RST
from services.ingest.parsers.scripts import STRUCK_NAMES
from services.ingest.parsers.sphinx_conditions import is_met
from services.ingest.parsers.sphinx_labels import VERSIONS, title_of_caption, version_label

_NAME = ROLE_NAME
# Each run of spaces is taken by one part and given back by none: a deep list begins with thousands.
_MARGIN = r"[ \t>]*+(?:(?:[-*+] |\d+[.)] )[ \t]*+){0,3}"
_OPENING = re.compile(rf"({_MARGIN})(`{{3,}}|~{{3,}}|:{{3,}})\{{({_NAME})[^}}\n]*\}}(.*)")
_FENCE = re.compile(rf"{_MARGIN}(`{{3,}}|~{{3,}})(?![^\n]*`)")
_ALONE = re.compile(r"(?:\+\+\+.*|%.*|:(?:begin_tab|end_tab|orphan):)\s*")
_TARGET = re.compile(r"[ \t]*\(([^()\s]+)\)=[ \t]*")
_OPTION = re.compile(rf"[ \t>]*:({_NAME}):(?:[ \t]+(.*))?")
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*")
_LABEL = re.compile(r":(?:label|eqlabel):`([^`]+)`")
_EMPTY_LINK = r"(?<!!)\[\]\((?!<)[^()\s:]{1,200}\)"
_SIGNS = re.compile(
    r"^[ \t>]*+(?:[-*+] [ \t]*+)?(?:`{3,}|~{3,}|:{3,})\{[A-Za-z]|^[ \t]*+\([^()\s]+\)=[ \t]*$"
    rf"|\{{{_NAME}\}}`|(?<![\w:]):(?:{KNOWN_ROLES}):`|[(<](?:project|path|inv|myst):[^\s()<>]"
    rf"|^[ \t>]*+\$\$[ \t]*\([^()\s]+\)[ \t]*$|{_EMPTY_LINK}",
    re.MULTILINE,
)

NONE: Mapping[str, str] = MappingProxyType({})
_TABLES = ("list-table", "csv-table")
_QUOTED = re.compile(r"([\"'])([^\"']*)\1")
_MOST_NESTED = 60
_MOST_ROLE_LINES = 6


def rewrite_myst(
    source: str, values: Mapping[str, str] | None = None, names: Mapping[str, str] = NONE
) -> tuple[str, list[DroppedContent]]:
    """Return Markdown of as many lines, and what was left out; without signs of it, the source.

    `values` are what the front matter says its substitutions stand for, None where it has none; `names`
    what references to other files show.
    """
    if values is None and _SIGNS.search(source) is None:
        return source, []
    rewriter = _Rewriter(source.split("\n"), values or {}, names)
    return "\n".join(rewriter.rewrite()), rewriter.dropped


@dataclass
class _Open:
    """A directive or a fence that is open: its fence, and what its last line becomes."""

    fence: str
    closing: str
    is_verbatim: bool = False
    place: int = -1
    """Of a box, where its first line stands among those written."""

    def is_closed_by(self, line: str) -> bool:
        mark = line.strip(" \t>")
        return len(mark) >= len(self.fence) and not mark.strip(self.fence[0])


@dataclass
class _Rewriter:
    """Goes through the lines once; `out` has as many."""

    source: list[str]
    values: Mapping[str, str]
    names: Mapping[str, str]
    out: list[str] = field(default_factory=list)
    dropped: list[DroppedContent] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)
    at: int = 0

    def __post_init__(self) -> None:
        self._roles = Roles(_titles_of(self.source), self.names, self.values, self.dropped)

    def rewrite(self) -> list[str]:
        while self.at < len(self.source):
            self._line(self.source[self.at])
        return self.out

    def _put(self, line: str) -> int:
        """Write a line for one of the source; return where it stands."""
        self.out.append(line)
        self.at += 1
        return len(self.out) - 1

    def _line(self, line: str) -> None:
        if self.opened and self.opened[-1].is_closed_by(line):
            indent = line[: len(line) - len(line.lstrip(" \t>"))]
            self._put(indent + self.opened.pop().closing)
        elif self.opened and self.opened[-1].is_verbatim:
            self._put(line)
        elif found := _OPENING.fullmatch(line):
            self._open(*found.groups())
        elif fence := _FENCE.match(line):
            self.opened.append(_Open(fence[1], fence[1], is_verbatim=True))
            self._put(line)
        elif _TARGET.fullmatch(line) or _ALONE.fullmatch(line):
            self._put("")
        else:
            self._text()

    def _open(self, indent: str, fence: str, name: str, argument: str) -> None:
        name, argument = name.lower(), argument.strip()
        if len(self.opened) >= _MOST_NESTED:
            self._put("")
        elif name == "eval-rst":
            kept = fence if fence[0] != ":" else "`" * len(fence)
            self.opened.append(_Open(fence, kept, is_verbatim=True))
            self._put(f"{indent}{kept}{EVAL_RST}")
        elif name in CODE:
            self._code(indent, fence, name, argument)
        elif name in HIDDEN and not (name == "only" and is_met(argument)):
            self._drop(fence, name, argument)
        elif name in PICTURES:
            self.opened.append(_Open(fence, ""))
            place = self._put("")
            address = argument.split(" ")[0]
            self.out[place] = f"{indent}![{self._options().get('alt', '')}]({address})"
        elif name == "math":
            self.opened.append(_Open(fence, "$$", is_verbatim=True))
            self._put(f"{indent}$$" if not argument else f"{indent}$${argument}")
            self._options()
        elif name in _TABLES:
            self._table(indent, fence, name, argument)
        else:
            self._hold(indent, fence, name, argument)

    def _code(self, indent: str, fence: str, name: str, argument: str) -> None:
        kept = fence if fence[0] != ":" else "`" * len(fence)
        self.opened.append(_Open(fence, kept, is_verbatim=True))
        place = self._put("")
        caption = self._options().get("caption", "").replace('"', "”")
        language = argument.partition(" ")[0] or _language_of(name)
        self.out[place] = f"{indent}{kept}{language}" + (f' title="{caption}"' if caption else "")

    def _hold(self, indent: str, fence: str, name: str, argument: str) -> None:
        """Open a directive whose content is text: a box, or nothing but what it holds."""
        is_object = bool(argument) and OBJECTS.fullmatch(name) is not None
        title = self._inline(argument)
        place = self._put("")
        shown = name not in UNTITLED
        classes = self._options().get("class", "").split()
        names = {*classes, *("" if shown else argument).split()}
        if not STRUCK_NAMES.isdisjoint(names):
            self.opened.append(_Open(fence, "</div></del>"))
            self.out[place] = f"{indent}<del><div>"
        elif is_object:
            self.opened.append(_Open(fence, f"</{DESCRIBED}>"))
            self.out[place] = f'{indent}<{DESCRIBED} {SIGNATURE}="{escape(argument)}">'
        elif name in PLAIN or not shown:
            self.opened.append(_Open(fence, ""))
            is_seen = title and shown
            self.out[place] = indent + self._title(title, name) if is_seen else ""
            if name == "glossary":
                self._define()
        else:
            colons = ":" * max(3, len(fence))
            self._widen(len(colons) + 1)
            self.opened.append(_Open(fence, colons, place=place))
            kind = kind_of(classes) if name == "admonition" else name.rpartition(":")[2]
            kind = kind.replace(".", "-")
            if name in VERSIONS:
                title = self._version(name, argument)
            self.out[place] = f"{indent}{colons}{kind} {title}".rstrip()

    def _version(self, name: str, argument: str) -> str:
        """Return what Sphinx begins a directive on a version with; what stands in it may go on."""
        label, said = version_label(name, argument)
        inner = self.source[self.at : self._end_of(self.opened[-1])]
        after = f": {self._inline(said)}" if said else ":" if "".join(inner).strip(" \t>") else "."
        return label + after

    def _widen(self, least: int) -> None:
        """Give the boxes that are open more colons than those within, whatever fences they have."""
        for box in reversed(self.opened):
            if box.place >= 0 and len(box.closing) < least:
                box.closing = ":" * least
                self.out[box.place] = re.sub(":{3,}", box.closing, self.out[box.place], count=1)
            least = max(least, len(box.closing) + 1) if box.place >= 0 else least

    def _title(self, title: str, name: str) -> str:
        """Return the title of what comes next: a paragraph of its own, even without an empty line."""
        if name == "table":
            return _titled_table(title)
        below = self.source[self.at] if self.at < len(self.source) else ""
        # The parser of Markdown shows what such a tag says as a line of its own.
        return f'<Titled label="{escape(title)}">' if below.strip(" \t>") else f"**{title}**"

    def _define(self) -> None:
        """Make the indented texts of a glossary definitions of the lines right above them."""
        above = ""
        for at in range(self.at, self._end_of(self.opened[-1])):
            line = self.source[at]
            is_text = line[:1].isspace() and line.strip() and not line.lstrip().startswith(":")
            if is_text and above.strip() and not above[0].isspace():
                self.source[at] = f": {line.strip()}"
            above = line

    def _end_of(self, block: _Open) -> int:
        """Return the number of the line that closes a block, or of the one behind the last."""
        ends = range(self.at, len(self.source))
        return next((at for at in ends if block.is_closed_by(self.source[at])), len(self.source))

    def _table(self, indent: str, fence: str, name: str, argument: str) -> None:
        """Write a table of lists or of values as one of Markdown; what is neither stays text."""
        block, start, title = _Open(fence, ""), self.at, self._inline(argument)
        place = self._put("")
        options = self._options()
        end = self._end_of(block)
        body = self.source[self.at : end]
        if "file" in options or "url" in options:
            reason = "what it shows is in another file"
            self.dropped.append(DroppedContent(name, f"line {start + 1}", reason))
        table = write_csv_table(body, options) if name == "csv-table" else write_table(body)
        head = [_titled_table(title) if title else ""]
        room = end + 1 - start - len(head) - len(table)
        if table and (
            room > 0 or (room == 0 and not "".join(self.source[end + 1 : end + 2]).strip())
        ):
            margin = re.sub(r"[-*+]|\d+[.)]", lambda found: " " * len(found[0]), indent)
            rows = [margin + self._inline(row) for row in table]
            self.out[start:] = [f"{indent}{head[0]}", *head[1:], *rows, *[""] * room]
            self.at = end + 1
        else:
            self.opened.append(block)
            self.out[place] = indent + head[0]

    def _options(self) -> dict[str, str]:
        """Blank the options right below a directive, and return them."""
        found: dict[str, str] = {}
        if self.at < len(self.source) and self.source[self.at].strip(" \t>") == "---":
            ends = range(self.at + 1, min(len(self.source), self.at + 100))
            end = next((at for at in ends if self.source[at].strip(" \t>") == "---"), 0)
            while end and self.at <= end:
                name, _, value = self.source[self.at].strip().partition(":")
                quoted = _QUOTED.fullmatch(value.strip())
                found[name] = quoted[2] if quoted else value.strip()
                self._put("")
        while self.at < len(self.source) and (one := _OPTION.fullmatch(self.source[self.at])):
            found[one[1]] = one[2] or ""
            self._put("")
        return found

    def _drop(self, fence: str, name: str, argument: str) -> None:
        start, block = self.at, _Open(fence, "")
        self._put("")
        while self.at < len(self.source) and not block.is_closed_by(self.source[self.at]):
            self._put("")
        end = self.at
        if self.at < len(self.source):
            self._put("")
        if HIDDEN[name]:
            text = "\n".join((argument, *self.source[start + 1 : end]))
            place = f"line {start + 1}"
            self.dropped.append(DroppedContent(name, place, HIDDEN[name], visible(text)))

    def _inline(self, text: str) -> str:
        self._roles.number = self.at + 1
        return self._roles.rewrite(text)

    def _text(self) -> None:
        """Take a line, and those below it as far as roles go on in them."""
        end = self.at + 1
        while goes_on("\n".join(self.source[self.at : end])) and self._may_go_on(end):
            end += 1
        for line in self._inline("\n".join(self.source[self.at : end])).split("\n"):
            self._put(line)

    def _may_go_on(self, end: int) -> bool:
        below = self.source[end] if end < len(self.source) else ""
        is_within = end - self.at < _MOST_ROLE_LINES
        return is_within and bool(below.strip(" \t>")) and not _OPENING.fullmatch(below)


def _titled_table(title: str) -> str:
    """Return the title of the table that comes next, as the parser of Markdown reads a caption."""
    return f'<Titled caption="{escape(title)}">'


def _language_of(name: str) -> str:
    return "" if name.startswith(("code", "source", "prompt", "parsed", "test")) else name


def _titles_of(lines: Sequence[str]) -> dict[str, str]:
    """Return the titles of headings by the labels before or behind them, and captions by theirs."""
    titles = {label: title_of_caption(said) for label, said in read_captions(lines)}
    titles |= read_equations(lines)
    for at, line in enumerate(lines):
        target = _TARGET.fullmatch(line)
        label = _LABEL.fullmatch(line.strip())
        near = (
            lines[at + 1 : at + 3] if target else lines[max(0, at - 2) : at][::-1] if label else ()
        )
        heading = next((found for one in near if (found := _HEADING.fullmatch(one))), None)
        if heading:
            name = target[1] if target else label[1] if label else ""
            titles[name.lower()] = heading[1]
    return titles
