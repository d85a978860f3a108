"""Write the formulas of a Word file in one line."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from lxml import etree

from services.ingest.parsers.formula import (
    Term,
    cells,
    fenced,
    finish,
    fraction,
    in_a_row,
    over,
    root,
    script,
    stacked,
    table,
    token,
)
from services.ingest.parsers.scripts import Script

_SPACE = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULA = f"{_SPACE}oMath"
_EMPTY = Term("", "")
_INTEGRAL = "∫"
_BAR = "\u0304"
_ONE_SIGN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|\S")
_OFF = frozenset(("0", "off", "false"))

_Parts = Mapping[str, Term]
"""What the parts of an element say, by their names."""


def write_formula(formula: etree._Element, skipped: Collection[str] = ()) -> tuple[str, bool]:
    """Return what a formula says, and whether it is more than its signs one after the other.

    Elements named in `skipped` are no part of it. From the innermost part outwards, so that no depth of
    a file is one of calls.
    """
    terms: dict[etree._Element, Term] = {}
    plain: list[str] = []
    walk = etree.iterwalk(formula, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element.tag in skipped:
                walk.skip_subtree()
            continue
        if element.tag in skipped or not isinstance(element.tag, str):
            continue
        children = [one for one in element if one in terms]
        terms[element] = _term(element, children, terms)
        if element.tag == f"{_SPACE}t":
            plain.append(element.text or "")
        for child in children:
            del terms[child]
    text = finish(terms[formula])
    return text, text.split() != "".join(plain).split()


def _term(
    element: etree._Element,
    children: Sequence[etree._Element],
    terms: Mapping[etree._Element, Term],
) -> Term:
    name = _name(element)
    if name == "t":
        return _run(" ".join((element.text or "").split()))
    if name in ("m", "eqArr"):
        return table([terms[child] for child in children])
    if name == "mr":
        return cells([terms[child] for child in children])
    if name == "d":
        return _delimited(element, [terms[child] for child in children])
    shape = _SHAPES.get(name)
    if shape is None:
        return in_a_row([terms[child] for child in children])
    return shape(element, {_name(child): terms[child] for child in children})


def _run(text: str) -> Term:
    """Return what stands in one run, which may be several signs: x+1."""
    return Term(text, text, _ONE_SIGN.fullmatch(text) is not None)


def _name(element: etree._Element) -> str:
    return str(element.tag).removeprefix(_SPACE)


def _setting(element: etree._Element, name: str, usual: str) -> str:
    """Return a property of an element; `usual` where the file does not say."""
    found = element.find(f"{_SPACE}{_name(element)}Pr/{_SPACE}{name}")
    return usual if found is None else found.get(f"{_SPACE}val", "")


def _part(parts: _Parts, name: str) -> Term:
    return parts.get(name, _EMPTY)


def _delimited(element: etree._Element, parts: Sequence[Term]) -> Term:
    held = [part for part in parts if part.alone]
    opening, closing = (
        _setting(element, name, usual) for name, usual in (("begChr", "("), ("endChr", ")"))
    )
    return fenced(opening, held, _setting(element, "sepChr", "|"), closing)


def _root(element: etree._Element, parts: _Parts) -> Term:
    is_plain = _setting(element, "degHide", "0") not in _OFF
    return root(_part(parts, "e"), None if is_plain else _part(parts, "deg"))


def _summed(element: etree._Element, parts: _Parts) -> Term:
    """A sum, an integral or a product, with its limits, before what it is taken of."""
    sign = token(_setting(element, "chr", _INTEGRAL) or _INTEGRAL)
    limits = script(
        script(sign, Script.LOWERED, _part(parts, "sub")), Script.RAISED, _part(parts, "sup")
    )
    return in_a_row([limits, token(" "), _part(parts, "e")])


def _fraction(element: etree._Element, parts: _Parts) -> Term:
    is_ruled = _setting(element, "type", "bar") != "noBar"
    both = _part(parts, "num"), _part(parts, "den")
    return fraction(*both) if is_ruled else stacked(*both)


def _script(*sides: tuple[Script, str]) -> Callable[[etree._Element, _Parts], Term]:
    def shape(_: etree._Element, parts: _Parts) -> Term:
        base = _part(parts, "e")
        for side, name in sides:
            base = script(base, side, _part(parts, name))
        return base

    return shape


def _before(_: etree._Element, parts: _Parts) -> Term:
    marks = [
        script(_EMPTY, side, _part(parts, name))
        for side, name in ((Script.LOWERED, "sub"), (Script.RAISED, "sup"))
    ]
    return in_a_row([*marks, _part(parts, "e")])


def _accent(element: etree._Element, parts: _Parts) -> Term:
    return over(_part(parts, "e"), token(_setting(element, "chr", "\u0302")))


def _bar(element: etree._Element, parts: _Parts) -> Term:
    is_over = _setting(element, "pos", "bot") == "top"
    return over(_part(parts, "e"), token(_BAR)) if is_over else _part(parts, "e")


def _function(_: etree._Element, parts: _Parts) -> Term:
    return in_a_row([_part(parts, "fName"), token(" "), _part(parts, "e")])


_SHAPES: dict[str, Callable[[etree._Element, _Parts], Term]] = {
    "rad": _root,
    "nary": _summed,
    "f": _fraction,
    "sSup": _script((Script.RAISED, "sup")),
    "sSub": _script((Script.LOWERED, "sub")),
    "sSubSup": _script((Script.LOWERED, "sub"), (Script.RAISED, "sup")),
    "limLow": _script((Script.LOWERED, "lim")),
    "limUpp": _script((Script.RAISED, "lim")),
    "sPre": _before,
    "acc": _accent,
    "bar": _bar,
    "func": _function,
    "phant": lambda element, parts: (
        _EMPTY if _setting(element, "show", "1") in _OFF else _part(parts, "e")
    ),
}
"""How the elements stand in one line whose signs alone would say something else."""
