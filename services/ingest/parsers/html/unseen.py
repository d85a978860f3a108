"""Tell which elements of a page nobody sees, by their own style and by the sheets in the page."""

from collections.abc import Iterator, Mapping
from itertools import islice

from lxml import etree

from services.ingest.parsers.html.marks import classes_of, text_of
from services.ingest.parsers.html.sheets import Compound, Rule, Sheets
from services.ingest.parsers.styles import (
    INHERITED,
    colour_of,
    ground_of,
    hidden_by,
    hides,
    lay_over,
    read_declarations,
    to_hex,
)

_WHITE = "#ffffff"
_UNKNOWN = "?"
_MOST_STEPS = 1_000_000
"""Comparisons of rules with the elements of one page: a sheet may have thousands for each of them."""
_STEPS_OF_LOOK = 8
_MOST_WITHIN = 2_000
"""Elements within a hidden one that are asked whether they show themselves again."""


class Unseen:
    """Judges the elements of one page."""

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        self._steps = 0

    def hides(self, element: etree._Element) -> bool:
        """Whether an element shows nothing, or all in the colour it stands on.

        What a page shows in another state (a medium, a choice, a class that scripts set) is seen.
        """
        if element.get("hidden") is not None:
            return True
        style = element.get("style") or ""
        if not style and self._sheets.hiding.isdisjoint(_names_of(element)):
            return False
        if self._steps > _MOST_STEPS:
            return hides(style)
        declared, others = self._look(element)
        name = hidden_by(declared) or self._by_colour(element, declared)
        if not name or any(_shows(rule, name, declared) for rule in others):
            return False
        return name not in INHERITED or not self._is_taken_back(element, name, declared)

    def _by_colour(self, element: etree._Element, declared: dict[str, str]) -> str:
        """Return "color" where words have that of what they stand on, as far as it is known.

        Signs alone don't count: highlighters give the spaces of code, and what they take for them,
        its ground's colour.
        """
        colour = colour_of(declared)
        if not colour or colour != self._ground(element):
            return ""
        return "color" if any(map(str.isalnum, text_of(element))) else ""

    def _ground(self, element: etree._Element) -> str:
        if not self._sheets.is_whole:
            return _UNKNOWN
        for around in (element, *element.iterancestors()):
            declared, others = self._look(around)
            ground = ground_of(declared) or (around.get("bgcolor") or "").strip().lower()
            if ground:
                return to_hex(ground)
            if self._may_be_painted(around, declared, others):
                return _UNKNOWN
        return _WHITE

    def _may_be_painted(
        self, element: etree._Element, declared: dict[str, str], others: list[Rule]
    ) -> bool:
        if element.get("background") is not None or "dark" in declared.get("color-scheme", ""):
            return True
        if any(ground_of(rule.declared) for rule in others) or "position" in declared:
            return True  # what is placed may lie on anything
        is_named = element.tag not in ("html", "body") and bool(classes_of(element))
        return is_named and not self._sheets.rules

    def _is_taken_back(self, element: etree._Element, name: str, declared: dict[str, str]) -> bool:
        names = ("font", "font-size") if name.startswith("font") else (name,)
        for inner in islice(element.iterdescendants(), _MOST_WITHIN):
            if isinstance(inner.tag, str):
                said, _ = self._look(inner)
                if any(one in said and not _is_as_unseen(one, said, declared) for one in names):
                    return True
        return False

    def _look(self, element: etree._Element) -> tuple[dict[str, str], list[Rule]]:
        """Return what is said of an element as it stands, and rules that may come to hold for it."""
        self._steps += _STEPS_OF_LOOK
        holding: list[Rule] = []
        others: list[Rule] = []
        for rule in self._rules(element):
            if not rule.is_conditional and self._is_about(rule, element):
                holding.append(rule)
            elif rule.is_conditional or rule.compounds[-1].names:
                others.append(rule)
        declared: dict[str, str] = {}
        for rule in sorted(holding, key=lambda rule: rule.weight):
            lay_over(declared, rule.declared)
        lay_over(declared, read_declarations(element.get("style") or ""))
        return declared, others

    def _rules(self, element: etree._Element) -> Iterator[Rule]:
        for name in _names_of(element):
            for rule in self._sheets.rules.get(name, ()):
                self._steps += 1
                if self._steps > _MOST_STEPS:
                    return
                tag = rule.compounds[-1].tag
                if not tag or tag == element.tag:
                    yield rule

    def _is_about(self, rule: Rule, element: etree._Element) -> bool:
        *before, last = rule.compounds
        if not _fits(last, element):
            return False
        around: etree._Element | None = element.getparent()
        is_child = last.is_child
        while before and around is not None:
            self._steps += 1
            if _fits(before[-1], around):
                is_child = before.pop().is_child
            elif is_child:
                return False
            around = around.getparent()
        return not before


def _names_of(element: etree._Element) -> list[str]:
    names = [f".{name}" for name in classes_of(element)]
    if element.get("id"):
        names.append(f"#{element.get('id')}".lower())
    return [*names, str(element.tag), ""]


def _fits(compound: Compound, element: etree._Element) -> bool:
    if compound.tag and compound.tag != element.tag:
        return False
    return not compound.names or compound.names.issubset(_names_of(element))


def _shows(rule: Rule, name: str, declared: Mapping[str, str]) -> bool:
    """Whether what hides an element hides it no more when a rule comes to hold."""
    return name in rule.declared and hidden_by({**declared, **rule.declared}) != name


def _is_as_unseen(name: str, said: Mapping[str, str], around: Mapping[str, str]) -> bool:
    if name == "color":
        return colour_of(said) == colour_of(around) and not ground_of(said)
    return hidden_by({name: said[name]}) == name
