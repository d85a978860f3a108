"""What stands on a page is answered by how each section on it begins."""

from dataclasses import replace

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import Passage
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY, passage_of


def shown(question: str, *held: Passage) -> list[str]:
    asked = replace(prompt(held, question), analysis=analyse_question(question, "en"))
    places = choose_places(asked, BY_SIMILARITY)
    return [held[place.source - 1].text_of(place.span) for place in places]


def on_page(page: int, start: int, title: str, *sentences: str) -> Passage:
    nearness = [0.1] * (len(sentences) - 1) + [0.9]
    held = passage_of(sentences, nearness, titles=("Book", title), between=" ")
    moved = tuple(
        replace(span, start=span.start + start, end=span.end + start) for span in held.spans
    )
    place = held.locator
    where = replace(place, page=page, start=start + place.start, end=start + place.end)
    return replace(held, chunk_id=f"{title}{start}", locator=where, spans=moved)


WEIRS = on_page(20, 0, "Weirs", "Weirs hold water back.", "They are old.", "Some leak on page 20.")
LOCKS = on_page(20, 500, "Locks", "A lock lifts boats.", "It has two gates.")
DAMS = on_page(21, 900, "Dams", "Dams are high.", "They hold a lake.")


def test_each_section_on_it_begins_in_the_order_of_the_page() -> None:
    told = ["Weirs hold water back.", "They are old.", "A lock lifts boats."]
    assert shown("What is on page 20?", LOCKS, WEIRS, DAMS) == told


def test_a_page_of_one_section_tells_its_first_sentences() -> None:
    assert shown("What does page 21 say?", LOCKS, DAMS) == ["Dams are high.", "They hold a lake."]


def test_a_question_about_a_thing_on_a_page_is_answered_as_any_other() -> None:
    assert "Some leak on page 20." in shown("What leaks on page 20?", WEIRS)[0]
