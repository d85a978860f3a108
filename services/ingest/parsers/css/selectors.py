"""Tell whether an element is what a selector says, now or when a reader opens, points or chooses."""

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import Any

from cssselect2 import parser
from lxml import etree

from services.ingest.parsers.css.parsed import (
    CHOSEN,
    OF_FIELDS,
    POINTED,
    InScope,
    count_of,
    steps_of,
)

_ASKED_AGAIN = 100_000
_NAMES_OF_A_STEP, _LETTERS_OF_A_STEP = 20, 500
"""That take as long as one question, about."""
_SCRIPTED = ("data-", "aria-", "open", "hidden")
"""How the attributes begin that scripts set."""
_FIELDS = frozenset(
    ("input", "select", "textarea", "button", "option", "optgroup", "fieldset", "form", "output")
)
_FOLDED = frozenset(
    """accept accept-charset align alink axis bgcolor charset checked clear codetype color compact
    declare defer dir direction disabled enctype face frame hreflang http-equiv lang language link
    media method multiple nohref noresize noshade nowrap readonly rel rev rules scope scrolling
    selected shape target text type valign valuetype vlink""".split()  # noqa: SIM905
)
"""Attributes of HTML of which small and capital letters are the same."""
_XHTML = "http://www.w3.org/1999/xhtml"


class Holds(IntEnum):
    """Whether something is so now, and may become otherwise: the least of a row is its "and"."""

    NEVER = 0
    LATER = 1
    NOW = 2
    ALWAYS = 3


class Matcher:
    """Asks selectors of the elements of one page.

    `scripted` are the words of its own scripts, None where it has scripts that are not known;
    `folds` whether small and capital letters are the same, as on old pages. More than `most_steps`
    questions are answered "never".
    """

    def __init__(
        self, *, scripted: frozenset[str], has_others: bool, folds: bool, most_steps: int
    ) -> None:
        self._scripted = scripted
        self._has_others = has_others
        self._folds = folds
        self._left = most_steps
        self._last: tuple[etree._Element | None, frozenset[str]] = None, frozenset()
        """The element that was asked of last, and its classes."""
        self._known: dict[tuple[int, etree._Element], Holds] = {}
        self._places: dict[
            tuple[etree._Element, Any], tuple[list[etree._Element], dict[Any, int]]
        ] = {}
        """Children of an element that are alike, and which of them each is."""

    @property
    def is_tired(self) -> bool:
        """Whether there were more questions than are answered."""
        return self._left <= 0

    def spend(self, steps: int) -> None:
        """Count work that was done for questions before they are asked."""
        self._left -= steps

    def asks(self, tree: Any, element: etree._Element) -> Holds:
        """Return whether an element is what a selector is about."""
        return self._value(tree, element, is_subject=True)

    def _value(self, node: Any, element: etree._Element, *, is_subject: bool = False) -> Holds:
        self._left -= 1
        if self._left <= 0:
            return Holds.NEVER
        if isinstance(node, parser.CombinedSelector):
            right = self._value(node.right, element, is_subject=is_subject)
            return min(right, self._beside(node, element)) if right else right
        if isinstance(node, parser.CompoundSelector):
            found = Holds.ALWAYS
            for one in node.simple_selectors:
                found = min(found, self._simple(one, element, is_subject))
                if not found:
                    break
            return found
        return self._simple(node, element, is_subject)

    def _beside(self, node: Any, element: etree._Element) -> Holds:
        key = (id(node), element)
        if key not in self._known:
            others = _BESIDE[node.combinator](self, element)
            found = Holds.NEVER
            for other in others:
                found = max(found, self._value(node.left, other))
                if found is Holds.ALWAYS:
                    break
            if len(self._known) > _ASKED_AGAIN:
                self._known.clear()
            self._known[key] = found
        return self._known[key]

    def _simple(self, node: Any, element: etree._Element, is_subject: bool) -> Holds:
        handler = _HANDLERS.get(type(node))
        if handler:
            return handler(self, node, element, is_subject)
        return Holds.NEVER

    def of_tag(self, node: Any, element: etree._Element, _: bool) -> Holds:
        return _fixed(str(element.tag).lower() == node.lower_local_name)

    def of_namespace(self, node: Any, _: etree._Element, __: bool) -> Holds:
        return _fixed(node.namespace == _XHTML)

    def of_id(self, node: Any, element: etree._Element, _: bool) -> Holds:
        return _fixed(self._fold(element.get("id") or "") == self._fold(node.ident))

    def of_class(self, node: Any, element: etree._Element, _: bool) -> Holds:
        is_named = node.class_name.lower() in self._scripted
        if self._fold(node.class_name) in self._classes(element):
            return Holds.NOW if is_named else Holds.ALWAYS
        return Holds.LATER if is_named or self._has_others else Holds.NEVER

    def _classes(self, element: etree._Element) -> frozenset[str]:
        if self._last[0] is not element:
            names = frozenset(self._fold(element.get("class") or "").split())
            self._left -= len(names) // _NAMES_OF_A_STEP
            self._last = element, names
        return self._last[1]

    def of_attribute(self, node: Any, element: etree._Element, _: bool) -> Holds:
        name = node.lower_name
        value = element.get(f"{{{node.namespace}}}{name}" if node.namespace else name)
        is_so = value is not None and _compares(node, value)
        self._left -= len(value or "") // _LETTERS_OF_A_STEP
        may_change = name == "open" or (
            name.startswith(_SCRIPTED) and (self._has_others or name in self._scripted)
        )
        if may_change:
            return Holds.NOW if is_so else Holds.LATER
        return _fixed(is_so)

    def any_of(self, node: Any, element: etree._Element, is_subject: bool) -> Holds:
        found = Holds.NEVER
        for one in node.selector_list:
            found = max(found, self._value(one.parsed_tree, element, is_subject=is_subject))
        return found

    def negation(self, node: Any, element: etree._Element, is_subject: bool) -> Holds:
        return Holds(Holds.ALWAYS - self.any_of(node, element, is_subject))

    def holding(self, node: Any, element: etree._Element, _: bool) -> Holds:
        found = Holds.NEVER
        for one in node.selector_list:
            found = max(found, self._reaches(steps_of(one), element))
        return found

    def _reaches(self, steps: Sequence[tuple[str, Any]], element: etree._Element) -> Holds:
        """Return whether steps lead from an element to one that is what the last of them says."""
        (combinator, compound), *rest = steps
        found = Holds.NEVER
        for other in _AFTER[combinator](self, element):
            holds = self._value(compound, other)
            if holds and rest:
                holds = min(holds, self._reaches(rest, other))
            found = max(found, holds)
            if found is Holds.ALWAYS or self.is_tired:
                break
        return found

    def in_scope(self, node: Any, element: etree._Element, _: bool) -> Holds:
        found, is_free = Holds.NEVER, Holds.ALWAYS
        for one in (element, *element.iterancestors()):
            found = max(found, min(is_free, self._any(node.roots, one)))
            is_free = min(is_free, Holds(Holds.ALWAYS - self._any(node.ends, one)))
            if found is Holds.ALWAYS or not is_free:
                break
        return found

    def _any(self, trees: Sequence[Any], element: etree._Element) -> Holds:
        return max((self._value(one, element) for one in trees), default=Holds.NEVER)

    def in_state(self, node: Any, element: etree._Element, is_subject: bool) -> Holds:
        name = node.name
        if name in POINTED:
            # Nobody can point at what is not there.
            return Holds.NEVER if is_subject else Holds.LATER
        if name in OF_FIELDS and element.tag not in _FIELDS:
            is_written = element.get("contenteditable") is not None
            return _fixed(name == ("read-write" if is_written else "read-only"))
        if name in CHOSEN or name in OF_FIELDS:
            return Holds.LATER
        return _STATES[name](self, element)

    def function(self, node: Any, element: etree._Element, _: bool) -> Holds:
        if node.name in ("lang", "dir"):
            return _speaks(node, element)
        counted = count_of(node)
        if counted is None:
            return Holds.NEVER
        step, first, chosen = counted
        if chosen and not self._any(chosen, element):
            return Holds.NEVER
        siblings, at = self.row(element, same_tag=node.name.endswith("of-type"), chosen=chosen)
        place = len(siblings) - at if "last" in node.name else at + 1
        beyond = place - first
        return _fixed(beyond == 0 if step == 0 else beyond % step == 0 and beyond // step >= 0)

    def row(
        self, element: etree._Element, *, same_tag: bool = False, chosen: tuple[Any, ...] = ()
    ) -> tuple[Sequence[Any], int]:
        """Return the children of an element's parent and which of them it is, from 0.

        With `chosen` only those that one of these selectors is about, as the element must be.
        """
        parent = element.getparent()
        if parent is None:
            return [element], 0
        key = (parent, (element.tag if same_tag else "", chosen))
        if key not in self._places:
            children = [
                one
                for one in parent
                if isinstance(one.tag, str)
                and (not same_tag or one.tag == element.tag)
                and (not chosen or self._any(chosen, one))
            ]
            self._left -= len(parent) if same_tag else 0
            self._places[key] = children, {one: at for at, one in enumerate(children)}
        children, places = self._places[key]
        return children, places.get(element, 0)

    def _fold(self, name: str) -> str:
        return name.lower() if self._folds else name

    def ancestors(self, element: etree._Element) -> Iterator[etree._Element]:
        yield from element.iterancestors()

    def parent(self, element: etree._Element) -> Iterator[etree._Element]:
        parent = element.getparent()
        if parent is not None:
            yield parent

    def before(self, element: etree._Element) -> Iterator[etree._Element]:
        children, at = self.row(element)
        yield from children[at - 1 : at] if at else ()

    def all_before(self, element: etree._Element) -> Iterator[etree._Element]:
        children, at = self.row(element)
        for number in range(at - 1, -1, -1):
            yield children[number]

    def all_within(self, element: etree._Element) -> Iterator[etree._Element]:
        return (one for one in element.iterdescendants() if isinstance(one.tag, str))

    def children(self, element: etree._Element) -> Iterator[etree._Element]:
        return (one for one in element if isinstance(one.tag, str))

    def after(self, element: etree._Element) -> Iterator[etree._Element]:
        children, at = self.row(element)
        yield from children[at + 1 : at + 2]

    def all_after(self, element: etree._Element) -> Iterator[etree._Element]:
        children, at = self.row(element)
        for number in range(at + 1, len(children)):
            yield children[number]


def _fixed(is_so: bool) -> Holds:
    return Holds.ALWAYS if is_so else Holds.NEVER


def _compares(node: Any, value: str) -> bool:
    wanted = node.value
    if wanted is None:
        return True
    if node.case_sensitive is False or node.lower_name in _FOLDED:
        wanted, value = wanted.lower(), value.lower()
    if node.operator == "=":
        return bool(value == wanted)
    if node.operator == "~=":
        return wanted in value.split()
    if node.operator == "|=":
        return bool(value == wanted or value.startswith(f"{wanted}-"))
    compare = {"^=": value.startswith, "$=": value.endswith, "*=": value.__contains__}
    return bool(wanted) and bool(compare[node.operator](wanted))


def _speaks(node: Any, element: etree._Element) -> Holds:
    """Whether an element is in one of the languages, or directions, that are named."""
    named = [one.value.lower() for one in node.arguments if one.type in ("ident", "string")]
    for one in (element, *element.iterancestors()):
        value = one.get(node.name) or (node.name == "lang" and one.get(_XML_LANGUAGE))
        if value:
            plain = str(value).lower()
            return _fixed(any(plain == name or plain.startswith(f"{name}-") for name in named))
    return _fixed(node.name == "dir" and "ltr" in named)


_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_BESIDE: dict[str, Callable[[Matcher, etree._Element], Iterator[etree._Element]]] = {
    " ": Matcher.ancestors,
    ">": Matcher.parent,
    "+": Matcher.before,
    "~": Matcher.all_before,
}
_AFTER: dict[str, Callable[[Matcher, etree._Element], Iterator[etree._Element]]] = {
    " ": Matcher.all_within,
    ">": Matcher.children,
    "+": Matcher.after,
    "~": Matcher.all_after,
}
_HANDLERS: dict[type, Callable[[Matcher, Any, etree._Element, bool], Holds]] = {
    parser.LocalNameSelector: Matcher.of_tag,
    parser.NamespaceSelector: Matcher.of_namespace,
    parser.IDSelector: Matcher.of_id,
    parser.ClassSelector: Matcher.of_class,
    parser.AttributeSelector: Matcher.of_attribute,
    parser.MatchesAnySelector: Matcher.any_of,
    parser.SpecificityAdjustmentSelector: Matcher.any_of,
    parser.NegationSelector: Matcher.negation,
    parser.RelationalSelector: Matcher.holding,
    parser.PseudoClassSelector: Matcher.in_state,
    parser.FunctionalPseudoClassSelector: Matcher.function,
    InScope: Matcher.in_scope,
}


def _checked(_: Matcher, element: etree._Element) -> Holds:
    if element.tag not in ("input", "option"):
        return Holds.NEVER
    is_so = element.get("checked") is not None or element.get("selected") is not None
    return Holds.NOW if is_so else Holds.LATER


def _open(_: Matcher, element: etree._Element) -> Holds:
    if element.tag not in ("details", "dialog"):
        return Holds.NEVER
    return Holds.NOW if element.get("open") is not None else Holds.LATER


def _at(*, first: bool, last: bool, same_tag: bool) -> Callable[[Matcher, etree._Element], Holds]:
    def ask(matcher: Matcher, element: etree._Element) -> Holds:
        row, at = matcher.row(element, same_tag=same_tag)
        return _fixed((not first or at == 0) and (not last or at == len(row) - 1))

    return ask


def _is_link(_: Matcher, element: etree._Element) -> Holds:
    return _fixed(element.tag in ("a", "area") and element.get("href") is not None)


_STATES: dict[str, Callable[[Matcher, etree._Element], Holds]] = {
    "link": _is_link,
    "any-link": _is_link,
    "checked": _checked,
    "open": _open,
    "target": lambda _, element: Holds.LATER if element.get("id") else Holds.NEVER,
    "root": lambda _, element: _fixed(element.getparent() is None),
    "scope": lambda _, element: _fixed(element.getparent() is None),
    "empty": lambda _, element: _fixed(not len(element) and not element.text),
    "defined": lambda _, __: Holds.ALWAYS,
    "first-child": _at(first=True, last=False, same_tag=False),
    "last-child": _at(first=False, last=True, same_tag=False),
    "only-child": _at(first=True, last=True, same_tag=False),
    "first-of-type": _at(first=True, last=False, same_tag=True),
    "last-of-type": _at(first=False, last=True, same_tag=True),
    "only-of-type": _at(first=True, last=True, same_tag=True),
}
