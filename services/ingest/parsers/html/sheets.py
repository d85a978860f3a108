"""Read the style sheets of a page: the rules that change what its text means, or hide it."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from services.ingest.parsers.scripts import STRIKING, STRUCK_NAMES, TAGS, Script
from services.ingest.parsers.styles import ground_of, hidden_by, read_declarations, to_hex

_ALIGNED = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_MOVED = re.compile(
    r"(?:^|[;\s])(vertical-align|top|bottom)\s*:\s*([+-]?(?:\d{1,6}(?:\.\d{0,9})?|\.\d{1,9}))"
    r"(%|r?em|ex|px|pt)",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"position\s*:\s*relative", re.IGNORECASE)
_LEAST = {"%": 15, "px": 2, "pt": 2}
"""From which on text is raised and not set a little better; of the other units the next."""
_LEAST_OF_SIZE = 0.15
_MOST_STYLE = 400_000
_MOST_RULES = 10_000
"""That are read of the sheets of one page."""
_PIECE = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|[{}]|[^{}\"'/]+|/", re.DOTALL
)
_PLAIN_MEDIA = re.compile(r"@media\s+(?:only\s+)?(?:all|screen)|@layer\b.*", re.IGNORECASE)
_OF_A_CLASS = re.compile(r"[a-z]*\.([\w-]+)")
_COMPOUND = re.compile(r"([a-z][\w-]*|\*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_NAME = re.compile(r"[.#][\w-]+")
_CONDITION = re.compile(r":[\w-]+(?:\([^()]*\))?|\[[^\[\]]*\]")
_OF_ITS_OWN = re.compile(r"::|:(?:before|after|first-line|first-letter)\b", re.IGNORECASE)
"""Of what is no element."""
_BETWEEN = re.compile(r"\s*([>+~])\s*|\s+")


class Compound(NamedTuple):
    """What one element must be: a tag, "" for any, and the ids and classes that it has."""

    tag: str
    names: frozenset[str]
    is_child: bool = False
    """Whether it stands right in what comes before it, not anywhere in that."""


class Rule(NamedTuple):
    """What a sheet says of elements, which may be hidden by it or shown again."""

    compounds: tuple[Compound, ...]
    declared: Mapping[str, str]
    weight: tuple[int, int, int, int]
    is_conditional: bool
    """Whether more than the tree decides about it: the medium, a pointer, a script."""


class Sheets(NamedTuple):
    """The classes whose text is struck out, where that of others stands, and rules that may hide.

    `rules` are by each id, class and tag of the element they are about; `hiding` are those of rules
    that hide.
    """

    struck: frozenset[str]
    scripts: Mapping[str, Script]
    rules: Mapping[str, tuple[Rule, ...]]
    hiding: frozenset[str]
    is_whole: bool = True
    """Whether the page links to no other sheet, of which nothing is known."""


def script_of_style(style: str) -> Script:
    """Return where a style puts text: a raised number is no part of the one before it."""
    aligned = _ALIGNED.search(style)
    if aligned:
        return TAGS[aligned[1].lower()[:3]]
    for name, amount, unit in _MOVED.findall(style):
        least = _LEAST.get(unit.lower(), _LEAST_OF_SIZE)
        if abs(float(amount)) < least or not (name.startswith("v") or _RELATIVE.search(style)):
            continue
        is_up = (float(amount) > 0) is not (name.lower() == "top")
        return Script.RAISED if is_up else Script.LOWERED
    return Script.LINE


def sheets_of(root: etree._Element) -> Sheets:
    """Return what the sheets say that stand in a page; those it links to are to be put there before."""
    texts = []
    for sheet in root.iter("style"):
        medium = sheet.get("media") or "all"
        texts.append(f"@media {medium} {{{sheet.text or ''}}}")
    linked = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
    text = "\n".join(texts)
    return read_sheets(text)._replace(is_whole=not linked and "@import" not in text)


# Each document of a book has the same.
@lru_cache(16)
def read_sheets(text: str) -> Sheets:
    """Read what is said of elements by their tags, ids, classes and what they stand in."""
    struck = set(STRUCK_NAMES)
    scripts: dict[str, Script] = {}
    rules: list[Rule] = []
    for selectors, style, is_conditional in _rules(text[:_MOST_STYLE]):
        strikes, script = STRIKING.search(style), script_of_style(style)
        declared = read_declarations(style)
        for selector in selectors.split(","):
            found = _OF_A_CLASS.fullmatch(selector.strip())
            if found and strikes:
                struck.add(found[1].lower())
            if found and script is not Script.LINE:
                scripts[found[1].lower()] = script
            if declared and len(rules) < _MOST_RULES:
                rules += _read_rule(selector, declared, len(rules), is_conditional)
    return Sheets(frozenset(struck), scripts, _by_name(rules), _hiding(rules))


def _rules(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield selectors, declarations, and whether they hold only under conditions."""
    said: list[str] = []
    opened: list[str] = []
    conditions = 0
    for piece in _PIECE.findall(text):
        if piece == "{":
            opened.append("".join(said).rpartition(";")[2].strip())
            conditions += not _PLAIN_MEDIA.fullmatch(opened[-1])
            said = []
        elif piece == "}" and opened:
            before = opened.pop()
            conditions -= not _PLAIN_MEDIA.fullmatch(before)
            if not before.startswith("@"):
                yield before, "".join(said), conditions > 0
            said = []
        elif not piece.startswith("/*"):
            said.append(piece)


def _read_rule(
    selector: str, declared: Mapping[str, str], order: int, is_conditional: bool
) -> Iterator[Rule]:
    if _OF_ITS_OWN.search(selector):
        return
    plain = _CONDITION.sub("", selector).strip()
    parts = _BETWEEN.split(plain)
    compounds = []
    for at in range(0, len(parts), 2):
        found = _COMPOUND.fullmatch(parts[at])
        between = parts[at - 1] if at else None
        if not found:
            return
        is_conditional = is_conditional or between in ("+", "~")
        tag = (found[1] or "").lower().strip("*")
        names = frozenset(name.lower() for name in _NAME.findall(found[2]))
        compounds.append(Compound(tag, names, between == ">"))
    named = [name for compound in compounds for name in compound.names]
    ids = sum(name.startswith("#") for name in named)
    tags = sum(bool(compound.tag) for compound in compounds)
    weight = (ids, len(named) - ids, tags, order)
    yield Rule(tuple(compounds), declared, weight, is_conditional or plain != selector.strip())


def _by_name(rules: list[Rule]) -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        last = rule.compounds[-1]
        for name in last.names or (last.tag,):
            found.setdefault(name, []).append(rule)
    return {name: tuple(named) for name, named in found.items()}


def _hiding(rules: list[Rule]) -> frozenset[str]:
    """Return the names of elements that a rule may hide, alone or with another one."""
    grounds = {ground_of(rule.declared) for rule in rules} | {"#ffffff", "transparent"}
    found: set[str] = set()
    for rule in rules:
        last, declared = rule.compounds[-1], rule.declared
        around = {"overflow": "hidden", "position": "absolute", **declared}
        is_colour = to_hex(declared.get("color", "")) in grounds - {""}
        if not rule.is_conditional and (hidden_by(around) or is_colour):
            found.update(last.names or (last.tag,))
    return frozenset(found)
