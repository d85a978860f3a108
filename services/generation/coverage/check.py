"""Check whether the passages answer the question: by the gate, and by what it asks about and for."""

from libs.language.lexicon import load_lexicon
from libs.question.about_book import BookAspect
from libs.question.analyse import QuestionAnalysis
from libs.question.expected import AnswerKind, Dimension, ExpectedAnswer
from libs.question.stated import options_in
from libs.text import words
from services.generation.coverage.entities import (
    lacks_value,
    unknown_names,
    unknown_versions,
)
from services.generation.model import Check, CheckKind, Question, SearchResult

_ABOUT = "asks about a {what} that no passage has"
_FOR = "asks for a {what} that no passage says"
_UNSAID_VALUE = "asks for a {what} that no passage says of it"
UNSAID = "no sentence of the passages says what is asked"
DECLINED = "the model finds no answer in the passages"


def is_covered(search: SearchResult, question: Question, analysis: QuestionAnalysis) -> bool:
    """Whether the gate let the question pass, and the passages have its names and what it asks for.

    The gate tells whether passages answer a question; selected text alone asks none.
    """
    if not question.text or not search.gate.passed:
        return not question.text or search.gate.passed
    return not _name_missing(search, question, analysis)


def check_coverage(
    search: SearchResult, question: Question, analysis: QuestionAnalysis, *, unsaid: str = ""
) -> tuple[Check, ...]:
    """Return the one check of the whole answer; none where nothing was asked.

    `unsaid` is why nothing was written of passages that the gate let pass; "" where something was.
    """
    if not question.text:
        return ()
    gate = search.gate
    missing = _name_missing(search, question, analysis) if gate.passed else ""
    if unsaid == UNSAID and analysis.expected.required:
        unsaid = _UNSAID_VALUE.format(what=_name_kind(analysis.expected))
    missing = missing or unsaid
    if missing:
        return (Check(CheckKind.ENTITIES, False, missing),)
    reason = f"{gate.probability:.2f} of 1, {gate.threshold:.2f} wanted"
    return (Check(CheckKind.ENTITIES, gate.passed, reason),)


def _name_missing(search: SearchResult, question: Question, analysis: QuestionAnalysis) -> str:
    """Return what is asked for or about that no passage has, as a reason; "" when they have all.

    Readers name what is near the text that they mark, so that there only what is asked for counts.
    """
    if lacks_value(analysis, search.passages):
        return _FOR.format(what=_name_kind(analysis.expected))
    of_book = analysis.about_book
    if question.selection or (of_book and of_book.aspect is BookAspect.TITLE):
        return ""
    # "What is this manual called?": with such words a reader speaks of the book, which needs none.
    lacking = () if of_book else search.unknown_words
    unknown = unknown_names(analysis, search.passages, lacking)
    given = options_in(analysis.question, load_lexicon(analysis.language)).lower()
    # Of alternatives, those that are not so need not be in the book; its own name stands over it.
    titled = frozenset(words(question.title))
    unknown = [
        one for one in unknown if one.lower() not in given and not titled.issuperset(words(one))
    ]
    if not unknown:
        return ""
    if unknown[0] in unknown_versions(analysis, search.passages):
        return _ABOUT.format(what="version")
    return _ABOUT.format(what="year" if unknown[0] in analysis.years else "name")


def _name_kind(expected: ExpectedAnswer) -> str:
    if expected.dimensions == {Dimension.MONEY}:
        return "price"
    kinds = {AnswerKind.DATE: "date", AnswerKind.PERSON: "name", AnswerKind.PLACE: "place"}
    return kinds.get(expected.kind, "quantity")
