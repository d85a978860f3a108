"""What is suggested after many a refusal is searched for once."""

from dataclasses import replace

from libs.budget import Budget, stages
from services.generation.model import Question
from services.generation.suggestions.kept import KEPT_S, Keeping, KeptSearches
from services.generation.suggestions.suggest import Suggester
from tests.support.generation_fakes import FakeSource, passage, search_result

QUESTION = Question("pumps", 1, "Who won the cup?", language="en")
TEXT = "A pump is a machine that moves a fluid. Two pumps share the load."
PUMPS = passage(TEXT, TEXT, section_path=("Pumps",))
NEAR = search_result((PUMPS,))
FAR = search_result((PUMPS,), probability=0.0)


async def suggest(source: FakeSource, kept: KeptSearches, question: Question) -> tuple[str, ...]:
    suggester = Suggester(source, Budget(5.0, stages.GENERATION), kept)
    return await suggester.suggest_questions(question, FAR, question.text)


async def test_the_next_refusal_has_the_same_suggestions_without_a_search() -> None:
    source, kept = FakeSource(NEAR), KeptSearches()
    first = await suggest(source, kept, QUESTION)
    searched = list(source.searched)
    assert first
    assert searched
    other = replace(QUESTION, text="Who lost the cup?", client_id="another", user_id="reader")
    assert await suggest(source, kept, other) == first
    assert source.searched == searched


async def test_another_edition_or_part_of_the_book_is_searched_for_itself() -> None:
    source, kept = FakeSource(NEAR), KeptSearches()
    await suggest(source, kept, QUESTION)
    each = len(source.searched)
    await suggest(source, kept, replace(QUESTION, edition=2))
    await suggest(source, kept, replace(QUESTION, document="valves.md"))
    assert len(source.searched) == 3 * each


async def test_a_search_that_left_out_a_step_is_made_again() -> None:
    source, kept = FakeSource(replace(NEAR, degraded=("spelling",))), KeptSearches()
    await suggest(source, kept, QUESTION)
    each = len(source.searched)
    await suggest(source, kept, QUESTION)
    assert len(source.searched) == 2 * each


def test_no_more_are_kept_than_said_and_none_for_longer() -> None:
    now_s = 0.0
    kept = Keeping[bool](2, lambda: now_s)
    texts = ("a", "b", "c")
    for text in texts:
        kept.add(replace(QUESTION, text=text), told=True)
    assert [kept.find(replace(QUESTION, text=text)) for text in texts] == [None, True, True]
    now_s = KEPT_S
    assert kept.find(replace(QUESTION, text="c")) is None
