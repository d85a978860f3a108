"""Read the rules of style sheets, with what stands in media, layers and other rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import tinycss2
from tinycss2 import ast

from services.ingest.parsers.css.declarations import read_declarations
from services.ingest.parsers.css.media import SCREENS, holds, is_supported
from services.ingest.parsers.css.selectors import needs_of, parse
from services.ingest.parsers.css.tokens import Said, spell

_DEEPEST = 12
"""Rules in rules."""
_LONGEST_SELECTOR = 2000
_MOST_RULES = 20_000
_UNLAYERED = 1 << 20
_ALL = (True,) * len(SCREENS)
_LAST_FRAMES = ("to", "100%")


class Rule(NamedTuple):
    """What a sheet says of the elements that one selector is about, on each of `SCREENS`.

    `weight` is that of its layer, its selector and its place, the heavier holds; `needs` are names
    that elements around must have.
    """

    tree: Any
    said: Mapping[str, Said]
    weight: tuple[int, int, int, int, int]
    screens: tuple[bool, ...]
    needs: frozenset[str]


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
    reader = _Reader()
    for text in texts:
        reader.read(tinycss2.parse_stylesheet(text, True, True), _Around(_ALL, "", _UNLAYERED), 0)
    return reader.found


class _Around(NamedTuple):
    """What a rule stands in: where it holds, the selector of the rule around it, its layer."""

    screens: tuple[bool, ...]
    selector: str
    layer: int


class _Reader:
    def __init__(self) -> None:
        self.found = Reading()
        self._layers: dict[str, int] = {}

    def read(self, nodes: Iterable[ast.Node], around: _Around, depth: int) -> None:
        for node in nodes if depth < _DEEPEST else ():
            if node.type == "qualified-rule":
                self._rule(node, around, depth)
            elif node.type == "at-rule":
                self._at_rule(node, around, depth)

    def _rule(self, node: ast.QualifiedRule, around: _Around, depth: int) -> None:
        selector = _within(_written(node.prelude), around.selector)
        inside = tinycss2.parse_blocks_contents(node.content, True, True)
        self._add(selector, inside, around)
        nested = [one for one in inside if one.type in ("qualified-rule", "at-rule")]
        if nested and len(selector) < _LONGEST_SELECTOR:
            self.read(nested, around._replace(selector=selector), depth + 1)

    def _add(self, selector: str, inside: Sequence[ast.Node], around: _Around) -> None:
        said = read_declarations(inside)
        self.found.styles.append((selector, said))
        for one in parse(selector) if said and any(around.screens) else ():
            if len(self.found.rules) >= _MOST_RULES:
                self.found.is_whole = False
                return
            ids, classes, tags = one.specificity
            weight = (around.layer, ids, classes, tags, len(self.found.rules))
            self.found.rules.append(
                Rule(one.parsed_tree, said, weight, around.screens, needs_of(one.parsed_tree))
            )

    def _at_rule(self, node: ast.AtRule, around: _Around, depth: int) -> None:
        name, asked = node.lower_at_keyword, spell(node.prelude).strip()
        if name == "import":
            self.found.is_whole = False
        elif name == "layer" and node.content is None:
            for one in asked.split(","):
                self._layer(one.strip())
        elif name in ("keyframes", "-webkit-keyframes"):
            self._frames(asked, node)
        elif name in ("media", "supports", "layer", "container", "scope") and node.content:
            inside = tinycss2.parse_blocks_contents(node.content, True, True)
            within = self._in_block(name, asked, around)
            if around.selector or name == "scope":
                self._add(within.selector, inside, within)
            self.read(inside, within, depth + 1)

    def _in_block(self, name: str, asked: str, around: _Around) -> _Around:
        if name == "layer":
            return around._replace(layer=self._layer(asked))
        if name == "scope":
            scope = asked.partition(" to ")[0].strip().removeprefix("(").removesuffix(")")
            return around._replace(selector=_within(scope or ":root", around.selector))
        if name == "supports":
            screens = around.screens if is_supported(asked) else (False,) * len(_ALL)
        else:
            # A container is named first, and is as wide as the screen at most.
            query = asked[asked.find("(") :] if name == "container" else asked
            screens = tuple(
                so and holds(query, screen)
                for so, screen in zip(around.screens, SCREENS, strict=True)
            )
        return around._replace(screens=screens)

    def _layer(self, name: str) -> int:
        return self._layers.setdefault(name or f" {len(self._layers)}", len(self._layers))

    def _frames(self, name: str, node: ast.AtRule) -> None:
        for frame in tinycss2.parse_rule_list(node.content or [], True, True):
            if frame.type == "qualified-rule" and spell(frame.prelude).strip() in _LAST_FRAMES:
                inside = tinycss2.parse_blocks_contents(frame.content, True, True)
                self.found.ends[name] = read_declarations(inside)


def _written(prelude: Sequence[ast.Node]) -> str:
    """Return a selector as it stands in its sheet; "" for one nested too deep."""
    try:
        return str(tinycss2.serialize(prelude)).strip()
    except RecursionError:
        return ""


def _within(selector: str, around: str) -> str:
    """Return the selector of a rule that stands in another one as it would stand alone."""
    if not around:
        return selector
    outer = f":is({around})"
    parts = [part.strip() for part in selector.split(",")]
    return ", ".join(
        part.replace("&", outer) if "&" in part else f"{outer} {part}" for part in parts
    )[: _LONGEST_SELECTOR + 1]
