"""Suggestions are made in passing: where retrieval has had its time, there are none."""

from dataclasses import replace

from libs.budget import Budget, Outcome, stages
from libs.question.analyse import analyse_question
from services.generation.model import Question
from services.generation.suggestions.suggest import Suggester
from tests.support.generation_fakes import FakeSource, search_result

QUESTION = Question("pumps", 1, "What is a pump?", language="en")


async def test_a_search_that_took_all_of_its_time_leaves_a_refusal_without_suggestions() -> None:
    budget, source = Budget(5.0, stages.GENERATION), FakeSource()
    spent_s = stages.RETRIEVE.cap_s
    budget.note(stages.RETRIEVE, spent_s, spent_s, Outcome.OK)
    suggester = Suggester(source, budget)
    assert await suggester.suggest_questions(QUESTION, search_result(), QUESTION.text) == ()
    narrowed = replace(QUESTION, section_path=("Valves",))
    assert await suggester.name_sections(narrowed, analyse_question(QUESTION.text)) == ()
    assert source.searched == []
