"""The names in a sentence that none of its evidence has, however that spells them."""

import re
from collections.abc import Sequence
from functools import lru_cache

from libs.text import STOP_WORDS
from services.generation.checks.normal_forms import rules_of, stems, unit_of

_WORD = re.compile(r"[\w/.+-]*\w")
_OPENS = re.compile(r"(?:^|[.!?:;]\s+|[\"“'‘(—]\s*|\n)$")
_IDENTIFIER = re.compile(r"[A-Za-z0-9][\w-]*\w")
_SHARED = 1
"""First letters that identifiers of the same make share: A100 and A10G, MPU-6050 and MPU-9250."""

_PART = re.compile(r"[^\W_]+")
_SPELLED = re.compile(r"\w[\w-]*")


def foreign_names(sentence: str, evidence: Sequence[str], language: str = "") -> list[str]:
    """Return the names of `sentence` that no text of `evidence` has.

    A name is a word with a capital that no sentence begins with, or that does at its beginning what a
    name does; with inner capitals, or of letters and digits. Case, hyphens and the space inside it may
    differ, and it may be inflected.
    """
    joined = _joined("\n".join(evidence))
    known = stems("\n".join(evidence), language)

    def is_known(part: str) -> bool:
        if part.isdigit() or stems(part, language) <= known:
            return True
        return len(part) > 2 and part.lower() in joined

    opening = rules_of(language).names.opening.search(sentence)
    opens = [opening["name"]] if opening and opening["name"].lower() not in STOP_WORDS else []
    return [
        name
        for name in (*opens, *_names(sentence, language))
        if not is_known("".join(_PART.findall(name)))
        and not all(map(is_known, _PART.findall(name)))
    ]


def confused_names(sentence: str, near: Sequence[str], language: str = "") -> list[str]:
    """Return the identifiers of `sentence` that `near` lacks while it has one that looks like them."""
    given = {token for text in near for token in _IDENTIFIER.findall(text)}
    folded = {token.lower() for token in given}
    return [
        name
        for name in _IDENTIFIER.findall(sentence)
        if _is_identifier(name, language)
        and name.lower() not in folded
        and not any(name.lower() in other for other in folded if not _is_version(name, other))
        and any(
            _look_alike(name.lower(), other) for other in folded if _is_identifier(other, language)
        )
    ]


def _is_identifier(word: str, language: str) -> bool:
    plain = rules_of(language).names.measure.fullmatch(word)
    return (_is_mixed(word) or "_" in word or word.count("-") > 1) and not plain


def _is_mixed(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_version(name: str, other: str) -> bool:
    """Whether `other` is `name` with a letter or two more: another thing of the same make."""
    return other.startswith(name.lower()) and 0 < len(other) - len(name) <= len("ii")


def _look_alike(one: str, other: str) -> bool:
    return one[:_SHARED] == other[:_SHARED] and one != other


def _names(sentence: str, language: str) -> list[str]:
    rules = rules_of(language).names
    found = []
    for token in _WORD.finditer(sentence):
        word = token.group()
        capital = rules.capitals and any(map(str.isupper, word))
        if not capital and not _is_mixed(word):
            continue
        # "Wi-Fi-based" and "16-bit" are made of words; units stand behind digits.
        if rules.measure.fullmatch(word):
            continue
        if re.search(r"\d\s?$", sentence[: token.start()]) and unit_of(word, language):
            continue
        opens = _OPENS.search(sentence[: token.start()]) is not None
        first = re.split(r"[-/]", word)[0]
        if (opens and rules.plain.match(first)) or word.lower() in STOP_WORDS or len(word) == 1:
            continue
        found.append(word)
    return found


@lru_cache(maxsize=64)
def _joined(text: str) -> str:
    return "".join(_PART.findall(text.lower()))


def spelled_as_names(text: str, language: str = "") -> set[str]:
    """Return the stems of what may name something: with capitals, or of letters and digits."""
    capitals = rules_of(language).names.capitals
    found: set[str] = set()
    for token in _SPELLED.finditer(text):
        word = token.group()
        if _is_mixed(word) or (capitals and any(map(str.isupper, word))):
            found |= stems(word, language)
    return found
