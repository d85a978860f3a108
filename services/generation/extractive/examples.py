"""Choose the span that gives an example of what a question wants one of.

A book says "For example, …", has a list below "Classic examples", a table with a column of examples,
or an entry that begins with the thing's name and goes on in quotation marks.
"""

import re
from collections.abc import Sequence

from libs.table_rows import cells_of
from services.generation.extractive.candidates import CandidateSpan, Ranked, distinct_terms
from services.generation.extractive.features import Asked
from services.generation.extractive.places import follow_each_other
from services.generation.model import BlockKind

_BEFORE = 2
"""Sentences before one in its line that may name what it gives an example of."""

_QUOTED = re.compile(r"^\W*(?P<name>[^:.!?]{2,60}):\W*[\"“«„‘]")
"""An entry that shows what its label names: "Weak induction: “I have met two …”"."""


def find_example(asked: Asked, fit: Sequence[Ranked]) -> CandidateSpan | None:
    """Return the likeliest span that gives an example of the thing, where one is asked for.

    One that names the thing goes before what stands below a title or behind a sentence that does.
    """
    found = asked.lexicon.spans.example_asked.search(asked.analysis.question)
    if found is None:
        return None
    thing = distinct_terms(found["thing"])
    giving = [one.item for one in fit if _gives_example(one.item, thing)]
    named = (item for item in giving if thing <= item.terms)
    near = [item for item in giving if thing <= _terms_near(item)]
    listed = (item for item in near if _is_listed(item))
    return next(named, None) or next(listed, None) or next(iter(near), None)


def _gives_example(item: CandidateSpan, thing: frozenset[str]) -> bool:
    gives = item.rules.gives_example
    if item.span.kind is BlockKind.TABLE:
        cells, titles = cells_of(item.text), cells_of(item.intro_text)
        return len(cells) == len(titles) and any(
            gives.search(title) and cell.strip("-–— ")
            for title, cell in zip(titles[1:], cells[1:], strict=True)
        )
    quoted = _QUOTED.match(item.text)
    if quoted is not None and distinct_terms(quoted["name"]) == thing:
        return True
    return _is_listed(item) or gives.search(item.text) is not None


def _is_listed(item: CandidateSpan) -> bool:
    is_item = item.span.kind is BlockKind.LIST_ITEM
    return is_item and item.rules.gives_example.search(item.intro_text) is not None


def _terms_near(item: CandidateSpan) -> frozenset[str]:
    """Return the terms of the span, of what stands over it and of the sentences before it."""
    texts = [item.text, item.intro_text, item.heading]
    at = item.index
    while at and item.index - at < _BEFORE and follow_each_other(item.passage, at - 1):
        at -= 1
        texts.append(item.passage.text_of(item.passage.spans[at]))
    return distinct_terms("\n".join(texts))
