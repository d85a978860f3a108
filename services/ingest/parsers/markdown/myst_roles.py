"""Write the roles, references and substitutions within lines of MyST as the Markdown that they show."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible
from services.ingest.parsers.sphinx_labels import (
    NOT_KNOWN,
    NUMBERED,
    document_title,
    is_numbered,
    menu_label,
    numbered,
    words_of_label,
)

ROLE_NAME = r"[A-Za-z][\w:+.-]{0,60}"
KNOWN_ROLES = (
    "label|eqlabel|numref|ref|eqref|eq|cite|citet|citep|doc|any|download|term|abbr|math|func|meth|class"
    "|mod|attr|exc|data|const|obj|file|samp|kbd|command|program|envvar|option|guilabel|menuselection"
    "|sub|sup|pep|rfc|width|height|begin_tab|end_tab|library|bibliography"
)
"""Names of roles that stand between colons; other words there are emoji, or of a language of code."""
_BEFORE_TICKS = re.compile(
    rf"(?<![`\\])(?:\{{({ROLE_NAME})\}}|(?<![\w:]):((?:{KNOWN_ROLES})(?::\w+)?):)\Z"
)
_LONGEST_NAME = 64
_TICKS = re.compile(r"`+")
_MARKS = re.compile(r"\]\(|<|\{\{")
_TITLED = re.compile(r"(.+?)\s*<([^<>]+)>", re.DOTALL)
_OBJECT = re.compile(r"\A(?:!|~(?:.*\.)?|\.)")

_OBJECT_ROLES = frozenset(
    ("func", "meth", "class", "mod", "attr", "exc", "data", "const", "obj", "deco", "type")
)
"""The roles of names in programs."""
_CODE_ROLES = frozenset(
    (
        *(
            "kbd",
            "command",
            "program",
            "envvar",
            "option",
            "code",
            "literal",
            "lit",
            "ipython",
        ),
    )
)
_CITED = re.compile(r"cite(?:$|:|[tp]$)|footcite")
_PARENTHETIC = re.compile(r"cite:(?:ps?|alps?|label)|citep|footcite(?::ps?)?")
"""Roles of citations behind what they prove, which says the same without them."""
_REFERENCES = frozenset(("numref", "ref", "eqref", "eq", "doc", "any", "download", "button-ref"))
_UNSEEN = frozenset(
    (
        *("label", "eqlabel", "width", "height", "begin_tab", "end_tab", "library", "bibliography"),
        *("octicon", "fab", "fas", "far", "fa", "iconify", "raw"),
    )
)
_UNKNOWN = "…"
"""Stands for text that is not in the file."""

_LINKS = re.compile(
    r"""\\.
      | <(?:project|path|myst|doc|any):(?P<auto>[^<>\s]{1,500})>
      | <inv:(?P<inventory>[^<>\s]{1,500})>
      | (?<!!)\[\]\((?P<scheme>inv:)?(?:project:|path:|myst:)?(?P<address>[^()\s<>:]{1,500})\)
      | (?<=\])\((?P<named>project|path|myst|inv):(?P<place>[^()\s<>]{0,500})\)
      | (?<![{$])\{\{(?P<name>[^{}]{1,300})\}\}
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(r"^[ \t]*(?:`{3}|~{3}|:{3})", re.MULTILINE)
_MOST_DEPTH = 5
_NOTHING = "\x1e"
_AROUND_NOTHING = re.compile(rf"(?:(\A|[*_(]){_NOTHING} ?| *{_NOTHING})")
_MATERIAL = "material-"


class _Span(NamedTuple):
    """Code within a text; with a `name`, what the role of that name is given."""

    start: int
    end: int
    name: str
    text: str


@dataclass
class Roles:
    """Rewrites text in lines; `titles` are headings by their labels, `names` those of other files.

    `values` are the substitutions. `dropped` is what the text lacks of what readers of the book see,
    at the line `number`.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    dropped: list[DroppedContent] = field(default_factory=list)
    number: int = 1
    depth: int = 0
    """Of the substitutions that the one at hand stands in."""

    def rewrite(self, text: str) -> str:
        """Return the text with as many lines."""
        parts, position, has_roles = list[str](), 0, False
        for span in _spans_of(text):
            shown = text[span.start : span.end]
            if span.name:
                has_roles, shown = True, self._show(span.name.lower(), span.text) or _NOTHING
                shown += "\n" * (span.text.count("\n") - shown.count("\n"))
            parts += [self._plain(text[position : span.start]), shown]
            position = span.end
        rest = "".join((*parts, self._plain(text[position:])))
        if _NOTHING in rest:
            # What nobody sees takes the space before it along, or that behind it where it is first.
            rest = _AROUND_NOTHING.sub(lambda found: found[1] or "", rest)
        return "" if has_roles and not rest.strip(" \t>") else rest

    def _plain(self, text: str) -> str:
        """Return text without code in it, its links and substitutions as they are shown."""
        return _LINKS.sub(self._link, text) if _MARKS.search(text) else text

    def _link(self, found: re.Match[str]) -> str:
        if found["name"]:
            return self._substitute(found["name"].strip())
        if found["auto"]:
            return self._linked(found["auto"])
        if found["named"]:
            # What is in another book has no address here.
            return f"({found['place']})" if found["named"] != "inv" else "()"
        if found["inventory"] or found["scheme"]:
            return _words_of(found["inventory"] or found["address"])
        return self._linked(found["address"]) if found["address"] else found[0]

    def _linked(self, address: str) -> str:
        path, _, anchor = address.partition("#")
        title = self._title_of(anchor) if anchor else self._title_of(path, is_path=True)
        return f"[{title or _words_of(address)}]({address})"

    def _title_of(self, target: str, *, is_path: bool = False) -> str:
        """Return the title that a label is of, or the document at a path; "" for one not known."""
        if title := self.titles.get(target.lower()):
            return title
        named = self.names.get(f"ref:{' '.join(target.lower().split())}", "")
        if is_path:
            named = document_title(target, self.names) or named
        return _escaped(named)

    def _substitute(self, name: str) -> str:
        value = self.values.get(name)
        if value is not None and not _BLOCK.search(value) and self.depth < _MOST_DEPTH:
            self.depth += 1
            shown = self._plain(" ".join(value.split()))
            self.depth -= 1
            return shown
        self._note("substitution", name, "what it stands for is not in the file")
        return _UNKNOWN

    def _show(self, role: str, text: str) -> str:
        """Return what a reader sees of a role, as Markdown."""
        if _CITED.match(role):
            return self._cite(text, is_beside=_PARENTHETIC.fullmatch(role) is not None)
        name = role.rsplit(":", 1)[-1]
        if name in _UNSEEN or name.startswith(_MATERIAL):
            return ""
        titled = _TITLED.fullmatch(text)
        if name in _REFERENCES:
            return self._reference(name, titled, text)
        if name in _OBJECT_ROLES:
            return f"`{titled[1] if titled else _OBJECT.sub('', text, count=1)}`"
        if name in _CODE_ROLES:
            return f"`{titled[1] if titled else text}`"
        return _DRAWN.get(name, _as_it_is)(titled[1] if titled else text)

    def _cite(self, keys: str, *, is_beside: bool = False) -> str:
        """Return the keys of works in brackets, in place of the names and years that a site writes.

        Nothing for what only stands beside what is said, which is the same without it.
        """
        shown = ", ".join(one.strip() for one in keys.split(",") if one.strip())
        reason = "its key stands for what the book's own site writes"
        self._note("citation", keys, reason, dropped=is_beside)
        return "" if is_beside else f"\\[{_escaped(shown)}\\]" if shown else ""

    def _reference(self, name: str, titled: re.Match[str] | None, text: str) -> str:
        if titled and not is_numbered(titled[1]):
            return titled[1]
        target = (titled[2] if titled else text).strip()
        if name == "download":
            return f"`{target}`"
        title = self._title_of(target, is_path=name in ("doc", "any"))
        if not title and name == "doc":
            return _words_of(target)
        if not title:
            self._note("reference", text, NOT_KNOWN, dropped=False)
            if name in NUMBERED:
                return numbered(titled[1] if titled else "%s", _escaped(f"[{target}]"), quotes="")
            title = _escaped(words_of_label(target))
        return numbered(titled[1], title) if titled else title

    def _note(self, kind: str, text: str, reason: str, *, dropped: bool = True) -> None:
        place = f"line {self.number}"
        self.dropped.append(DroppedContent(kind, place, reason, visible(text), dropped=dropped))


def goes_on(line: str) -> bool:
    """Whether a role that begins in a line ends in a later one."""
    after = max((span.end for span in _spans_of(line)), default=0)
    tick = _TICKS.search(line, after)
    return tick is not None and _name_before(line, tick.start(), after) is not None


def _words_of(address: str) -> str:
    """Return the words that the last part of an address is made of, without its ending."""
    path, _, anchor = address.strip("/").partition("#")
    last = anchor or path.split("/")[-1].partition(".")[0]
    return _escaped(re.sub(r"[-_]+", " ", last.rsplit(":", 1)[-1]))


def _escaped(text: str) -> str:
    return re.sub(r"[\\`*_\[\]<>$~{]", r"\\\g<0>", text)


def _as_it_is(text: str) -> str:
    return text


_DRAWN: dict[str, Callable[[str], str]] = {
    "math": lambda text: f"${text.strip()}$",
    "sub": lambda text: f"<sub>{text}</sub>",
    "sup": lambda text: f"<sup>{text}</sup>",
    "menuselection": lambda text: menu_label(text, is_path=True),
    "guilabel": menu_label,
    **dict.fromkeys(("samp", "file"), lambda text: f"`{re.sub('[{}]', '', text)}`"),
    "emphasis": lambda text: f"*{text}*",
    "strong": lambda text: f"**{text}**",
    "del": lambda text: f"~~{text}~~",
    "strike": lambda text: f"~~{text}~~",
    "pep": lambda text: f"PEP {text}",
    "rfc": lambda text: f"RFC {text}",
}


def _name_before(text: str, at: int, after: int) -> re.Match[str] | None:
    """Return the name of a role right before `at`; it begins at `after`, another's end, or later."""
    return _BEFORE_TICKS.search(text[max(after, at - _LONGEST_NAME) : at])


def _spans_of(text: str) -> Iterator[_Span]:
    """Yield the code within a text and its roles, in time that grows as the text does."""
    ticks = [found.span() for found in _TICKS.finditer(text)]
    closing: dict[int, int] = {}
    closers = [0] * len(ticks)
    for at in range(len(ticks) - 1, -1, -1):
        width = ticks[at][1] - ticks[at][0]
        closers[at] = closing.get(width, 0)
        closing[width] = at
    at = after = 0
    while at < len(ticks):
        closer, (start, end) = closers[at], ticks[at]
        if closer:
            name = _name_before(text, start, after)
            begin = start - len(name[0]) if name else start
            shown = text[end : ticks[closer][0]]
            yield _Span(begin, ticks[closer][1], (name[1] or name[2]) if name else "", shown)
            at, after = closer, ticks[closer][1]
        at += 1
