"""A question and a unit in; whether the unit says what the thing is that the question asks for, out.

"What is ownership?" is answered by "Ownership is a discipline …", and by no other sentence about it.
"""

import re

from libs.definitions import name_thing
from services.generation.adapters.quotable import Quotable, distinct_terms

_SUBJECT = re.compile(
    r"^\W*(?:in [^:,]{1,30}[:,]\s+)?(?P<name>[^:,;.!?]{1,60}?)(?:\s*\((?P<short>[^)]*)\)|,[^,]{1,60},)?"
    r"(?:\s+(?P<verb>is|are|was|were|means?|refers? to|describes?|denotes?|stands? for|consists? of)\b"
    r"|\s*:\s|\s+[\N{EN DASH}\N{EM DASH}-]\s)",
    re.IGNORECASE,
)
"""What a sentence is about, or an entry of a list is for ("Planar: motion on a plane")."""

_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")
_CLAUSE = re.compile(r"\b(?:that|which|who|when|if|while)\b", re.IGNORECASE)

_MOST_TERMS = 4
"""Of what is asked: a longer question wants more than a definition."""

_MOST_OTHERS = 2
"""Terms of a sentence's subject that the question may leave out ("Debian GNU/Linux is …")."""


def asked_thing(question: str) -> frozenset[str]:
    """Return the terms of the thing that `question` wants explained; none when it asks otherwise."""
    thing = distinct_terms(name_thing(question))
    return thing if len(thing) <= _MOST_TERMS else frozenset()


def defines(item: Quotable, thing: frozenset[str]) -> float:
    """Return how far the unit says what `thing` is, in [0, 1]: as its subject or a glossary's term."""
    found = _SUBJECT.search(item.text)
    shares = [0.0]
    if found:
        share = max(_share(found["name"], thing), _share(found["short"] or "", thing))
        shares.append(share if found["verb"] or share == 1.0 else 0.0)
    if item.lead is not None and not item.lead_text.rstrip().endswith(":"):
        terms = (item.lead_text, _IN_BRACKETS.sub("", item.lead_text))
        shares += [_share(term, thing) for term in terms]
    return max(shares)


def _share(subject: str, thing: frozenset[str]) -> float:
    """Return which share of what `subject` names is `thing`; 0 when it leaves a part out."""
    named = distinct_terms(subject)
    if _CLAUSE.search(subject):
        return 0.0
    fits = bool(thing) and thing <= named and len(named - thing) <= _MOST_OTHERS
    return len(thing) / len(named) if fits else 0.0
