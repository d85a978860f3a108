"""Tell whether the place that answers speaks of each thing asked about, and not of some of them alone.

What limits the bandwidth of a client is not said where the downloads of all clients are, though another
page of the book has a word on bandwidth.
"""

import re
from collections.abc import Iterable

from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.said import has_part, words_in
from libs.question.synonyms import is_said
from libs.question.things import list_things
from libs.text import without_accents
from services.generation.checks.normal_forms import unit_of

_STEM = 5
"""Letters of a stem, at least."""

_ENDING = 3
"""Letters of an ending that parts words of one stem, at most: "enrollees" and "enrolled"."""

_SYMBOL = re.compile(r"[^\W\d_]+|[%°]\w?")


def things_apart(question: QuestionAnalysis, place: Iterable[str]) -> list[str]:
    """Return the things a question asks about that no text of the place which answers it has.

    The texts are those of the passages that the answer stands in, and of their titles. A unit is said
    by its symbol: "in hertz" by "50 Hz".
    """
    things = list_things(question)
    if not things:
        return []
    lexicon, language = load_lexicon(question.language), question.language
    text = "\n".join(place)
    said = words_in(without_accents(text))
    apart = [
        one
        for one in map(without_accents, things)
        if not is_said(one, said, lexicon, language) and not _is_kin(one, said)
    ]
    if lexicon.things.noun == "capital":
        apart = [one for one in apart if not has_part(one, said)]
    units = {unit_of(one, language) for one in _SYMBOL.findall(text)} if apart else set()
    return [one for one in apart if unit_of(one, language) not in units - {""}]


def _is_kin(thing: str, said: Iterable[str]) -> bool:
    """Whether a word begins as the thing does but for its ending: "members" and "membership"."""
    stem = thing[: max(_STEM, len(thing) - _ENDING)]
    return len(stem) < len(thing) and any(one.startswith(stem) for one in said)
