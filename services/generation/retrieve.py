"""Find the passages that may answer a question."""

from libs.budget import Budget, stages
from libs.question.analyse import QuestionAnalysis, reword_question
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


def follow_spelling(analysis: QuestionAnalysis, searched: str) -> QuestionAnalysis:
    """Return the question as it was searched where its words were corrected; "" is as it was asked."""
    return reword_question(analysis, searched, searched) if searched else analysis


def relax_gate(gate: Gate, threshold: float) -> Gate:
    """Return the gate as it is for a language model, which may itself say that it is not answered."""
    if gate.threshold <= threshold:
        return gate
    return Gate(gate.probability, threshold, gate.passed or gate.probability >= threshold)
