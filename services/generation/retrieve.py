"""Find the passages that may answer a question."""

from libs.budget import Budget, stages
from libs.question.analyse import (
    QuestionAnalysis,
    analyse_as_thing,
    analyse_question,
    reword_question,
)
from libs.question.framing import question_alone
from services.generation.model import Gate, Question, SearchResult
from services.generation.ports import PassageSource


async def retrieve_passages(
    source: PassageSource, question: Question, analysis: QuestionAnalysis, budget: Budget
) -> SearchResult:
    """Search for the analysed question where it may be answered. Raises what the source raises."""
    async with budget.stage(stages.RETRIEVE) as allowed_s:
        found = await source.search(question, analysis, allowed_s)
    budget.add_timings(found.timings)
    return found


async def retrieve_meant(
    source: PassageSource, question: Question, analysis: QuestionAnalysis, budget: Budget
) -> tuple[QuestionAnalysis, SearchResult]:
    """Search for what is asked, and for what else may be meant by it.

    That is the question without what the reader tells around it, if the book answers that more surely,
    and a thing in the book where the book says nothing of itself. Return what was found, with the
    question as it was understood.
    """
    found = await retrieve_passages(source, question, analysis, budget)
    alone = _read_alone(question, analysis)
    if alone is not None:
        found_alone = await retrieve_passages(source, question, alone, budget)
        if found_alone.gate.probability > found.gate.probability:
            analysis, found = alone, found_alone
    of_thing = None if found.gate.passed else analyse_as_thing(analysis)
    if of_thing is None:
        return analysis, found
    found_of_thing = await retrieve_passages(source, question, of_thing, budget)
    return (of_thing, found_of_thing) if found_of_thing.gate.passed else (analysis, found)


def _read_alone(question: Question, analysis: QuestionAnalysis) -> QuestionAnalysis | None:
    """Return the analysis of the question without what is told around it; None where it needs that."""
    if question.selection is not None or analysis.follow_up:
        return None
    alone = question_alone(analysis.question, question.language)
    return analyse_question(alone, question.language, title=question.title) if alone else None


def follow_spelling(analysis: QuestionAnalysis, searched: str) -> QuestionAnalysis:
    """Return the question as it was searched where its words were corrected; "" is as it was asked."""
    return reword_question(analysis, searched, searched) if searched else analysis


def relax_gate(gate: Gate, threshold: float) -> Gate:
    """Return the gate as it is for a language model, which may itself say that it is not answered."""
    if gate.threshold <= threshold:
        return gate
    return Gate(gate.probability, threshold, gate.passed or gate.probability >= threshold)
