"""Check whether the passages found answer the question: by the gate, and by the names it asks about."""

from libs.question.analyse import QuestionAnalysis
from services.generation.coverage.entities import lacks_price, unknown_names
from services.generation.model import Check, CheckKind, Question, SearchResult

_UNKNOWN = "asks about a name, year or price that no passage has"


def is_covered(search: SearchResult, question: Question, analysis: QuestionAnalysis) -> bool:
    """Whether the gate let the question pass, and its names, years and price are in the passages.

    The gate tells whether passages answer a question; marked text alone asks none.
    """
    if not question.text:
        return True
    if question.selection is not None or not search.gate.passed:
        return search.gate.passed
    lacks = lacks_price(analysis, search.passages)
    return not lacks and not unknown_names(analysis, search.passages)


def check_coverage(
    search: SearchResult, question: Question, analysis: QuestionAnalysis
) -> tuple[Check, ...]:
    """Return the one check of the whole answer; none where nothing was asked."""
    if not question.text:
        return ()
    gate = search.gate
    if gate.passed and not is_covered(search, question, analysis):
        return (Check(CheckKind.ENTITIES, False, _UNKNOWN),)
    reason = f"{gate.probability:.2f} of 1, {gate.threshold:.2f} wanted"
    return (Check(CheckKind.ENTITIES, gate.passed, reason),)
