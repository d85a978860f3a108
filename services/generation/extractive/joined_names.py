"""Leave out the entry of a sibling whose joined name shares a piece with the one that is asked for.

"What does post-delete do?" is not answered below "post-save", nor what `upgrade` does below
"dist-upgrade" where both have an entry.
"""

import re

from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.features import Asked

_NAME = re.compile(r"\A\W*([^\W_]+(?:[-_][^\W_]+)*)\W*\Z")
"""An entry that is one word, perhaps of joined pieces."""

_JOINED = re.compile(r"(?<![\w-])[^\W_]+(?:[-_][^\W_]+)+(?![\w-])")
_JOINT = re.compile(r"[-_]")


def leave_out_joined_names(asked: Asked, fit: list[Ranked]) -> list[Ranked]:
    """Return the spans without entries of such siblings; none where nothing names what is asked for."""
    if asked.own or asked.selection is not None:
        return fit
    question = asked.analysis.question.lower()
    joined = frozenset(_JOINED.findall(question))
    names = {one.item.key: name for one in fit if (name := _name_of(one.item))}
    spoken = frozenset(re.findall(r"[\w-]+", question)) & frozenset(names.values())
    sought = joined | spoken
    others = {key for key, name in names.items() if _is_sibling(name, sought)}
    if not others:
        return fit
    kept = [one for one in fit if one.item.key not in others]
    missing = [name for name in joined if not any(_names(name, one.item) for one in kept)]
    return [] if missing else kept


def _name_of(item: CandidateSpan) -> str:
    found = _NAME.match(item.intro_text)
    return found[1].lower() if found else ""


def _is_sibling(name: str, sought: frozenset[str]) -> bool:
    """Whether a joined name is none of those sought, and shares a piece with one of them."""
    if name in sought or not _JOINT.search(name):
        return False
    pieces = set(_JOINT.split(name))
    return any(not pieces.isdisjoint(_JOINT.split(one)) for one in sought)


def _names(name: str, item: CandidateSpan) -> bool:
    return name in "\n".join((item.text, item.over, item.titles_text)).lower()
