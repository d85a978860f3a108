"""A question and quotable units in, what speaks for each of them as an answer out."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from services.generation.adapters.question_form import QuestionForm
from services.generation.adapters.quotable import (
    Quotable,
    count_words,
    distinct_terms,
    term_pairs,
    terms,
)
from services.generation.model import BlockKind

_DIGIT = re.compile(r"\d")
_DEFINES = re.compile(
    r"\b(?:is|are|means?|refers? to|describes?|denotes?|stands? for|called|defined as)\b|:",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|therefore|thus|hence|due to|reason|caus\w+|leads? to|prevents?"
    r"|avoids?|allows?|ensures?|otherwise|in order to|to (?:keep|avoid|make|prevent))\b",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    r"\b(?:not|n[o']t|never|no|cannot|can't|only|must|requires?d?|need(?:s|ed)?|may|can|always|should"
    r"|optional|allowed|supported|yes)\b|n't\b",
    re.IGNORECASE,
)
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.ADMONITION, BlockKind.QUOTE})


class Importance:
    """How much each term of the question tells the units apart."""

    def __init__(self, question: str, items: Sequence[Quotable]) -> None:
        counts = Counter(term for item in items for term in item.terms)
        self.weights = {
            term: math.log((len(items) + 1) / (counts[term] + 0.5)) for term in terms(question)
        }
        self.total = sum(self.weights.values())
        self._terms = frozenset(self.weights)
        self._asked_in: dict[str, frozenset[str]] = {}

    def asked_in(self, *texts: str) -> frozenset[str]:
        """Return the terms of the question that stand in one of `texts`.

        They are few: joined sets of them cost a fraction of joined sets of all terms.
        """
        found = frozenset[str]()
        for text in texts:
            asked = self._asked_in.get(text)
            if asked is None:
                asked = self._asked_in[text] = distinct_terms(text) & self._terms
            found |= asked
        return found

    def share_of(self, asked: frozenset[str]) -> float:
        """Return the share of the question that its terms `asked` make up, in [0, 1]."""
        if self.total <= 0:
            return 0.0
        return sum(self.weights[term] for term in asked) / self.total

    def share_asked(self, text: str) -> float:
        """Return the share of the terms of `text` that the question names, in [0, 1]."""
        held = distinct_terms(text)
        return len(self.asked_in(text)) / len(held) if held else 0.0


def describe_units(
    question: str, form: QuestionForm, items: Sequence[Quotable]
) -> list[dict[str, float]]:
    """Return the features of every unit, most of them in [0, 1]."""
    importance = Importance(question, items)
    best = max((item.unit.score for item in items), default=0.0) or 1.0
    asked = terms(question)
    pairs = frozenset(pairwise(asked))
    return [_describe(item, form, importance, best, pairs) for item in items]


def _describe(
    item: Quotable,
    form: QuestionForm,
    importance: Importance,
    best: float,
    pairs: frozenset[tuple[str, str]],
) -> dict[str, float]:
    text = item.text
    kind = item.unit.kind
    digit = _DIGIT.search(text) is not None
    own = importance.asked_in(text)
    over = importance.asked_in(item.lead_text, item.heading)
    context = own | over
    return {
        "score": item.unit.score,
        "score_of_best": item.unit.score / best,
        "beside": _beside(item),
        "coverage": importance.share_of(own),
        "coverage_context": importance.share_of(context),
        "coverage_place": importance.share_of(context | importance.asked_in(item.titles_text)),
        "coverage_around": importance.share_of(importance.asked_in(*item.around)),
        "heading_asked": importance.share_asked(item.heading),
        "lead_asked": importance.share_asked(item.lead_text),
        "label_of_list": importance.share_of(over)
        * (form.list_of_things and kind in (BlockKind.LIST_ITEM, BlockKind.TABLE)),
        "pairs": len(pairs & term_pairs(text)) / max(1, len(pairs)),
        "passage": item.passage.scores.blended,
        "length": math.log1p(len(text)),
        "label": float(len(item.terms) < 3),
        "prose": float(kind in _PROSE),
        "table": float(kind is BlockKind.TABLE),
        "code": float(kind in (BlockKind.CODE, BlockKind.MATH)),
        "admonition": float(kind is BlockKind.ADMONITION),
        "led": float(item.lead is not None),
        "asks": float(text.rstrip().endswith("?")),
        "news": min(1.0, len(item.terms - importance.weights.keys()) / 10),
        "digit_for_amount": float(digit and form.amount),
        "no_digit_for_amount": float(not digit and form.amount),
        "defines_for_definition": float(form.definition and _DEFINES.search(text) is not None),
        "reason_for_why": float(form.reason and _REASON.search(text) is not None),
        "judges_for_yes_no": float(form.yes_no and _JUDGES.search(text) is not None),
        "item_for_list": float(form.list_of_things and kind is BlockKind.LIST_ITEM),
        "words": min(1.0, count_words(text) / 40),
    }


def _beside(item: Quotable) -> float:
    units = item.passage.units
    near = units[max(0, item.index - 1) : item.index] + units[item.index + 1 : item.index + 2]
    return max((unit.score for unit in near), default=0.0)
