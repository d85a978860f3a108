"""Which chapter is about a thing is answered by how the part begins that is named so."""

from dataclasses import replace

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import Passage
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY, passage_of


def shown(question: str, *held: Passage) -> str:
    asked = replace(prompt(held, question), analysis=analyse_question(question, "en"))
    place = choose_places(asked, BY_SIMILARITY)[0]
    return held[place.source - 1].text_of(place.span)


def chapter(document: str, sentences: tuple[str, ...], *titles: str) -> Passage:
    nearness = [0.2, *[0.9] * (len(sentences) - 1)]
    held = passage_of(sentences, nearness, titles=titles, between=" ")
    return replace(held, chunk_id=document, locator=replace(held.locator, document=document))


NAMED = chapter("a.md", ("Weirs hold water back.", "A sluice has a gate."), "Book", "Sluices")
OTHER = chapter("b.md", ("Dams are high.", "No sluice is as high."), "Book", "Dams")


def test_the_part_titled_so_leads() -> None:
    assert shown("Which chapter covers sluices?", OTHER, NAMED) == "Weirs hold water back."


def test_a_line_that_says_it_covers_it_leads_where_no_title_does() -> None:
    says = chapter("c.md", ("This chapter covers the lock.", "A lock is dear."), "Book", "Works")
    assert shown("Which chapter is about the lock?", OTHER, says) == "This chapter covers the lock."


def test_the_nearest_leads_where_neither_does() -> None:
    told = chapter("c.md", ("Works are old.", "A lock is dear."), "Book", "Works")
    assert shown("Which chapter covers locks?", told).endswith("A lock is dear.")
