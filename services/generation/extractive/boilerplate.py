"""Recognise spans that only point to where something would be said.

A list of links, of literature or of what a lesson will teach names everything and tells nothing; nor
does a caption, what introduces a list that is not there, an entry's "Symptom: …", what a picture is to
teach ("Purpose: Make …"), what readers are to work out, the title of an example, when
a page was last changed, or a sentence by which a book leads on ("In this chapter, we'll talk about …"),
to a picture ("Figure 3 summarizes …") or elsewhere ("For more see …").
"""

import re

from libs.question.types import literal_names
from libs.text import COLONS
from services.generation.extractive.candidates import (
    CandidateSpan,
    distinct_terms,
    without_number,
)
from services.generation.model import BlockKind

_OF_MENU = re.compile(r"\A\W*(?:\d+|[A-Z])(?:\.\d+)+\.?\s+[^|]+\|\s*\|[^|]*$")
"""A row of a menu, as manuals of GNU have over the sections that it names: "2.3 Building | | How"."""


def is_boilerplate(item: CandidateSpan, question: str) -> bool:
    """Whether the span is such a one, and `question` wants none."""
    rules = item.rules
    if item.span.kind is BlockKind.CAPTION:
        return not rules.caption_asked.search(question)
    if item.text.rstrip().endswith(COLONS) or _is_exercise(item, question):
        return True
    unasked = (
        (rules.states_problem, rules.problem_asked),
        (rules.dates_page, rules.change_asked),
        (rules.aims, rules.aims_asked),
        (rules.shows, rules.caption_asked),
        (rules.names_example, rules.exercise_asked),
        (_OF_MENU, rules.part_asked),
    )
    if any(says.search(item.text) and not asked.search(question) for says, asked in unasked):
        return True
    if item.span.kind is BlockKind.PARAGRAPH:
        leads_on = rules.leads_on.search(item.text) and not rules.part_asked.search(question)
        points = rules.points.search(item.text) and not rules.place_asked.search(question)
        return bool(leads_on or points)
    if item.span.kind is not BlockKind.LIST_ITEM or rules.reading_asked.search(question):
        return False
    # Who asks by the very number of a paper has the list of papers in mind.
    named = any(one in item.text for one in literal_names(question))
    return not named and _is_of_list(item, distinct_terms(question))


def _is_exercise(item: CandidateSpan, question: str) -> bool:
    """Whether the span is of a list that readers are to work out, and `question` wants none."""
    rules = item.rules
    if item.span.kind is not BlockKind.LIST_ITEM or rules.exercise_asked.search(question):
        return False
    titles = (without_number(item.heading), item.intro_text)
    return any(map(rules.sets_exercises.search, titles))


def _is_of_list(item: CandidateSpan, asked: frozenset[str]) -> bool:
    titles = (item.heading, *item.passage.locator.section_path[1:])
    titled = map(without_number, titles)
    found = [item.rules.reading.search(text) for text in (*titled, item.intro_text)]
    found += [rule.search(item.intro_text) for rule in (item.rules.teaches, item.rules.led_on)]
    kinds = [distinct_terms(match[1]) for match in found if match is not None]
    return bool(kinds) and not any(kind & asked for kind in kinds)
