"""Raised, lowered and struck-out text: written so that a line of plain text means the same.

10 with a raised 6 is 10^6 and never 106. What is no exponent to any reader, such as the letters of
"1st", stays as it is, and so does a lowered number behind a letter: H2O. A number right before the
symbol of an element, whose nuclide it may be, is written ^235U wherever it stands.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from services.ingest.model.book import DroppedContent
from services.ingest.parsers.dropped import visible

STRUCK = DroppedContent("struck-out text", "", "the book itself strikes it out")
"""What the report says of text that is left out because it is struck out."""
_MOVED = DroppedContent("raised or lowered text", "", "it is written with ^ or _", dropped=False)
STRUCK_TAGS = frozenset(("del", "s", "strike"))
STRUCK_NAMES = frozenset(
    (
        *("del", "strike", "strikethrough", "strikeout", "struck"),
        *("line-through", "linethrough", "text-decoration-line-through"),
    )
)
"""What tools and style sheets call text that is struck out."""
STRIKING = re.compile(r"text-decoration(?:-line)?\s*:[^;]{0,200}line-through", re.IGNORECASE)
_ORDINAL = re.compile("st|nd|rd|th", re.IGNORECASE)
_NO_EXPONENT = re.compile(r"\W*|\[.*\]|\(?(?:TM|SM|R|C)\)|TM|SM", re.DOTALL)
_SIMPLE = re.compile(r"[+\-−–]?\w+(?:[.,]\w+)*[+\-−–]?|\(.*\)", re.DOTALL)
_NUMBER = re.compile(r"\d+")

_ELEMENTS = """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga
    Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd
    Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra
    Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv
    Ts Og""".split()  # noqa: SIM905
"""The symbols of the chemical elements in the order of their numbers (IUPAC, 2018)."""
_ELEMENT = re.compile(r"[A-Z][a-z]?(?![a-z])")
_MASS = re.compile(r"(\d{1,3})m?")
_LEAST_MASS, _MOST_MASS = 1.4, 3.1
"""Of an element's number: no nuclide that anybody writes of is lighter or heavier, but hydrogen 1."""

_NEAR = 40
"""Characters before that are looked at."""


class Script(Enum):
    """Where text stands: on the line, above or below it."""

    LINE = ""
    RAISED = "^"
    LOWERED = "_"


TAGS = {"sup": Script.RAISED, "sub": Script.LOWERED}

Piece = tuple[str, Script]


def strikes(attributes: Mapping[str, str]) -> bool:
    """Whether the attributes of a tag strike out what is in its element."""
    names = f"{attributes.get('class', '')} {attributes.get('className', '')}".lower()
    if not STRUCK_NAMES.isdisjoint(names.split()):
        return True
    return bool(STRIKING.search(attributes.get("style", "")))


def struck(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that was left out because it is struck out."""
    return replace(STRUCK, place=place, characters=visible(text))


def moved(text: str, place: str) -> DroppedContent:
    """Return what the report says of text that was raised or lowered."""
    return replace(_MOVED, place=place, characters=visible(text))


def marks_around(script: Script, before: str, text: str, after: str) -> tuple[str, str]:
    """Return what is written before and after raised or lowered text; nothing where it needs none.

    `before` and `after` are the text next to it, "" at the end of a line.
    """
    text, last = text.strip(), before.rstrip()[-1:]
    if _is_of_nuclide(script, before, text, after):
        return script.value, ""
    if script is Script.LINE or not last or _NO_EXPONENT.fullmatch(text):
        return "", ""
    if script is Script.RAISED and last.isdigit() and _ORDINAL.fullmatch(text):
        return "", ""
    runs_on = after[:1].isalnum()
    if script is Script.LOWERED and _NUMBER.fullmatch(text):
        is_apart = not after[:1].isdigit() and before[-1:].isalpha()
        if is_apart:
            return "", ""
    is_simple = bool(_SIMPLE.fullmatch(text)) and (not runs_on or text.endswith(")"))
    return (script.value, "") if is_simple else (f"{script.value}(", ")")


def is_mass_number(text: str, after: str) -> bool:
    """Whether a raised number may be that of a nuclide: the symbol of its element stands behind it."""
    mass, number = _MASS.fullmatch(text), _number_of(after)
    if not (mass and number):
        return False
    return (
        _LEAST_MASS * number <= int(mass[1]) <= _MOST_MASS * number or int(mass[1]) == number == 1
    )


def _number_of(after: str) -> int:
    """Return the number of the element whose symbol a text begins with, else 0."""
    symbol = _ELEMENT.match(after)
    return _ELEMENTS.index(symbol[0]) + 1 if symbol and symbol[0] in _ELEMENTS else 0


def _is_of_nuclide(script: Script, before: str, text: str, after: str) -> bool:
    if script is Script.RAISED:
        return not before[-1:].isalnum() and is_mass_number(text, after)
    is_below = script is Script.LOWERED and before[-1:].isdigit()
    return is_below and text.isdecimal() and int(text[:9]) == _number_of(after) > 0


class Run(NamedTuple):
    """A range of the pieces that stands raised or lowered, and what is written around it."""

    script: Script
    start: int
    end: int
    opening: str
    closing: str


class Written(NamedTuple):
    """The text of pieces in one line, what of it was written another way, and its runs."""

    text: str
    changed: str
    runs: tuple[Run, ...] = ()


def write_scripts(pieces: Iterable[Piece]) -> Written:
    runs: list[Piece] = []
    for text, script in pieces:
        if runs and runs[-1][1] is script:
            runs[-1] = (runs[-1][0] + text, script)
        elif text:
            runs.append((text, script))
    if len(runs) == 1 and runs[0][1] is Script.LINE:
        return Written(runs[0][0], "")
    written, changed, length = "", "", 0
    found: list[Run] = []
    for at, (text, script) in enumerate(runs):
        follows = runs[at + 1] if at + 1 < len(runs) else ("", Script.LINE)
        if script is Script.RAISED and follows[1] is Script.LOWERED and at + 2 < len(runs):
            follows = runs[at + 2]  # of a nuclide, whose numbers stand above each other
            follows = follows if is_mass_number(text.strip(), follows[0]) else ("", Script.RAISED)
        after = follows[0] if follows[1] is Script.LINE else ""
        opening, closing = marks_around(script, written[-_NEAR:], text, after)
        written += f"{opening}{text.strip()}{closing}" if opening else text
        changed += text if opening else ""
        if script is not Script.LINE:
            found.append(Run(script, length, length + len(text), opening, closing))
        length += len(text)
    return Written(written, changed, tuple(found))
