"""Read the style sheets of a page: the rules that change what its text means, or hide it."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from services.ingest.parsers.css.parsed import keys_of
from services.ingest.parsers.css.reckon import reckon
from services.ingest.parsers.css.rules import Rule, read_rules
from services.ingest.parsers.css.shorthands import NAMES, expand
from services.ingest.parsers.css.tokens import Said
from services.ingest.parsers.scripts import STRIKING, STRUCK_NAMES, TAGS, Script

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
_AT_ONCE = 1.0
"""Seconds in which nobody reads anything."""
_UNREAD = ("template", "noscript", "math")
"""Elements whose sheets no browser that runs scripts applies."""
_SCOPE = re.compile(r"@scope(?=\s*\{)", re.IGNORECASE)
_OF_A_CLASS = re.compile(r"[a-z]*\.([\w-]+)")
SAYS_WORDS = re.compile(r"[\"(]")
"""In what is to stand before or after a text: a string, or what is put together from elsewhere."""
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


class Sheets(NamedTuple):
    """The classes whose text is struck out, where that of others stands, and rules that may hide.

    `rules` are by what an element has that they are about: an id, class, attribute or tag, "*" for
    any; `later` those that may come to be about one, by its id, class and tag; `ends` is how
    animations end, by their names; `parts` are rules of what stands "before" and "after" the text
    of elements, where any of them says words.
    """

    struck: frozenset[str]
    scripts: Mapping[str, Script]
    rules: Mapping[str, tuple[Rule, ...]]
    later: Mapping[str, tuple[Rule, ...]]
    ends: Mapping[str, Mapping[str, Said]]
    is_whole: bool = True
    """Whether the page links to no other sheet, of which nothing is known."""
    parts: Mapping[str, Mapping[str, tuple[Rule, ...]]] = MappingProxyType({})
    is_cut: bool = False
    """Whether they are longer than is read."""

    def ended(self, said: Mapping[str, str]) -> dict[str, str]:
        """Return what an animation leaves behind that is over in no time, and stays as it ends."""
        words = said.get("animation-name", "").split(" ")
        fill = {*words, said.get("animation-fill-mode", "")}
        times = [*words, said.get("animation-duration", "0s")]
        lasts = next((one.number for one in map(reckon, times) if one and one.unit == "s"), 0.0)
        if fill.isdisjoint(("forwards", "both")) or "infinite" in words or lasts > _AT_ONCE:
            return {}
        ends = (self.ends[one] for one in words if one in self.ends)
        parts = (expand(name, one) for end in ends for name, one in end.items())
        return {name: part.value for name, part in chain.from_iterable(parts)}


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
    texts, room = [], _MOST_STYLE
    for sheet in _applied(root):
        medium = sheet.get("media") or "all"
        text = _COMMENT.sub("/**/", sheet.text or "")[:room]
        room -= len(text)
        text = _SCOPE.sub(_scope_of(sheet), text) if "@scope" in text else text
        texts.append(text if medium == "all" else f"@media {medium} {{{text}}}")
    linked = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
    found = read_sheets(tuple(texts))
    return found._replace(is_whole=found.is_whole and not linked, is_cut=not room)


def _applied(root: etree._Element) -> list[etree._Element]:
    """Return the sheets that browsers apply: of their kind, in no template, of the first set named."""
    known = [
        one
        for one in root.iter("style")
        if _is_css(one) and next(one.iterancestors(*_UNREAD), None) is None
    ]
    titles = [title for one in known if (title := (one.get("title") or "").strip())]
    return [one for one in known if (one.get("title") or "").strip() in ("", *titles[:1])]


def _is_css(sheet: etree._Element) -> bool:
    kind = (sheet.get("type") or "text/css").lower()
    if sheet.get("rel"):  # a link's
        return sheet.get("disabled") is None and kind.partition(";")[0].strip() == "text/css"
    return kind == "text/css"


def _scope_of(sheet: etree._Element) -> str:
    """Return a scope that names no roots as one of what its sheet stands in."""
    around = sheet.getparent()
    if around is None or around.tag == "html":
        return "@scope (:root)"
    name = f"{around.tag}-{around.sourceline}"
    around.set("sheet-scope", name)
    return f'@scope ([sheet-scope="{name}"])'


# Each document of a book has the same.
@lru_cache(16)
def read_sheets(texts: tuple[str, ...]) -> Sheets:
    """Read what is said of elements by their tags, ids, classes and what they stand in."""
    found = read_rules(texts)
    struck = set(STRUCK_NAMES)
    scripts: dict[str, Script] = {}
    for selectors, said in found.styles:
        style = ";".join(f"{name}:{one.value}" for name, one in said.items())
        strikes, script = STRIKING.search(style), script_of_style(style)
        for selector in selectors.split(",") if strikes or script is not Script.LINE else ():
            named = _OF_A_CLASS.fullmatch(selector.strip())
            if named and strikes:
                struck.add(named[1].lower())
            if named and script is not Script.LINE:
                scripts[named[1].lower()] = script
    told = [
        rule
        for rule in found.rules
        if not rule.part and any(name in NAMES or name.startswith("--") for name in rule.said)
    ]
    now, later = (_by_keys(told, by_attributes=by_attributes) for by_attributes in (True, False))
    parts = {part: _rules_of_part(found.rules, part) for part in ("before", "after")}
    return Sheets(
        frozenset(struck),
        scripts,
        now,
        later,
        found.ends,
        found.is_whole,
        {part: by_key for part, by_key in parts.items() if by_key},
    )


def _rules_of_part(rules: list[Rule], part: str) -> dict[str, tuple[Rule, ...]]:
    told = [rule for rule in rules if rule.part == part]
    says = any(SAYS_WORDS.search(said.value) for said in _contents_of(told))
    return _by_keys(told, by_attributes=True) if says else {}


def _contents_of(rules: list[Rule]) -> Iterator[Said]:
    return (rule.said["content"] for rule in rules if "content" in rule.said)


def _by_keys(rules: list[Rule], *, by_attributes: bool) -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        for key in keys_of(rule.tree, by_attributes=by_attributes):
            found.setdefault(key, []).append(rule)
    return {key: tuple(named) for key, named in found.items()}
