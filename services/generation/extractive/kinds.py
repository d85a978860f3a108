"""Tell a sentence about another thing of the same kind: the large kiln is not the gas kiln.

What tells such things apart stands beside their noun: before it, or in some languages behind it, where
also a noun may with "of" between: "l'atelier de laine".
"""

import re
from collections.abc import Iterator

from libs.language.lexicon import Lexicon
from libs.question.entities import list_capitalised
from libs.question.said import asked_words
from libs.question.synonyms import is_said
from libs.text import words
from services.generation.extractive.candidates import CandidateSpan
from services.generation.model import BlockKind

_PIECE = re.compile(r"\w+|[^\w\s]")
_ELIDED = re.compile(r"\bl['’](?=\w)", re.IGNORECASE)
_Pair = tuple[str, str]


def is_of_other_kind(question: str, item: CandidateSpan, lexicon: Lexicon, language: str) -> bool:
    """Whether the span says it of a thing that only has the noun of the one asked about.

    What tells that apart stands neither in it nor over it, nor in what a pronoun of it points to.
    """
    if item.span.kind is BlockKind.TABLE:
        return False
    asked, told = list(_pairs(question, lexicon)), list(_pairs(item.text, lexicon))
    if not asked or not told:
        return False
    near = [item.text, item.over, item.titles_text]
    if not lexicon.checks.clauses.pronouns.isdisjoint(words(item.text)):
        near += item.around[: min(item.index, 1)]
    said = frozenset(words("\n".join(near)))
    # Things that names tell apart have a rule of their own.
    names = frozenset(map(str.lower, list_capitalised(question, lexicon)))
    known = names | lexicon.expected.light
    lacking = {
        (at, pair[at])
        for pair in asked
        for at in _places_of_nouns(lexicon)
        if pair[1 - at] not in known
        and not lexicon.expected.indistinct.fullmatch(pair[1 - at])
        and not is_said(pair[1 - at], said, lexicon, language)
    }
    return any((at, pair[at]) in lacking for pair in told for at in (0, 1))


def _places_of_nouns(lexicon: Lexicon) -> tuple[int, ...]:
    """Return where in a pair of words a noun may stand that the other tells apart."""
    return (0, 1) if "de" in lexicon.stop_words else (1,)


def _pairs(text: str, lexicon: Lexicon) -> Iterator[_Pair]:
    """Yield each two words that follow each other behind an article, with no other word between.

    "of" may be, where nouns stand first.
    """
    known = asked_words(text, lexicon)
    joins = ("de", "d") if _places_of_nouns(lexicon) != (1,) else ()
    before: str | None = None
    is_open = False
    for found in _PIECE.finditer(_ELIDED.sub("le ", text)):
        word = found[0].lower()
        if word in lexicon.checks.clauses.articles:
            is_open, before = True, None
        elif is_open and before and (word in joins or word in "'’"):
            continue
        elif not is_open or word not in known:
            is_open, before = False, None
        else:
            if before:
                yield before, word
            before = word
