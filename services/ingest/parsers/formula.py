"""A formula in one line of plain text: 10^6, (a + b)/2, √(x + 1), ∑_(i=1)^n.

Each part knows how it stands alone, and how it stands where the sign behind it could be read with it:
2^n, but 2^(n)x.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.ingest.parsers.scripts import Script, marks_around


class Term(NamedTuple):
    """A part of a formula. `is_whole` where it is one sign, one number or in brackets."""

    alone: str
    joined: str
    is_whole: bool = False
    is_fraction: bool = False


_EMPTY = Term("", "")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_TIMES, _COMMA, _PLUS = "\u2062", "\u2063", "\u2064"
"""Operators without a shape: what tells 2·3 from 23 where nothing is drawn."""
_SHAPELESS = str.maketrans("", "", "\u2061\u2062\u2063\u2064")
_BETWEEN_NUMBERS = re.compile(rf"(?<=\d)([{_TIMES}{_COMMA}])(?=\d)")
_RELATIONS = ("=", "<", ">", "≤", "≥", "≈", "≡", "≠", "→")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_OPENING, _CLOSING = "([{", ")]}"
_PRIMES = re.compile("['′″‴⁗°º]+")
_SIGNED_NUMBER = re.compile(r"[+\-−–]?\d+(?:[.,]\d+)*")
_ACCENTS = {
    **dict.fromkeys("^ˆ\u0302", "\u0302"),
    **dict.fromkeys("~˜∼\u0303", "\u0303"),
    **dict.fromkeys("¯‾ˉ―−-\u0304\u0305", "\u0304"),
    **dict.fromkeys("→⃗\u20d7", "\u20d7"),
    **dict.fromkeys(".˙⋅\u0307", "\u0307"),
    **dict.fromkeys("¨\u0308", "\u0308"),
    **dict.fromkeys("ˇ\u030c", "\u030c"),
}
"""Signs over a letter, and those that Unicode writes into it."""


def token(text: str) -> Term:
    return Term(text, text, " " not in text)


def finish(term: Term) -> str:
    """Return the text of a formula, without what has no shape."""
    text = _BETWEEN_NUMBERS.sub(lambda sign: "·" if sign[1] == _TIMES else ",", term.alone)
    return " ".join(text.translate(_SHAPELESS).split())


def has_unseen_sign(text: str) -> bool:
    """Whether two numbers stand side by side with an operator that is not drawn between them."""
    return bool(_BETWEEN_NUMBERS.search(text))


def in_a_row(terms: Sequence[Term]) -> Term:
    seen = [term for term in terms if term.alone.strip()]
    if len(seen) == 1:
        return seen[0]
    before = [_EMPTY, *_seen_before(terms)][: len(terms)]
    parts: list[str] = []
    after = after_space = ""
    for term, last in zip(reversed(terms), reversed(before), strict=True):
        if term.is_fraction:
            parts.append(_fraction_between(term, last, after_space))
        else:
            parts.append(term.joined if _reads_on(term, after) else term.alone)
        after = parts[-1][:1] or after
        after_space = parts[-1].lstrip()[:1] or after_space
    text = "".join(reversed(parts))
    return Term(text, text, _is_in_brackets(text.strip()))


def _seen_before(terms: Sequence[Term]) -> Iterator[Term]:
    """Yield after each part the last one that is no space."""
    last = _EMPTY
    for term in terms:
        last = term if term.alone.strip() else last
        yield last


def _reads_on(term: Term, after: str) -> bool:
    if after == "(":
        return term.alone[-1:].isalpha()
    if after.isalpha() and term.alone.isalnum():
        return False  # H2O
    return after.isalnum() or (after != "" and after in "√∛∜!")


def _fraction_between(term: Term, last: Term, after: str) -> str:
    before = last.alone.rstrip()
    if after and (after.isalnum() or after in "(√∛∜!/"):
        return term.joined
    if (last.is_whole and _NUMBER.fullmatch(before)) or before.endswith(_PLUS):
        return f" {term.alone}"  # 2 1/2
    is_part = before[-1:].isalnum() or before.endswith((")", "]", "}", "/", "÷", "∕", _TIMES))
    return term.joined if is_part or last.is_fraction else term.alone


def fraction(above: Term, below: Term) -> Term:
    text = f"{_bracketed(above)}/{_bracketed(below)}"
    return Term(text, f"({text})", is_fraction=True)


def stacked(above: Term, below: Term) -> Term:
    """One over the other without a line, as in a binomial coefficient."""
    text = f"{_bracketed(above)}¦{_bracketed(below)}"
    return Term(text, f"({text})")


def root(under: Term, index: Term | None = None) -> Term:
    name = finish(index) if index else ""
    sign, bare = _ROOTS.get(name, f"√[{name}]"), under.alone.strip()
    closed = bare if _is_in_brackets(bare) else f"({bare})"
    is_short = under.is_whole and name in _ROOTS
    return Term(sign + (bare if is_short else closed), sign + closed)


def script(base: Term, script: Script, text: Term) -> Term:
    """Return a base with what stands above or below it."""
    shown, under = text.alone.strip(), _bracketed(base)
    if not shown:
        return base
    if not under:
        # Before its base, as in the isotopes: a space keeps it from what stands before.
        return Term(f" {script.value}({shown})", f" {script.value}({shown})")
    if script is Script.RAISED and _PRIMES.fullmatch(shown):
        return Term(under + shown, under + shown, is_whole=True)
    if not any(sign.isalnum() for sign in shown):
        return Term(f"{under}{script.value}{shown}", f"{under}{script.value}({shown})")
    if not text.is_whole and script is Script.RAISED and not _SIGNED_NUMBER.fullmatch(shown):
        shown = f"({shown})"
    alone, joined = (_marked(under, script, shown, after) for after in ("", "0"))
    return Term(alone, joined, script is Script.LOWERED)


def _marked(base: str, script: Script, shown: str, after: str) -> str:
    opening, closing = marks_around(script, base, shown, after)
    return f"{base}{opening}{shown}{closing}"


def over(base: Term, above: Term) -> Term:
    """Return a base with a sign over it: an accent of a letter, or what else stands there."""
    accent = _ACCENTS.get(above.alone.strip())
    if accent and len(base.alone) == 1 and base.alone.isalnum():
        return token(base.alone + accent)
    return script(base, Script.RAISED, above)


def fenced(opening: str, parts: Sequence[Term], separators: str, closing: str) -> Term:
    text = opening
    for at, part in enumerate(parts):
        between = separators[min(at - 1, len(separators) - 1)] if at and separators else ""
        text += (f"{between} " if between else "") + part.alone.strip()
    text += closing
    return Term(text, text, _is_in_brackets(text))


def cells(parts: Sequence[Term]) -> Term:
    """Return a row of a table: 1, 2. What begins with a relation goes on."""
    line = ""
    for part in parts:
        text = part.alone.strip()
        goes_on = not line or text[:1] in _RELATIONS
        line += (f" {text}" if goes_on else f", {text}") if text else ""
    return Term(line.strip(), line.strip())


def table(rows: Sequence[Term]) -> Term:
    text = "; ".join(row.alone for row in rows if row.alone)
    return Term(text, text)


def _bracketed(term: Term) -> str:
    text = term.alone.strip()
    return text if term.is_whole or not text else f"({text})"


def _is_in_brackets(text: str) -> bool:
    """Whether one pair of brackets stands around the whole text."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0:
            return at > 0 and at == len(text) - 1
    return False
