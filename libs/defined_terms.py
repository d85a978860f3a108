"""Read the terms of definition lists as a question names them: of "gap <gap length>" that is "gap".

Ingest marks chunks by what they define, searches look for it, and answers lead with it.
"""

import re
from collections.abc import Iterable

from libs.text import STOP_WORDS, content_terms

_MARK = ":"
"""Ends the key of what is defined; no term of a text has one."""

_FORMS = re.compile(r"[,;|]\s+|\s+or\s+|\s+(?=--?\w)")
"""What stands between the forms of one term: "-g, --gap", "servo or servo motor"."""

_PLACEHOLDER = re.compile(r"\s*(?:[<\[({=…]|\.\.\.|\s[A-Z][A-Z0-9_./:-]+\b).*", re.DOTALL)
_SHORT_FORM = re.compile(r"\(([A-Z][\w-]{0,8}[A-Z]\w?)\)\s*\Z")
_KEYWORD = re.compile(
    r"([A-Z][A-Z0-9_]{5,}|[A-Z]+_[A-Z0-9_]+|[A-Z]{3,}(?=[^|]*\s\|\s))\s+(?=[a-z<\[({])"
)
"""A name in capitals before its values, "LOGIN disable | timeout"; short ones are as often acronyms."""

_MOST_FORMS = 8
_LEADING_OPTION = re.compile(
    r"(--?[A-Za-z](?:[\w-]*\w)?)"
    r"(?:[ =]?[<\[{][^<>\[\]{}\n]{1,40}[>\]}]|=[^\s,]{1,40}| \w{1,20}(?=,))?,?\s*"
)
"""An option and its value, before which another may stand: "-s n, --speed=n"."""
_MOST_OF_NAME = 80
"""Characters of a term that stands in one piece with what defines it."""


def list_forms(term: str) -> list[str]:
    """Return each form of a term without what stands for a value, at most eight.

    Small letters before capitals tell a value, "neighbor A.B.C.D", but "Physical AI"; and so do
    small letters behind a long word in capitals: "TIMEOUT seconds".
    """
    short, keyword = _SHORT_FORM.search(term), _KEYWORD.match(term.strip())
    first, *others = _FORMS.split(term.strip())
    # What stands behind a name in capitals are values that it may have, and no other names.
    told = [keyword[1], first] if keyword else [first, *others]
    forms = [_without_value(form) for form in told]
    return list(dict.fromkeys(filter(None, (*forms, short[1] if short else ""))))[:_MOST_FORMS]


def _without_value(form: str) -> str:
    if form.startswith("-"):
        form = form.split(maxsplit=1)[0]
    value = _PLACEHOLDER.search(form, 1)
    if value is not None:
        before = form[: value.start()]
        is_capitals = value[0].lstrip()[:1].isupper()
        form = before if before.islower() or not is_capitals else form
    return form.strip(" :.")


_LEAST_OF_NAME, _MOST_OF_WORDS = 2, 6


def other_names(subject: str, titles: Iterable[str]) -> list[str]:
    """Return what else a sentence's subject is called: by its initials, and by its last word.

    "Network UPS Tools" is NUT. "GNU nano" is nano below the title "The GNU nano editor", which says
    that this is a name; "PID control" is no control.
    """
    named = _words_of_name(subject)
    below_name = any(set(named) <= set(title.split()) for title in titles)
    last = named[-1:] if below_name and named[:1] and named[0][0].isupper() else []
    return [*filter(None, (initials_of(subject),)), *last]


def initials_of(subject: str) -> str:
    """Return the initials of a name whose words all begin with a capital; "" of another."""
    initials = "".join(word[0] for word in _words_of_name(subject))
    return initials if initials.isupper() and initials.isalpha() else ""


def spell_out(short: str, title: str) -> str:
    """Return the words of a title that have the letters of `short` as their initials; "" without."""
    if len(short) < _LEAST_OF_NAME or not short.isupper():
        return ""
    named = title.split()
    runs = (named[at : at + len(short)] for at in range(len(named) - len(short) + 1))
    spelled = (run for run in runs if "".join(word[0] for word in run) == short)
    return " ".join(next(spelled, []))


def _words_of_name(subject: str) -> list[str]:
    named = [word for word in subject.split() if word.lower() not in STOP_WORDS]
    return named if _LEAST_OF_NAME <= len(named) <= _MOST_OF_WORDS else []


def name_before(text: str) -> str:
    """Return the term that a piece begins with and defines, "gap" of "gap: how far"; "" if none."""
    name, colon, said = text[: _MOST_OF_NAME + 2].partition(": ")
    return name if colon and said.strip() else ""


def leading_options(text: str) -> list[str]:
    """Return the options that a text says something of, before which it says nothing else."""
    found, at = list[str](), 0
    while len(found) < _MOST_FORMS and (option := _LEADING_OPTION.match(text, at)):
        found.append(option[1])
        at = option.end()
    return found if text[at:].strip(" :.") else []


def name_key(terms: Iterable[str]) -> str:
    """Return by which a chunk says that it defines what has these terms; "" where there are none."""
    held = " ".join(sorted(set(terms)))
    return held + _MARK if held else ""


def keys_of(term: str) -> frozenset[str]:
    """Return the key of each form of a definition list's term."""
    return frozenset(filter(None, (name_key(content_terms(form)) for form in list_forms(term))))
