"""Rewrite the roles, directives and labels of Sphinx in Markdown as Markdown, line for line.

Books write them as MyST does, {ref}`intro`, or as reStructuredText does, :numref:`sec_intro`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.markdown.list_table import write_table

_NAME = r"[A-Za-z][\w:+.-]{0,60}"
_KNOWN = (
    "label|eqlabel|numref|ref|eqref|eq|cite|citet|citep|doc|any|download|term|abbr|math|func|meth|class"
    "|mod|attr|exc|data|const|obj|file|samp|kbd|command|program|envvar|option|guilabel|menuselection"
    "|sub|sup|pep|rfc|width|height|begin_tab|end_tab|library|bibliography"
)
"""Names of roles that stand between colons; other words there are emoji, or of a language of code."""
_ROLE_NAME = re.compile(rf"(?<![`\\])(?:\{{({_NAME})\}}|(?<![\w:]):((?:{_KNOWN})(?::\w+)?):)\Z")
_LONGEST_NAME = 64
_TICKS = re.compile(r"`+")
# Each run of spaces is taken by one part and given back by none: a deep list begins with thousands.
_MARGIN = r"[ \t>]*+(?:(?:[-*+] |\d+[.)] )[ \t]*+)?"
_OPENING = re.compile(rf"({_MARGIN})(`{{3,}}|~{{3,}}|:{{3,}})\{{({_NAME})[^}}\n]*\}}(.*)")
_FENCE = re.compile(rf"{_MARGIN}(`{{3,}}|~{{3,}})(?![^\n]*`)")
_ALONE = re.compile(r"(?:\+\+\+.*|% .*|:(?:begin|end)_tab:)\s*")
_TARGET = re.compile(r"[ \t]*\(([^()\s]+)\)=[ \t]*")
_OPTION = re.compile(rf"[ \t>]*:({_NAME}):(?:[ \t]+(.*))?")
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*")
_LABEL = re.compile(r":(?:label|eqlabel):`([^`]+)`")
_TITLED = re.compile(r"(.+?)\s*<([^<>]+)>", re.DOTALL)
_ABBREVIATED = re.compile(r"(.+?)\s*\(.+\)")
_SIGNS = re.compile(
    r"^[ \t>]*+(?:[-*+] [ \t]*+)?(?:`{3,}|~{3,}|:{3,})\{[A-Za-z]|^[ \t]*+\([^()\s]+\)=[ \t]*$"
    rf"|\{{{_NAME}\}}`|(?<![\w:]):(?:{_KNOWN}):`",
    re.MULTILINE,
)

_CODE = frozenset(
    (
        *(
            "code",
            "code-block",
            "sourcecode",
            "code-cell",
            "prompt",
            "doctest",
            "testcode",
            "mermaid",
        ),
        *(
            "graphviz",
            "r",
            "python",
            "julia",
            "bash",
            "sh",
            "sql",
            "ojs",
            "parsed-literal",
            "ipython",
        ),
    )
)
_HIDDEN = {
    **dict.fromkeys(("toctree", "tableofcontents", "contents"), "the headings stand in the text"),
    **dict.fromkeys(("include", "literalinclude"), "what it shows is in another file"),
    "bibliography": "what it shows is in another file",
    **dict.fromkeys(("raw", "eval-rst"), "it is meant for one form of output only"),
    **dict.fromkeys(("index", "comment", "sectionauthor", "codeauthor", "meta"), ""),
}
"""Directives whose content is no text, and why, where readers would see something."""
_PICTURES = frozenset(("image", "figure", "carousel", "mystnb:figure"))
_PLAIN = frozenset(
    (
        *(
            "tab-set",
            "tab-item",
            "grid",
            "grid-item",
            "grid-item-card",
            "card",
            "container",
            "only",
        ),
        *("table", "list-table", "glossary", "epigraph", "div", "centered", "hlist", "margin"),
    )
)
"""Directives that only hold text; their argument is its title."""

_CODE_ROLES = frozenset(
    (
        *(
            "func",
            "meth",
            "class",
            "mod",
            "attr",
            "exc",
            "data",
            "const",
            "obj",
            "file",
            "samp",
            "kbd",
        ),
        *("command", "program", "envvar", "option", "code", "literal", "lit", "ipython"),
    )
)
_CITED = frozenset(("cite", "citet", "citep"))
_REFERENCES = frozenset(("numref", "ref", "eqref", "eq", "doc", "any", "download"))
_UNSEEN = frozenset(
    (
        "label",
        "eqlabel",
        "width",
        "height",
        "begin_tab",
        "end_tab",
        "library",
        "index",
        "bibliography",
    )
)
_UNRESOLVED = "…"
"""Stands for a reference whose number or title only the book's own site knows."""

_MOST_NESTED = 60


def rewrite_myst(source: str) -> tuple[str, list[DroppedContent]]:
    """Return Markdown of as many lines, and what was left out; without signs of it, the source."""
    if _SIGNS.search(source) is None:
        return source, []
    rewriter = _Rewriter(source.split("\n"))
    return "\n".join(rewriter.rewrite()), rewriter.dropped


@dataclass(frozen=True)
class _Open:
    """A directive or a fence that is open: its fence, and what its last line becomes."""

    fence: str
    closing: str
    is_verbatim: bool = False

    def is_closed_by(self, line: str) -> bool:
        mark = line.strip(" \t>")
        return len(mark) >= len(self.fence) and not mark.strip(self.fence[0])


@dataclass
class _Rewriter:
    """Goes through the lines once; `out` has as many."""

    source: Sequence[str]
    out: list[str] = field(default_factory=list)
    dropped: list[DroppedContent] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)
    at: int = 0

    def __post_init__(self) -> None:
        self._titles = _titles_of(self.source)

    def rewrite(self) -> list[str]:
        while self.at < len(self.source):
            self._line(self.source[self.at])
        return self.out

    def _put(self, line: str) -> None:
        self.out.append(line)
        self.at += 1

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
            self._put(self._inline(line))

    def _open(self, indent: str, fence: str, name: str, argument: str) -> None:
        name, argument = name.lower(), argument.strip()
        if len(self.opened) >= _MOST_NESTED:
            self._put("")
        elif name in _CODE:
            kept = fence if fence[0] != ":" else "`" * len(fence)
            self.opened.append(_Open(fence, kept, is_verbatim=True))
            self._put(f"{indent}{kept}{argument.partition(' ')[0] or _language_of(name)}")
            self._options()
        elif name in _HIDDEN:
            self._drop(fence, name, argument)
        elif name in _PICTURES:
            self.opened.append(_Open(fence, ""))
            place = len(self.out)
            self._put("")
            self.out[place] = (
                f"{indent}![{self._options().get('alt', '')}]({argument.split(' ')[0]})"
            )
        elif name == "math":
            self.opened.append(_Open(fence, "$$", is_verbatim=True))
            self._put(f"{indent}$$" if not argument else f"{indent}$${argument}")
            self._options()
        elif name == "list-table" and not indent.strip():
            self._table(fence, argument)
        else:
            self._hold(indent, fence, name, argument)

    def _hold(self, indent: str, fence: str, name: str, argument: str) -> None:
        """Open a directive whose content is text: a box, or nothing but what it holds."""
        title = self._inline(argument)
        if name in _PLAIN:
            self.opened.append(_Open(fence, ""))
            self._put(f"{indent}**{title}**" if title else "")
        else:
            # Boxes in boxes have more colons, as their fences have.
            colons = ":" * max(3, len(fence))
            self.opened.append(_Open(fence, colons))
            self._put(
                f"{indent}{colons}{name.replace(':', '-').replace('.', '-')} {title}".rstrip()
            )
        self._options()

    def _table(self, fence: str, argument: str) -> None:
        """Write a table whose rows are a list as one of Markdown; what is no such list stays one."""
        block = _Open(fence, "")
        self.opened.append(block)
        self._put(f"**{self._inline(argument)}**" if argument else "")
        self._options()
        end = self.at
        while end < len(self.source) and not block.is_closed_by(self.source[end]):
            end += 1
        table = write_table(self.source[self.at : end])
        room = end - self.at - len(table)
        if not table or room < 0:
            return
        # Rows stand below one another, so the lines that are left over stand before and after.
        before = min(room, 1)
        written = ["", *map(self._inline, table)] if before else list(map(self._inline, table))
        for line in (*written, *("" for _ in range(room - before))):
            self._put(line)

    def _options(self) -> dict[str, str]:
        """Blank the options right below a directive, and return them."""
        found: dict[str, str] = {}
        if self.at < len(self.source) and self.source[self.at].strip(" \t>") == "---":
            ends = range(self.at + 1, min(len(self.source), self.at + 100))
            end = next((at for at in ends if self.source[at].strip(" \t>") == "---"), 0)
            while end and self.at <= end:
                name, _, value = self.source[self.at].strip().partition(":")
                found[name] = value.strip().strip("\"'")
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
        if _HIDDEN[name]:
            text = "\n".join((argument, *self.source[start + 1 : end]))
            place = f"line {start + 1}"
            self.dropped.append(DroppedContent(name, place, _HIDDEN[name], visible(text)))

    def _inline(self, line: str) -> str:
        if "`" not in line:
            return line
        parts, position = list[str](), 0
        for role in _roles_of(line):
            before = line[position : role.start]
            shown = self._show(role.name.lower(), role.text)
            # A label or a citation takes the space before it along.
            parts += [before if shown else before.rstrip(" "), shown]
            position = role.end
        text = "".join((*parts, line[position:]))
        return "" if parts and not text.strip(" \t>") else text

    def _show(self, role: str, text: str) -> str:
        """Return what a reader sees of a role, as Markdown."""
        name = role.split(":", 1)[0] if role.startswith("cite:") else role.rsplit(":", 1)[-1]
        if name in _UNSEEN or name in _CITED:
            if name in _CITED:
                self._note("citation", text, "the book's own site writes what it shows")
            return ""
        titled = _TITLED.fullmatch(text)
        if name in _REFERENCES:
            return self._reference(name, titled, text)
        if name in _CODE_ROLES:
            return f"`{(titled[1] if titled else text).lstrip('~!')}`"
        return _DRAWN.get(name, _as_it_is)(titled[1] if titled else text)

    def _reference(self, name: str, titled: re.Match[str] | None, text: str) -> str:
        if titled and "%s" not in titled[1] and "{" not in titled[1]:
            return titled[1]
        target = (titled[2] if titled else text).strip()
        if title := self._titles.get(target.lower()):
            return title
        if name in ("doc", "download"):
            return re.sub(r"[-_]+", " ", target.strip("/").split("/")[-1].partition(".")[0])
        self._note("reference", text, "the book's own site writes the number that it shows")
        return _UNRESOLVED

    def _note(self, kind: str, text: str, reason: str) -> None:
        self.dropped.append(DroppedContent(kind, f"line {self.at + 1}", reason, visible(text)))


def _as_it_is(text: str) -> str:
    return text


_DRAWN: dict[str, Callable[[str], str]] = {
    "math": lambda text: f"${text.strip()}$",
    "sub": lambda text: f"<sub>{text}</sub>",
    "sup": lambda text: f"<sup>{text}</sup>",
    "abbr": lambda text: found[1] if (found := _ABBREVIATED.fullmatch(text)) else text,
    "menuselection": lambda text: text.replace("-->", "‣"),
    "emphasis": lambda text: f"*{text}*",
    "strong": lambda text: f"**{text}**",
    "del": lambda text: f"~~{text}~~",
    "strike": lambda text: f"~~{text}~~",
    "pep": lambda text: f"PEP {text}",
    "rfc": lambda text: f"RFC {text}",
}


class _Role(NamedTuple):
    start: int
    end: int
    name: str
    text: str


def _roles_of(line: str) -> Iterator[_Role]:
    """Yield the roles of a line, in time that grows as it does; what looks so in code is none."""
    ticks = [found.span() for found in _TICKS.finditer(line)]
    closing: dict[int, int] = {}
    closers = [0] * len(ticks)
    for at in range(len(ticks) - 1, -1, -1):
        width = ticks[at][1] - ticks[at][0]
        closers[at] = closing.get(width, 0)
        closing[width] = at
    at = 0
    while at < len(ticks):
        closer, (start, end) = closers[at], ticks[at]
        if closer:
            name = _ROLE_NAME.search(line[max(0, start - _LONGEST_NAME) : start])
            if name:
                begin = start - len(name[0])
                text = line[end : ticks[closer][0]]
                yield _Role(begin, ticks[closer][1], name[1] or name[2], text)
            at = closer
        at += 1


def _language_of(name: str) -> str:
    return "" if name.startswith(("code", "source", "prompt", "parsed", "test")) else name


def _titles_of(lines: Sequence[str]) -> dict[str, str]:
    """Return the titles of headings by the labels before or behind them."""
    titles: dict[str, str] = {}
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
