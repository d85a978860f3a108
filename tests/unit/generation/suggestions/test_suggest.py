"""Suggestions are made in passing: where retrieval has had its time, there are none."""

from dataclasses import replace

import pytest

from libs.budget import Budget, Outcome, stages
from libs.language.asked_in import load_lexicons
from libs.question.analyse import analyse_question
from services.generation.model import Question
from services.generation.suggestions.judge import says_what_is_asked
from services.generation.suggestions.suggest import Suggester
from tests.support.generation_fakes import FakeSource, passage, search_result
from tests.support.leads import passage_of
from tests.unit.generation.suggestions.test_starters import OnePassage

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


@pytest.mark.parametrize(
    ("text", "suggested"),
    [
        ("In 1879 electric lighting came to the town.", ()),
        ("Electric lighting is a light by lamps.", ("What is electric lighting?",)),
    ],
)
async def test_a_title_is_asked_after_a_refusal_only_where_the_book_says_what_it_is(
    text: str, suggested: tuple[str, ...]
) -> None:
    load_lexicons()  # a stage has no time to compile their patterns
    told = passage(text, document=text, section_path=("Electric Lighting",))
    suggester = Suggester(OnePassage(told), Budget(5.0, stages.GENERATION))
    refused = replace(QUESTION, text="Who sold electric lighting?")
    found = search_result((told,))
    assert await suggester.suggest_questions(refused, found, refused.text) == suggested


OLD = ("Valves are old.",)
LISTED = ("The valves are these:", "- ball", "- gate", "- check")
CLOSED = ("To close a valve, turn the wheel.",)


@pytest.mark.parametrize(
    ("question", "passages", "says"),
    [
        ("Which valves are there?", (LISTED,), True),
        ("Which valves are there?", (OLD,), False),
        ("How do I close a valve?", (OLD, CLOSED), True),
        # What stands farther from the question tells of another task.
        ("How do I close a valve?", (OLD, OLD, CLOSED), False),
    ],
)
def test_a_list_says_which_there_are_and_a_near_step_how(
    question: str, passages: tuple[tuple[str, ...], ...], says: bool
) -> None:
    held = (passage_of(one, [0.1] * len(one)) for one in passages)
    apart = (
        replace(one, locator=replace(one.locator, document=f"{at}.md"))
        for at, one in enumerate(held)
    )
    assert says_what_is_asked(analyse_question(question), search_result(tuple(apart))) is says
