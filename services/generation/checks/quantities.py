"""Numbers of a sentence and of its evidence: in digits or words, with signs, units and what follows."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from libs.language.checks import Numbers
from services.generation.checks.normal_forms import rules_of, unit_of

_TOKEN = re.compile(
    r"(?P<currency>[$€£]\s?)?(?P<digits>\d+(?:[.,]\d+)*)"
    r"(?P<follow>(?:[-‐-―+]|\+?\s)?(?:°?[^\W\d_]+(?:[/·⋅][^\W\d_]+)*|[%‰°]))?"
    r"|(?P<word>[^\W\d_]+)(?P<after>[\s-]+[^\W\d_]+)?"
)
_THOUSANDS = re.compile(r"(?<=\d)[,'\u2009\u202f](?=\d{3}(?!\d))")
_POINTED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.]\d|\d)")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \xa0]\d{3})+(?!\d)")
_GROUPS = {
    **dict.fromkeys(("de", "es", "pt", "it", "nl"), (_POINTED,)),
    **dict.fromkeys(("fr", "ru"), (_POINTED, _SPACED)),
}
"""How languages that have a comma before decimals part thousands beside: "1.200 kg", "1 200 kg"."""
_VERSION = re.compile(r"(?<![\d.])\d+(?:\.(?!\d{3}(?!\d))\d+){2,}")
"""Three parts or more; thousands that are parted by points are none."""

_SIGN = re.compile(
    r"(?:(?:^|[\s(])(?P<bound><=|>=|!=|[<>≤≥≠])\s?|(?P<joined>[±^])\s?|(?:^|[\s(])(?P<minus>[-−]))$"
)
_SAME_SIGN = {"<=": "≤", ">=": "≥", "!=": "≠", "-": "−"}
_NO_UNIT = ("G", "K", "M")
"""Letters that scale what they stand at: "8G" is eight gigabytes in a command, and grams nowhere."""

_FEW = 3
"""Up to how many things "these two" are meant without the evidence counting them."""

_MANY = 12
_CLOSE = 1e-9
_ROUNDED = 0.02
"""How far a number that follows from two others may be rounded, as a share of it."""

_PIECES = 14
"""Numbers of the evidence that others may follow from: among more, anything follows."""


@dataclass(frozen=True)
class Quantity:
    """A number; `unit` is its unit in one form, "" for none that we know; `spelled` is what follows.

    Not `sure`: a word such as "one" that may count nothing.
    """

    value: float
    unit: str = ""
    sure: bool = True
    sign: str = ""
    spelled: str = ""


@lru_cache(maxsize=512)
def quantities(text: str, language: str = "") -> tuple[Quantity, ...]:
    """Return the numbers of `text` in order, those in words as well."""
    for groups in _GROUPS.get(language, ()):
        text = groups.sub(lambda found: re.sub(r"\D", "", found[0]), text)
    return tuple(_scan(_THOUSANDS.sub("", text), language))


def _scan(text: str, language: str) -> Iterable[Quantity]:
    rules = rules_of(language).numbers
    at = 0
    while found := _TOKEN.search(text, at):
        at = found.end("digits") if found["digits"] else found.end("word")
        if found["digits"]:
            yield _in_digits(found, language)
            continue
        if found["word"].lower() not in rules.values:
            continue
        value, end = _in_words(text, found.start(), rules)
        if value is not None:
            follow = re.match(r"[\s-]*([^\W\d_]+|[%°])", text[end:])
            word = found["word"].lower()
            few = value <= _FEW and rules.pointing.search(text[: found.start()]) is not None
            sure = (word not in rules.unsure or end > found.end("word")) and not few
            spelled = follow[1] if follow else ""
            yield Quantity(value, _measured(spelled, language), sure, spelled=spelled)
            at = end


def _in_digits(found: re.Match[str], language: str) -> Quantity:
    rules = rules_of(language)
    value = _read_digits(found["digits"])
    follow = re.sub(r"[\s\-‐-―+~]", "", found["follow"] or "")
    scale = rules.numbers.scales.get(follow.lower())
    sign = _sign_before(found.string[: found.start()])
    if found["currency"]:
        glued = (found["follow"] or "")[:1].isalpha()
        scale = scale or (rules.numbers.glued_scales.get(follow.lower()) if glued else None)
        unit = rules.units.currencies.get(found["currency"].strip(), "")
        return Quantity(value * (scale or 1.0), unit, sign=sign)
    if scale:
        return Quantity(value * scale, sign=sign)
    return Quantity(value, _measured(follow, language), sign=sign, spelled=follow)


def _sign_before(text: str) -> str:
    found = _SIGN.search(text[-4:])
    if not found:
        return ""
    sign = found["bound"] or found["joined"] or found["minus"]
    return _SAME_SIGN.get(sign, sign)


def _read_digits(digits: str) -> float:
    """Return the number: of "1.2.3", a version, its first two parts."""
    if digits.count(",") == 1 and "." not in digits:
        return float(digits.replace(",", "."))
    return float(".".join(digits.replace(",", "").split(".")[:2]))


def _in_words(text: str, at: int, rules: Numbers) -> tuple[float | None, int]:
    """Return the number that begins at `at` in words, and where it ends."""
    value, end, any_word = 0.0, at, False
    for found in re.finditer(r"([\s-]*)([^\W\d_]+)", text[at:]):
        word = found[2].lower()
        if found.start() + at != end or (any_word and not found[1]):
            break
        if word in rules.fractions and any_word:
            return value * rules.values[word], at + found.end()
        if word in rules.scales and any_word:
            value *= rules.scales[word]
        elif word in rules.values and (not any_word or (value >= 20 and rules.values[word] < 10)):
            value += rules.values[word]
        else:
            break
        any_word, end = True, at + found.end()
    return (value, end) if any_word else (None, at)


def _measured(spelled: str, language: str) -> str:
    """Return the unit, of one with operators each part in one form: "N/m" and "N·m" are two."""
    if spelled in _NO_UNIT:
        return ""
    whole = unit_of(spelled, language)
    if whole or not re.search(r"[/·⋅]", spelled):
        return whole
    first, *others = re.split(r"([/·⋅])", spelled)
    unit = unit_of(first, language)
    return unit + "".join(unit_of(part, language) or part for part in others) if unit else ""


def unknown_numbers(
    text: str, evidence: Sequence[str], counted: Collection[int] = (), language: str = ""
) -> list[Quantity]:
    """Return the numbers of `text` that no text of `evidence` has and that do not follow from them.

    `counted` is how many things the evidence may list.
    """
    given = [item for piece in evidence for item in quantities(piece, language)]
    about = rules_of(language).numbers.rounded.search(text) is not None
    return [
        item
        for item in quantities(text, language)
        if item.sure and not _is_given(item, given) and not _follows(item, given, counted, about)
    ]


def has_other_version(text: str, evidence: Sequence[str]) -> bool:
    """Whether a version, of which a number has the first two parts alone, is not the evidence's."""
    given = "\n".join(evidence)
    return any(
        not re.search(rf"(?<![\d.]){re.escape(one)}", given) for one in _VERSION.findall(text)
    )


def has_other_unit(text: str, evidence: Sequence[str], language: str = "") -> bool:
    """Whether a number of `text` has a unit, and the same number of the evidence only others."""
    given = [item for piece in evidence for item in quantities(piece, language)]
    return any(
        all(_is_other_unit(item, other) for other in same)
        for item in quantities(text, language)
        if item.sure and (same := [other for other in given if _equal(item.value, other.value)])
    )


def _is_other_unit(one: Quantity, other: Quantity) -> bool:
    if one.unit and other.unit:
        degrees = "deg" in (one.unit, other.unit) and "°" in one.unit + other.unit
        return one.unit != other.unit and not degrees
    # One of them may be no unit at all: "2 M" for two metres.
    letters = len(one.spelled) == len(other.spelled) == 1
    return letters and one.spelled != other.spelled and one.spelled.lower() == other.spelled.lower()


def has_other_sign(text: str, evidence: Sequence[str], language: str = "") -> bool:
    """Whether a sign before a number (`<`, `±`, a minus) is not the evidence's, or is lost.

    "Below 5" may stand for "< 5": then words say what the sign says.
    """
    given = [item for piece in evidence for item in quantities(piece, language)]
    bounded = rules_of(language).numbers.bounded.search(text) is not None
    for item in quantities(text, language):
        signs = {other.sign for other in given if _equal(item.value, other.value)}
        if item.sure and signs and item.sign not in signs and (item.sign or not bounded):
            return True
    return False


def adds_bound(text: str, evidence: Sequence[str], language: str = "") -> bool:
    """Whether the sentence says "at least" or "up to" of a number that the evidence gives as it is."""
    rules = rules_of(language).numbers
    if not rules.bound.search(text):
        return False
    signed = any(item.sign for piece in evidence for item in quantities(piece, language))
    return not signed and not any(rules.bounded.search(piece) for piece in evidence)


def _is_given(item: Quantity, given: Sequence[Quantity]) -> bool:
    return any(
        _equal(item.value, other.value)
        or (
            (item.unit == "%" or other.unit == "%")
            and (_equal(item.value, other.value * 100) or _equal(item.value * 100, other.value))
        )
        for other in given
    )


def _follows(
    item: Quantity, given: Sequence[Quantity], counted: Collection[int], about: bool
) -> bool:
    """Whether the number counts what is listed, or is the sum, difference or ratio of two others."""
    if not item.unit and item.value in counted:
        return True
    values = sorted({other.value for other in given if not item.unit or other.unit == item.unit})
    if not 2 <= len(values) <= _PIECES or item.value <= _MANY:
        return False
    made = [made for low, high in combinations(values, 2) for made in (high - low, high + low)]
    if not item.unit:
        made += [high / low for low, high in combinations(values, 2) if low > 0]
    near = (_ROUNDED if about else _CLOSE) * item.value
    return any(abs(item.value - one) <= near for one in made)


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * max(1.0, abs(one), abs(other))
