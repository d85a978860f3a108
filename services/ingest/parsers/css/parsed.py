"""Read the selectors of a rule as browsers do, and tell which elements they can be about."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cssselect2 import parser
from tinycss2 import ast
from tinycss2.nth import parse_nth

_LONGEST = 2000
_MOST_PARTS = 60
"""Elements that one selector speaks of."""
POINTED = frozenset(("hover", "active", "focus", "focus-within", "focus-visible"))
OF_FIELDS = frozenset(
    (
        *("disabled", "enabled", "read-only", "read-write", "required", "optional", "valid"),
        *("invalid", "in-range", "out-of-range", "placeholder-shown", "indeterminate", "default"),
        *("autofill", "user-valid", "user-invalid"),
    )
)
"""What only fields of forms are, but for `read-only`, which all else is."""
CHOSEN = frozenset(
    (
        *("visited", "target-within", "fullscreen", "modal", "popover-open", "playing"),
        *("paused", "current", "past", "future"),
    )
)
"""What a reader, or what runs in the page, may bring about."""
_FIXED = frozenset(
    (
        *("link", "any-link", "checked", "target", "open", "root", "scope", "empty", "defined"),
        *("first-child", "last-child", "only-child", "first-of-type", "last-of-type"),
        "only-of-type",
    )
)
_COUNTED = frozenset(("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"))
_AMONG = (parser.MatchesAnySelector, parser.SpecificityAdjustmentSelector)
_DRAWN_ONLY = re.compile(
    r"::(?:-webkit-[\w-]+|backdrop|cue|details-content|view-transition|checkmark|picker-icon)(?![\w(-])"
)
"""Parts of elements that browsers know and the library does not."""
_ANY = re.compile(r":-(?:webkit|moz)-any\(", re.IGNORECASE)
_PARTS = (None, "before", "after")
_NO_NAMESPACES: Mapping[str | None, str] = MappingProxyType({})


def parse(
    selectors: str, namespaces: Mapping[str | None, str] = _NO_NAMESPACES
) -> list[parser.Selector]:
    """Return the selectors of a list; none where a browser would understand none of them.

    Those about parts of elements are left out, but for what stands before and after their text.
    `namespaces` are by their prefixes, that of names without one by None.
    """
    if len(selectors) > _LONGEST:
        return []
    spelt = _ANY.sub(":is(", _DRAWN_ONLY.sub("::selection", selectors))
    try:
        found = list(parser.parse(spelt, namespaces))
        is_known = all(_is_known(one.parsed_tree) for one in found)
    except (parser.SelectorError, RecursionError):
        return []
    return [one for one in found if one.pseudo_element in _PARTS] if is_known else []


def _is_known(tree: Any, *, is_in_has: bool = False) -> bool:
    """Whether browsers understand a selector; what they pass over of `:is` is taken out."""
    parts = 0
    waiting = [(tree, is_in_has)]
    while waiting:
        node, is_inner = waiting.pop()
        parts += 1
        if not _is_one_known(node) or (is_inner and isinstance(node, parser.RelationalSelector)):
            return False
        if isinstance(node, _AMONG):
            node.selector_list = [
                one for one in node.selector_list if _is_known(one.parsed_tree, is_in_has=is_inner)
            ]
        is_inner = is_inner or isinstance(node, parser.RelationalSelector)
        waiting += [(one, is_inner) for one in _inside(node)]
    return parts <= _MOST_PARTS


def _is_one_known(node: Any) -> bool:
    if isinstance(node, parser.PseudoClassSelector):
        return node.name in POINTED | OF_FIELDS | CHOSEN | _FIXED
    if isinstance(node, parser.FunctionalPseudoClassSelector):
        if node.name in ("lang", "dir"):
            return [one.type for one in node.arguments if one.type != "whitespace"] == ["ident"]
        return node.name in _COUNTED and count_of(node) is not None
    # Not every browser can be asked to mind the case.
    return not (isinstance(node, parser.AttributeSelector) and node.case_sensitive)


def count_of(node: Any) -> tuple[int, int, tuple[Any, ...]] | None:
    """Return the step and the first of `:nth-child`, and of which selectors; None if it is none."""
    if not hasattr(node, "count"):
        node.count = _count(node.arguments, may_choose=node.name.endswith("-child"))
    found: tuple[int, int, tuple[Any, ...]] | None = node.count
    return found


def _count(
    arguments: list[ast.Node], *, may_choose: bool
) -> tuple[int, int, tuple[Any, ...]] | None:
    words = (at for at, one in enumerate(arguments) if _is_of(one))
    at = next(words, len(arguments))
    step = parse_nth(arguments[:at])
    if at == len(arguments) or step is None:
        return step and (*step, ())
    chosen = [one.parsed_tree for one in parser.parse(arguments[at + 1 :])] if may_choose else []
    return (*step, tuple(chosen)) if chosen and all(map(_is_known, chosen)) else None


def _is_of(token: ast.Node) -> bool:
    return bool(token.type == "ident" and token.lower_value == "of")


def _inside(node: Any) -> list[Any]:
    if isinstance(node, parser.CombinedSelector):
        return [node.left, node.right]
    if isinstance(node, parser.CompoundSelector):
        return list(node.simple_selectors)
    return [
        one.selector.parsed_tree if isinstance(one, parser.RelativeSelector) else one.parsed_tree
        for one in getattr(node, "selector_list", ())
    ]


class InScope:
    """Asks of an element that it stands in or below one of `roots`, with none of `ends` between."""

    specificity = 0, 0, 0

    def __init__(self, roots: Sequence[parser.Selector], ends: Sequence[parser.Selector]) -> None:
        self.roots = tuple(one.parsed_tree for one in roots)
        self.ends = tuple(one.parsed_tree for one in ends)


def put_in_scope(tree: Any, scope: InScope) -> None:
    """Ask of what a selector is about that it stands in a scope, too."""
    compound = tree.right if isinstance(tree, parser.CombinedSelector) else tree
    compound.simple_selectors.append(scope)


def steps_of(relative: parser.RelativeSelector) -> Sequence[tuple[str, Any]]:
    """Return how a selector in `:has` leads on: each step's combinator, and what is to be there."""
    steps: list[tuple[str, Any]] = []
    tree = relative.selector.parsed_tree
    while isinstance(tree, parser.CombinedSelector):
        steps.append((tree.combinator, tree.right))
        tree = tree.left
    return [*reversed([*steps, (relative.combinator, tree)])]


def needs_of(tree: Any) -> frozenset[str]:
    """Return names that elements around one must have for a selector to hold of it."""
    needs: set[str] = set()
    while isinstance(tree, parser.CombinedSelector):
        left = tree.left
        compound = left.right if isinstance(left, parser.CombinedSelector) else left
        if tree.combinator in (" ", ">"):
            needs.update(_names_in(compound))
            needs.update(attribute_key(_name_of(one)) for one in _attributes_in(compound))
        tree = left
    return frozenset(needs)


def _names_in(compound: Any) -> Iterator[str]:
    for one in compound.simple_selectors:
        if isinstance(one, parser.ClassSelector):
            yield f".{one.class_name.lower()}"
        elif isinstance(one, parser.IDSelector):
            yield f"#{one.ident.lower()}"
        elif isinstance(one, parser.LocalNameSelector):
            yield str(one.lower_local_name)


def keys_of(tree: Any, *, by_attributes: bool) -> set[str]:
    """Return names of which an element has one if a selector is about it: "*" for any.

    Without `by_attributes` also of what it may come to be about, when scripts set attributes.
    """
    compound = tree.right if isinstance(tree, parser.CombinedSelector) else tree
    named = set(_names_in(compound))
    strict = {name for name in named if name[0] in ".#"}
    if strict:
        return strict
    simple = compound.simple_selectors
    said = _attributes_in(compound)
    if by_attributes and said:
        return {min(map(_key_of_attribute, said), key=lambda key: "=" not in key)}
    if named:
        return named
    for one in simple:
        if isinstance(one, (parser.MatchesAnySelector, parser.SpecificityAdjustmentSelector)):
            among = (inner.parsed_tree for inner in one.selector_list)
            return {key for inner in among for key in keys_of(inner, by_attributes=by_attributes)}
    return {"*"}


def _attributes_in(compound: Any) -> list[Any]:
    """Return what is asked of attributes; that of `open`, which a reader sets, is as if not asked."""
    return [
        one
        for one in compound.simple_selectors
        if isinstance(one, parser.AttributeSelector) and one.lower_name != "open"
    ]


def _key_of_attribute(one: Any) -> str:
    return attribute_key(_name_of(one), one.value if one.operator == "=" else None)


def _name_of(one: Any) -> str:
    name = str(one.lower_name)
    return f"{{{one.namespace}}}{name}" if one.namespace else name


def attribute_key(name: str, value: str | None = None) -> str:
    """Return the name under which selectors of an attribute are kept, or of one of its values."""
    return f"[{name}" if value is None else f"[{name}={value.lower()}"
