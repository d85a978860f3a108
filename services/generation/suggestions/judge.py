"""Judge whether the book answers a question that was made of it, and from where it was made."""

from dataclasses import replace

from libs.language.entries import OFF
from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind
from services.generation.coverage.check import is_covered
from services.generation.extractive.announced import has_list_for
from services.generation.extractive.candidates import list_candidates
from services.generation.extractive.defining import has_definition_for
from services.generation.model import Passage, Question, SearchResult

_FIRST = 3
"""Passages of which one has to be of the place that a question was made of."""

_NEAREST = 2
"""Passages of which one has to tell how something is done."""


def is_answered(
    asked: Question, analysis: QuestionAnalysis, found: SearchResult, origin: Passage
) -> bool:
    """Whether what was `found` for a question that was made of `origin` answers it from there."""
    passes = found.gate.passed and not found.gate.falls_short and bool(found.passages)
    if not passes or not any(_is_together(one, origin) for one in found.passages[:_FIRST]):
        return False
    return is_covered(found, asked, analysis) and says_what_is_asked(analysis, found)


def _is_together(one: Passage, other: Passage) -> bool:
    """Whether one of two passages stands in the section of the other, or in one below it."""
    if one.chunk_id == other.chunk_id:
        return True
    paths = one.locator.section_path, other.locator.section_path
    depth = min(map(len, paths))
    same = one.locator.document == other.locator.document
    return same and depth > 0 and paths[0][:depth] == paths[1][:depth]


def says_what_is_asked(analysis: QuestionAnalysis, found: SearchResult) -> bool:
    """Whether a sentence says what a thing is, a list which there are, or a step what to do, if asked.

    A title makes "What is electric lighting?" of a section that tells its history alone, and "How do I
    make a living?" of one on how others did.
    """
    titles = {title for one in found.passages for title in one.locator.section_path}
    if analysis.sub_questions or any(one.endswith(analysis.question) for one in titles):
        return True
    if analysis.expected.kind is AnswerKind.PROCEDURE:
        nearest = list_candidates(found.passages[:_NEAREST], analysis.language)
        return any(one.instructs for one in nearest)
    if analysis.expected.kind is AnswerKind.LIST and has_list_for(analysis, found.passages):
        return True
    if analysis.definiendum:
        asked = replace(analysis, expected=replace(analysis.expected, kind=AnswerKind.DEFINITION))
        return has_definition_for(asked, found.passages) or _tells_of_all(analysis, found)
    return analysis.expected.kind is not AnswerKind.LIST


def _tells_of_all(analysis: QuestionAnalysis, found: SearchResult) -> bool:
    """Whether a sentence begins with things of the name and says what they are: "Valves are parts"."""
    lexicon, name = load_lexicon(analysis.language), analysis.definiendum.lower()
    tells = lexicon.values.definition
    if tells is OFF or lexicon.sub_questions.plural.search(name) is None:
        return False
    texts = (one.text.lower() for one in list_candidates(found.passages, analysis.language))
    return any(
        text.startswith(f"{name} ") and tells.match(text, len(name) + 1) is not None
        for text in texts
    )
