"""Put last what says a relation the other way round.

"Who does the boatman report to?" is not answered by who reports to the boatman, nor "What does rust
cause?" by what causes it. Which side of the verb a thing stands on tells; "by" turns a passive around.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from libs.question.said import asked_words, is_one_of
from libs.question.synonyms import said_of
from libs.table_rows import cells_of
from services.generation.extractive.candidates import CandidateSpan, Ranked
from services.generation.extractive.defining import FITTING_AMONG
from services.generation.extractive.features import Asked
from services.generation.model import BlockKind

_CLAUSE = re.compile(r"[,;:.!?]\s|\s[–—-]\s|—")
_WORD = re.compile(r"[\w'’-]+")
_WITHIN = 2
"""Words behind a verb among which its preposition stands: "reports directly to"."""


@dataclass(frozen=True)
class _Relation:
    """What a question asks of a thing: its verb, with its preposition, and which side it is of."""

    thing: frozenset[str]
    verb: str
    preposition: str
    is_doer: bool
    """Whether the thing does it: it reports to somebody."""


def turned_last(asked: Asked, fit: Sequence[Ranked]) -> list[Ranked]:
    """Return the spans with those of the likeliest last that say it the other way round."""
    relation = _relation_of(asked)
    if relation is None:
        return list(fit)
    turned = [one for one in fit[:FITTING_AMONG] if _is_turned(asked, relation, one.item)]
    return [*(one for one in fit if one not in turned), *turned]


def _relation_of(asked: Asked) -> _Relation | None:
    rules, question = asked.lexicon.relations, asked.analysis.question
    for pattern, is_doer in ((rules.of_doer, True), (rules.of_object, False)):
        found = pattern.search(question)
        if found is not None:
            thing = asked_words(found["thing"], asked.lexicon)
            named = found.groupdict()
            verb, preposition = (
                named["verb"].lower(),
                (named.get("to") or named["at"] or "").lower(),
            )
            is_told = bool(asked_words(verb, asked.lexicon))
            return _Relation(thing, verb, preposition, is_doer) if thing and is_told else None
    return None


def _is_turned(asked: Asked, relation: _Relation, item: CandidateSpan) -> bool:
    """Whether a clause of the span has the thing on the other side of the verb, and none on its own."""
    if item.span.kind in (BlockKind.TABLE, BlockKind.CODE) or len(cells_of(item.text)) > 1:
        return False
    sides = [
        side
        for clause in _CLAUSE.split(item.text)
        if (side := _side_in(asked, relation, clause)) is not None
    ]
    return bool(sides) and not any(side is relation.is_doer for side in sides)


def _side_in(asked: Asked, relation: _Relation, clause: str) -> bool | None:
    """Return whether the thing does it in the clause, or has it done to it; None for neither."""
    found = list(_WORD.finditer(clause))
    rules, lexicon = asked.lexicon.relations, asked.lexicon
    for at, word in enumerate(found):
        if not is_one_of(word[0].lower(), (relation.verb,), lexicon):
            continue
        behind = [one[0].lower() for one in found[at + 1 : at + 1 + _WITHIN]]
        if relation.preposition and relation.preposition not in behind:
            continue
        is_passive = not relation.preposition and not rules.by.isdisjoint(behind[:1])
        left = _says(asked, relation.thing, clause[: word.start()])
        right = _says(asked, relation.thing, clause[word.end() :])
        if left != right:
            return left is not is_passive
    return None


def _says(asked: Asked, thing: frozenset[str], text: str) -> bool:
    return said_of(thing, text, asked.lexicon, asked.analysis.language) == thing
