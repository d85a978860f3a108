"""Write the formulas of a page in one line: MathML that has no TeX beside it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from lxml import etree

from services.ingest.parsers.formula import (
    Term,
    cells,
    fenced,
    finish,
    fraction,
    has_unseen_sign,
    in_a_row,
    over,
    root,
    script,
    stacked,
    table,
    token,
)
from services.ingest.parsers.html.marks import classes_of, text_of
from services.ingest.parsers.scripts import Script

_NOT_IN_A_LINE = (
    *("mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
    *("mmultiscripts", "mtable", "mfenced", "menclose", "mphantom", "ms", "annotation-xml"),
    "annotation",
)
_TOKENS = ("mi", "mn", "mo", "mtext", "ms")
_EMPTY = Term("", "")
_SHAPELESS = {
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"), _EMPTY),
    "mspace": Term(" ", " "),
}
_TEX = re.compile(r"(?:^|[^a-z])(?:la)?tex\b", re.IGNORECASE)
_DELIMITED = re.compile(r"\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$?(.*?)\$\$?)\s*", re.DOTALL)
_STYLED = re.compile(r"\{\\(?:display|text)style\s*(.*?)\s*(?:\\,\s*)?\}", re.DOTALL)
"""What MediaWiki has around every formula."""
_LAYOUT_OF_TEX = re.compile(
    r"\\(?:begin|end)\{\w+\*?\}(?:\{[^{}]*\})?"
    r"|\\(?:[hv]space|label|tag|ref|eqref|color|textcolor|rule|operatorname)\*?(?:\{[^{}]*\}){1,2}"
    r"|\\(?:hskip|kern|mkern|mskip)\s*-?[\d.]+\s*\w+|\\\\\[[^\]]*\]|\\[a-zA-Z]+"
)
"""Names of commands, and what they have that nobody sees as text."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_NO_LINE = frozenset(("0", "0px", "0pt", "0em", "0ex", "0%"))


class _Shape(Protocol):
    """Writes the parts of an element in one line."""

    def __call__(self, element: etree._Element, parts: Sequence[Term], /) -> Term: ...


class Formula(NamedTuple):
    text: str
    is_tex: bool = False
    is_rewritten: bool = False
    """Whether its signs had to be written another way, for they do not stand in one line."""

    @property
    def is_apart(self) -> bool:
        """Whether its text is another than that of its elements one after the other."""
        return self.is_tex or self.is_rewritten


def read_formula(element: etree._Element) -> Formula:
    """Return what a `math` element says: its TeX, where it has any, else its signs in one line.

    TeX that says something else than the signs, which alone a reader sees, is none.
    """
    tex = element.get("alttext") or ""
    for note in element.iter("annotation"):
        if _TEX.search(note.get("encoding") or ""):
            tex = note.text or tex
    if tex.strip() and _agrees(tex, element):
        return Formula(" ".join(bare_tex(tex).split()), is_tex=True)
    plain = text_of(element)
    if has_unseen_sign(plain) or any(True for _ in element.iter(*_NOT_IN_A_LINE)):
        return Formula(_in_a_line(element), is_rewritten=True)
    return Formula(" ".join(plain.split()))


def is_delimited(text: str) -> bool:
    """Whether a text is one formula in the signs that a page has around it for a script to find."""
    found = _DELIMITED.fullmatch(text)
    return found is not None and "$" not in "".join(filter(None, found.groups()))


def bare_tex(text: str) -> str:
    """Return TeX without the signs around it, and without what sets all of it in one style."""
    found = _DELIMITED.fullmatch(text)
    tex = next((one for one in found.groups() if one is not None), "") if found else text
    styled = _STYLED.fullmatch(tex.strip())
    return (styled[1] if styled else tex).strip()


def inline_tex(element: etree._Element) -> str:
    """Return the TeX that a span has for a script to draw; "" for any other element."""
    if element.tag != "span" or "math" not in classes_of(element):
        return ""
    text = text_of(element)
    return " ".join(bare_tex(text).split()) if _DELIMITED.fullmatch(text) else ""


def _agrees(tex: str, element: etree._Element) -> bool:
    """Whether TeX has the digits of the signs that are seen, and no words but theirs."""
    tokens = (one.text or "" for one in element.iter(*_TOKENS))
    shown = unicodedata.normalize("NFKC", "".join("".join(tokens).split()))
    said = unicodedata.normalize("NFKC", _LAYOUT_OF_TEX.sub(" ", tex))
    digits_shown, digits_said = (Counter(filter(str.isdigit, text)) for text in (shown, said))
    words = _WORD.findall(said)
    return bool(shown) and digits_shown == digits_said and all(word in shown for word in words)


def _in_a_line(formula: etree._Element) -> str:
    """From the innermost part outwards, so that no depth of a page is one of calls."""
    terms: dict[etree._Element, Term] = {}
    for _, element in etree.iterwalk(formula, events=("end",)):
        if isinstance(element.tag, str):
            children = [one for one in element if isinstance(one.tag, str)]
            terms[element] = _term(element, children, terms)
            for child in children:
                del terms[child]
    return finish(terms[formula])


def _term(
    element: etree._Element,
    children: Sequence[etree._Element],
    terms: Mapping[etree._Element, Term],
) -> Term:
    tag = str(element.tag)
    if tag in _SHAPELESS:
        return _SHAPELESS[tag]
    if tag in _TOKENS and not children:
        text = " ".join((element.text or "").split())
        return token(f'"{text}"' if tag == "ms" else text)
    parts = [terms[child] for child in children]
    wanted, shape = _SHAPES.get(tag, (0, None))
    if shape and wanted in (len(parts), -1):
        return shape(element, parts)
    row = _row(element, children, terms)
    is_root = tag == "msqrt" or (tag == "menclose" and "radical" in (element.get("notation") or ""))
    return root(row) if is_root else row


def _row(
    element: etree._Element,
    children: Sequence[etree._Element],
    terms: Mapping[etree._Element, Term],
) -> Term:
    """Return all that stands in an element one after the other, with the spaces of its source."""
    parts = [_loose(element.text)]
    for child in children:
        parts += [terms[child], _loose(child.tail)]
    return in_a_row([part for part in parts if part.alone])


def _loose(text: str | None) -> Term:
    words = " ".join((text or "").split())
    return token(words) if words else Term(" ", " ") if text else _EMPTY


def _script(side: Script) -> _Shape:
    return lambda _, parts: script(parts[0], side, parts[1])


def _limits(_: etree._Element, parts: Sequence[Term]) -> Term:
    base, below, above = parts
    return script(script(base, Script.LOWERED, below), Script.RAISED, above)


def _fraction(element: etree._Element, parts: Sequence[Term]) -> Term:
    is_ruled = (element.get("linethickness") or "").strip() not in _NO_LINE
    return fraction(*parts) if is_ruled else stacked(*parts)


def _fenced(element: etree._Element, parts: Sequence[Term]) -> Term:
    separators = "".join((element.get("separators") or "").split())
    separators = "," if element.get("separators") is None else separators
    return fenced(element.get("open", "("), parts, separators, element.get("close", ")"))


def _around(element: etree._Element, parts: Sequence[Term]) -> Term:
    """Return a base with pairs of a lowered and a raised part behind it, and before it."""
    tags = [one.tag for one in element if isinstance(one.tag, str)]
    middle = tags.index("mprescripts") if "mprescripts" in tags else len(parts)
    base, *behind = parts[:middle] or [_EMPTY]
    for at, part in enumerate(behind):
        base = script(base, Script.RAISED if at % 2 else Script.LOWERED, part)
    marks = [
        script(_EMPTY, Script.RAISED if at % 2 else Script.LOWERED, part)
        for at, part in enumerate(parts[middle + 1 :])
        if part.alone
    ]
    return in_a_row([*marks, base]) if marks else base


_SHAPES: dict[str, tuple[int, _Shape]] = {
    "msub": (2, _script(Script.LOWERED)),
    "msup": (2, _script(Script.RAISED)),
    "munder": (2, _script(Script.LOWERED)),
    "mover": (2, lambda _, parts: over(parts[0], parts[1])),
    "msubsup": (3, _limits),
    "munderover": (3, _limits),
    "mroot": (2, lambda _, parts: root(parts[0], parts[1])),
    "mfrac": (2, _fraction),
    "mfenced": (-1, _fenced),
    "mmultiscripts": (-1, _around),
    "mtable": (-1, lambda _, parts: table(parts)),
    "mtr": (-1, lambda _, parts: cells(parts)),
    "mlabeledtr": (-1, lambda _, parts: cells(parts)),
    "semantics": (-1, lambda _, parts: parts[0] if parts else _EMPTY),
    "maction": (-1, lambda _, parts: parts[0] if parts else _EMPTY),
}
"""How many parts each has, -1 for any, and how they stand in one line."""
