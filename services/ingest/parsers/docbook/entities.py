"""Put in place of the entities of an XML file what they stand for, and never more than is bounded.

It is done in the text, before any XML library sees it: what a file declares is a few lines, and no
library is asked to open a file, an address, or to copy an entity into itself.
"""

import html.entities
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.sax.saxutils import escape

from libs.errors import InvalidInput
from services.ingest.parsers.docbook import kde

UNDEFINED = "quoth-undefined"
"""Target of the instruction that stands for an entity which nothing defines; its text is the name."""
MISSING = "quoth-missing"
"""Target of the one that stands for a file which can't be read in: the file's name, and why."""
_PREDEFINED = frozenset(("lt", "gt", "amp", "quot", "apos"))
_DEEPEST = 16
_COST = 16
"""Characters that each entity counts for beside its own: those that are empty take time too."""
_FREE, _GROWTH, _MOST = 1 << 20, 10, 32 << 20
"""Characters that entities may come to in any file, how many times what was read, and that at most."""
_QUOTED = r"\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)"
_COMMENT = r"<!--(?:.*?-->|.*\Z)|<\?(?:.*?\?>|.*\Z)"
_IN_DOCTYPE = re.compile(rf"{_COMMENT}|{_QUOTED}|<!\[|\]\]>|[\[\]>]", re.DOTALL)
_DECLARATION = re.compile(
    rf"{_COMMENT}|<!\[\s*(?P<section>[\w%;.:-]+)\s*\["
    r"|<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>[\w.:-]+)\s+"
    rf"(?P<external>SYSTEM\s+|PUBLIC\s+(?:{_QUOTED})\s+)?(?P<value>{_QUOTED})[^<>]*>"
    r"|%(?P<reference>[\w.:-]+);",
    re.DOTALL,
)
_MARKUP = re.compile(
    r"<!--|<!\[CDATA\[|<\?|<!DOCTYPE\b|&(?P<name>[\w.:-]+);"
    r"|</?[\w:](?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>"
)
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_REFERENCE = re.compile(r"&([\w.:-]+);")
_NUMBER = re.compile(r"&#(x[0-9a-fA-F]{1,6}|[0-9]{1,7});")
_TAG = re.compile(r"<[^<>]*>")
_HEAD = re.compile(r"\ufeff?\s*<\?xml\s[^<>]*\?>")
_ELSEWHERE = re.compile(r"[a-zA-Z][\w+.-]*:|/|\\")

Read = Callable[[str], str | None]
"""Returns the text of a file of the source by its path; None for one that it does not hold."""


def nothing(_: str) -> None:
    """Hold no file: for a document that stands alone."""


def resolve(base: str, address: str) -> str:
    """Return the path in the source of what the file at `base` names; "" for anything outside of it."""
    address = unquote(address.partition("#")[0]).strip()
    if not address or _ELSEWHERE.match(address):
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(base), address))
    return "" if path.split("/")[0] == ".." else path


@dataclass
class Budget:
    """What the entities of one document may still come to, over all of its files."""

    left: int = _FREE
    _known: set[str] = field(default_factory=set)
    _added: int = 0

    def add_file(self, path: str, text: str) -> None:
        """Count a file that is read, once however often it is taken in."""
        if path not in self._known:
            self._known.add(path)
            more = min(_GROWTH * len(text), _MOST - self._added)
            self._added += more
            self.left += more

    def spend(self, characters: int) -> None:
        """Raises InvalidInput when more is spent than there was."""
        self.left -= characters + _COST
        if self.left < 0:
            raise InvalidInput("its entities grow to far more than the file itself holds")


@dataclass(frozen=True)
class _Entity:
    value: str = ""
    address: str = ""
    """As it is written, of one whose text is another file."""
    path: str = ""


@dataclass
class Expander:
    """Expands what one file and its entities hold; `used` are the paths of the files read for it."""

    read: Read
    budget: Budget
    used: dict[str, None] = field(default_factory=dict)
    declared: dict[str, None] = field(default_factory=dict)
    """Paths of files that it has an entity for, whether or not that stands anywhere."""
    check: Callable[[str, str], str] = field(default=lambda _path, _text: "")
    """Given the path and the text of a file, why it can't be read in; "" if it can."""
    _standing: Mapping[str, str] = field(default_factory=dict)
    """What the type of the document declares in files that it does not bring along."""
    _entities: dict[str, _Entity] = field(default_factory=dict)
    _parameters: dict[str, _Entity] = field(default_factory=dict)

    def expand(self, text: str, path: str) -> str:
        """Return a file without its DOCTYPE and without entities but those of XML itself.

        Raises InvalidInput for entities that hold themselves or grow without bounds.
        """
        self.budget.add_file(path, text)
        return self._expand(text, path, ())

    def _expand(self, text: str, path: str, within: tuple[str, ...]) -> str:
        parts, at = list[str](), 0
        while found := _MARKUP.search(text, at):
            piece, end = found[0], found.end()
            parts.append(text[at : found.start()])
            if name := found["name"]:
                parts.append(self._content(name, within))
            elif piece == "<!DOCTYPE":
                end = self._take_doctype(text, end, path)
            elif piece in _ENDS:
                end = _end_of(text, end, _ENDS[piece])
                parts.append(text[found.start() : end] if piece != "<!--" else "")
            else:
                parts.append(self._in_tag(piece, within) if "&" in piece else piece)
            at = end
        parts.append(text[at:])
        return "".join(parts)

    def _content(self, name: str, within: tuple[str, ...]) -> str:
        if name in _PREDEFINED:
            return f"&{name};"
        entity = self._entities.get(name)
        if entity is None:
            known = self._standard(name)
            return escape(known) if known else f"<?{UNDEFINED} {name}?>"
        if name in within or len(within) >= _DEEPEST:
            raise InvalidInput(f'its entity "{name}" holds itself, or others too deep')
        inside = (*within, name)
        text = self._file(entity, inside) if entity.address else None
        if text is None:
            text = self._expand(entity.value, "", inside)
        self.budget.spend(len(text))
        return text

    def _standard(self, name: str) -> str:
        return self._standing.get(name) or standard(name)

    def _file(self, entity: _Entity, within: tuple[str, ...]) -> str:
        text = self.read(entity.path) if entity.path else None
        if text is None:
            return missing(entity.address, "the source does not hold it")
        self.used[entity.path] = None
        self.budget.add_file(entity.path, text)
        expanded = self._expand(_HEAD.sub("", text, count=1), entity.path, within)
        reason = self.check(entity.path, expanded)
        return missing(entity.path, reason) if reason else expanded

    def _in_tag(self, tag: str, within: tuple[str, ...]) -> str:
        def value_of(found: re.Match[str]) -> str:
            name = found[1]
            if name in _PREDEFINED or name not in self._entities:
                known = self._standard(name) or name
                return found[0] if name in _PREDEFINED else escape(known, {'"': "&quot;"})
            bare = _TAG.sub("", self._content(name, within))
            return bare.replace('"', "&quot;").replace("'", "&apos;")

        return _REFERENCE.sub(value_of, tag)

    def _take_doctype(self, text: str, at: int, path: str) -> int:
        """Read the declarations of a DOCTYPE that begins before `at`; return where it ends."""
        subset, end = read_doctype(text, at)
        if kde.PUBLIC in text[at : end - len(subset)]:
            self._standing = kde.NAMES
        self._declare(subset, path, ())
        return end

    def _declare(self, subset: str, path: str, within: tuple[str, ...]) -> None:
        at = 0
        while found := _DECLARATION.search(subset, at):
            at = found.end()
            if found["section"]:
                kind = found["section"]
                stands = self._parameters.get(kind.strip("%;"))
                if "IGNORE" in (kind, stands.value if stands else ""):
                    at = _end_of(subset, at, "]]>")
            elif found["reference"]:
                self._refer(found["reference"], path, within)
            elif found["name"]:
                kept = self._parameters if found["parameter"] else self._entities
                entity = kept.setdefault(found["name"], _entity(found, path))
                self.declared |= {entity.path: None} if entity.path else {}
                self.budget.spend(0)

    def _refer(self, name: str, path: str, within: tuple[str, ...]) -> None:
        entity = self._parameters.get(name)
        if entity is None or name in within or len(within) >= _DEEPEST:
            return
        text, base = entity.value, path
        if entity.address:
            text, base = (self.read(entity.path) if entity.path else None) or "", entity.path
        if text and entity.address:
            self.used[entity.path] = None
            self.budget.add_file(entity.path, text)
        self.budget.spend(len(text))
        self._declare(text, base, (*within, name))


def read_doctype(text: str, at: int) -> tuple[str, int]:
    """Return the declarations of a DOCTYPE whose name ends at `at`, and where it ends itself.

    Raises InvalidInput for one that has no end.
    """
    start, depth = -1, 0
    for found in _IN_DOCTYPE.finditer(text, at):
        piece = found[0]
        if piece == ">" and start < 0:
            return "", found.end()
        if piece == "[" and start < 0:
            start = found.end()
        elif piece in ("<![", "]]>"):
            depth += 1 if piece == "<![" else -1
        elif piece == "]" and depth <= 0:
            return text[start : found.start()], _end_of(text, found.end(), ">")
    raise InvalidInput("it is no well-formed XML: its DOCTYPE has no end")


def standard(name: str) -> str:
    """Return the character that an entity of DocBook's own sets stands for; "" for any other name.

    HTML's names hold those of the sets, and longer ones of mathematics: "Tab", "And", "eg".
    """
    known = html.entities.html5.get(f"{name};", "")
    if name in html.entities.name2codepoint or (known and known[0].isalpha()):
        return known
    is_of_sets = name.islower() and not any("\u2900" <= sign <= "\u2aff" for sign in known)
    return known if is_of_sets else ""


def missing(name: str, reason: str) -> str:
    """Return what stands for a file that is not read in."""
    told = f"{name}: {reason}".replace("?>", "? >")
    return f"<?{MISSING} {' '.join(told.split())}?>"


def _entity(found: re.Match[str], path: str) -> _Entity:
    value = found["value"][1:-1]
    if found["external"]:
        return _Entity(address=value, path=resolve(path, value))
    return _Entity(_NUMBER.sub(_character, value))


def _character(found: re.Match[str]) -> str:
    digits = found[1]
    number = int(digits[1:], 16) if digits[0] == "x" else int(digits)
    # A sign of markup that is written as a number is one only where the entity is used.
    is_text = number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_text and chr(number) != "<" else found[0]


def _end_of(text: str, at: int, ending: str) -> int:
    end = text.find(ending, at)
    if end < 0:
        line = text.count("\n", 0, at) + 1
        raise InvalidInput(f'it is no well-formed XML: "{ending}" is missing behind line {line}')
    return end + len(ending)
