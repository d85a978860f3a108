"""Read the rules of style sheets, with what stands in media, layers and other rules."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import tinycss2
from cssselect2.parser import Selector
from tinycss2 import ast

from services.ingest.parsers.css.declarations import read_declarations
from services.ingest.parsers.css.media import SCREENS, holds, is_supported
from services.ingest.parsers.css.parsed import InScope, needs_of, parse, put_in_scope
from services.ingest.parsers.css.tokens import Said, spell

_DEEPEST = 12
"""Rules in rules."""
_LONGEST_SELECTOR = 2000
_MOST_RULES = 20_000
_OWN = 1 << 20
"""Of a layer: its own rules are heavier than those of the layers in it."""
_ALL = (True,) * len(SCREENS)
_LAST_FRAMES = ("to", "100%")
_RULES = ("qualified-rule", "at-rule")
_HERE = re.compile(r"(\"[^\"]*\"|'[^']*'|\[[^\]]*\])|&|:scope(?![\w-])", re.IGNORECASE)
_CONTAINS = re.compile(r"\bcontainer(?:-type)?\s*:", re.IGNORECASE)


class Rule(NamedTuple):
    """What a sheet says of the elements that one selector is about, on each of `SCREENS`.

    `weight` is that of its layer, its selector and its place, the heavier holds; `needs` are names
    that elements around must have. It is about the elements, or about what stands "before" or
    "after" the text of each: their `part`.
    """

    tree: Any
    said: Mapping[str, Said]
    weight: tuple[tuple[int, ...], int, int, int, int]
    screens: tuple[bool, ...]
    needs: frozenset[str]
    part: str = ""


@dataclass
class Reading:
    """What sheets say: rules, how animations end, and the styles of selectors as they are written."""

    rules: list[Rule] = field(default_factory=list)
    ends: dict[str, Mapping[str, Said]] = field(default_factory=dict)
    styles: list[tuple[str, Mapping[str, Said]]] = field(default_factory=list)
    is_whole: bool = True
    """Whether no other sheet is imported, and no rule was left out for want of room."""


def read_rules(texts: Iterable[str]) -> Reading:
    """Read sheets in the order in which they stand in their page."""
    whole = list(texts)
    reader = _Reader(has_containers=any(map(_CONTAINS.search, whole)))
    for text in whole:
        reader.begin()
        reader.read(tinycss2.parse_stylesheet(text, True, True), _Around(_ALL), 0)
    return reader.found


class _Around(NamedTuple):
    """What a rule stands in: where it holds, the selector of the rule around it, its layer, a scope."""

    screens: tuple[bool, ...]
    selector: str = ""
    layer: tuple[str, ...] = ()
    scope: str = ""
    """The roots of the inmost scope, which `:scope` means there."""
    scopes: tuple[InScope, ...] = ()


class _Reader:
    def __init__(self, *, has_containers: bool) -> None:
        self.found = Reading()
        self._has_containers = has_containers
        self._layers: dict[tuple[str, ...], dict[str, int]] = {}
        """By the layer around: the layers in it, in the order in which they are named."""
        self._namespaces: dict[str | None, str] = {}
        self._parsed: tuple[object, list[Selector]] = None, []
        """The selectors that were asked for last."""

    def begin(self) -> None:
        """Forget what a sheet says of itself alone."""
        self._namespaces = {}
        self._parsed = None, []

    def read(self, nodes: Iterable[ast.Node], around: _Around, depth: int) -> None:
        for node in nodes if depth < _DEEPEST else ():
            if node.type == "qualified-rule":
                self._rule(node, around, depth)
            elif node.type == "at-rule":
                self._at_rule(node, around, depth)

    def _rule(self, node: ast.QualifiedRule, around: _Around, depth: int) -> None:
        selector = _within(node.prelude, around)
        inside = tinycss2.parse_blocks_contents(node.content, True, True)
        self._read_inside(inside, around._replace(selector=selector), depth)

    def _read_inside(self, inside: Sequence[ast.Node], around: _Around, depth: int) -> None:
        """Read what is said of a selector, and the rules in between: each holds from its place on."""
        about = self._parse(around) if any(around.screens) else []
        for is_rule, run in groupby(inside, key=lambda one: one.type in _RULES):
            if not is_rule:
                self._add(about, read_declarations(run), around)
            elif about:
                self.read(run, around, depth + 1)

    def _parse(self, around: _Around) -> list[Selector]:
        key = (around.selector, around.scopes)
        if self._parsed[0] != key:
            self._parsed = key, parse(around.selector, self._namespaces)
            for one in self._parsed[1]:
                for scope in around.scopes:
                    put_in_scope(one.parsed_tree, scope)
        return self._parsed[1]

    def _add(self, about: Sequence[Selector], said: Mapping[str, Said], around: _Around) -> None:
        self.found.styles.append((around.selector, said))
        for one in about if said else ():
            if len(self.found.rules) >= _MOST_RULES:
                self.found.is_whole = False
                return
            place = len(self.found.rules)
            weight = (self._weight(around.layer), *one.parsed_tree.specificity, place)
            tree, part = one.parsed_tree, one.pseudo_element or ""
            rule = Rule(tree, said, weight, around.screens, needs_of(tree), part)
            self.found.rules.append(rule)

    def _at_rule(self, node: ast.AtRule, around: _Around, depth: int) -> None:
        name, asked = node.lower_at_keyword, spell(node.prelude).strip()
        if name == "import":
            self.found.is_whole = False
        elif name == "namespace":
            self._name_space(node.prelude)
        elif name == "layer" and node.content is None:
            for one in asked.split(","):
                self._weight(self._layer(one, around))
        elif name in ("keyframes", "-webkit-keyframes"):
            self._frames(asked, node)
        elif name in ("media", "supports", "layer", "container", "scope") and node.content:
            inside = tinycss2.parse_blocks_contents(node.content, True, True)
            if name == "scope":
                self._scope(node.prelude, inside, around, depth)
                return
            within = self._in_block(name, asked, around)
            if around.selector:
                self._read_inside(inside, within, depth)
            else:
                self.read(inside, within, depth + 1)

    def _name_space(self, prelude: Sequence[ast.Node]) -> None:
        prefix = next((one.value for one in prelude if one.type == "ident"), None)
        for one in prelude:
            if one.type in ("url", "string"):
                self._namespaces[prefix] = one.value
            elif one.type == "function" and one.lower_name == "url":
                self._namespaces[prefix] = "".join(
                    getattr(part, "value", "") for part in one.arguments
                )

    def _scope(
        self, prelude: Sequence[ast.Node], inside: Sequence[ast.Node], around: _Around, depth: int
    ) -> None:
        """Read what is said below elements of one kind, down to those of another."""
        first, *rest = [one for one in prelude if one.type == "() block"] or [None]
        roots = _within(first.content, around) if first else ":root"
        below = _Around(around.screens, "", around.layer, roots)
        ends = [_within(one.content, below, alone=True) for one in rest]
        scope = InScope(
            _elements_of(parse(roots, self._namespaces)),
            _elements_of(one for end in ends for one in parse(end, self._namespaces)),
        )
        within = below._replace(scopes=(*around.scopes, scope))
        about = around._replace(selector=roots, scopes=around.scopes)
        said = [one for one in inside if one.type not in _RULES]
        self._read_inside(said, about, depth)
        self.read([one for one in inside if one.type in _RULES], within, depth + 1)

    def _in_block(self, name: str, asked: str, around: _Around) -> _Around:
        if name == "layer":
            return around._replace(layer=self._layer(asked, around))
        if name == "supports":
            screens = around.screens if is_supported(asked) else (False,) * len(_ALL)
        else:
            # A container is named first, and is as wide as the screen at most.
            query = asked[asked.find("(") :] if name == "container" else asked
            is_there = name != "container" or self._has_containers
            screens = tuple(
                so and is_there and holds(query, screen)
                for so, screen in zip(around.screens, SCREENS, strict=True)
            )
        return around._replace(screens=screens)

    def _layer(self, name: str, around: _Around) -> tuple[str, ...]:
        """Return the names of the layers around and of one in them; one without a name is new."""
        named = name.strip() or f" {len(self.found.styles)} {len(self._layers)}"
        return (*around.layer, *named.split("."))[:_DEEPEST]

    def _weight(self, layer: tuple[str, ...]) -> tuple[int, ...]:
        """Return what a layer weighs: what is first named is lightest."""
        weight = []
        for at, name in enumerate(layer):
            within = self._layers.setdefault(layer[:at], {})
            weight.append(within.setdefault(name, len(within)))
        return (*weight, _OWN)

    def _frames(self, name: str, node: ast.AtRule) -> None:
        for frame in tinycss2.parse_rule_list(node.content or [], True, True):
            if frame.type == "qualified-rule" and spell(frame.prelude).strip() in _LAST_FRAMES:
                inside = tinycss2.parse_blocks_contents(frame.content, True, True)
                self.found.ends[name] = read_declarations(inside)


def _elements_of(selectors: Iterable[Selector]) -> list[Selector]:
    return [one for one in selectors if one.pseudo_element is None]


def _written(prelude: Sequence[ast.Node]) -> str:
    """Return a selector as it stands in its sheet; "" for one nested too deep."""
    try:
        return str(tinycss2.serialize(prelude)).strip()
    except RecursionError:
        return ""


def _within(prelude: Sequence[ast.Node], around: _Around, *, alone: bool = False) -> str:
    """Return the selectors of a rule that stands in another one as they would stand alone.

    With `alone` they are not below what the scope is about unless they say so.
    """
    scope = around.scope or ":root"
    outer = f":is({around.selector})" if around.selector else f":where({scope})"

    def put(found: re.Match[str]) -> str:
        return found[1] or (outer if found[0] == "&" else f":is({scope})")

    is_below = bool(around.selector) or (bool(around.scope) and not alone)
    parts: list[str] = []
    room = _LONGEST_SELECTOR
    commas = [at for at, one in enumerate(prelude) if one == ","]
    for start, end in pairwise([-1, *commas, len(prelude)]):
        part = _written(prelude[start + 1 : end])[: _LONGEST_SELECTOR + 1]
        whole = _HERE.sub(put, part)
        parts.append(f"{outer} {whole}" if is_below and whole == part else whole)
        room -= len(parts[-1])
        if room < 0:
            break
    return ", ".join(parts)
