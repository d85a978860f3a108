"""Things that have a title or a label each are shown together, where they are asked for."""

from dataclasses import replace

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import Passage, SentenceRole
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY, lead_places_of, passage_of

OVER = "Three Types of Weirs"


def section(title: str, text: str, near: float = 0.3) -> Passage:
    held = passage_of((text,), (near,), titles=("Book", OVER, title))
    return replace(held, chunk_id=title, locator=replace(held.locator, document=f"{title}.md"))


def shown(*held: Passage) -> list[str]:
    question = "What are the types of weirs?"
    asked = replace(prompt(held, question), analysis=analyse_question(question, "en"))
    places = choose_places(asked, BY_SIMILARITY)
    return [
        held[one.source - 1].text_of(one.span) for one in places if one.role is SentenceRole.LEAD
    ]


FIRST = section("1. Flat weirs", "A flat one lies low.")
SECOND = section("2. Sharp weirs", "A sharp one has an edge.")
THIRD = section("3. Side weirs", "A side one lets off floods.")
LAST = section("The Limits", "Types of weirs are not all.", near=0.9)


def test_each_section_below_a_title_that_counts_them_leads() -> None:
    told = ["A flat one lies low.", "A sharp one has an edge.", "A side one lets off floods."]
    assert shown(LAST, FIRST, SECOND, THIRD) == told


def test_none_leads_where_one_is_missing() -> None:
    assert shown(LAST, FIRST, THIRD) == ["Types of weirs are not all."]


LABELLED = (
    "Growth has three phases.",
    "Lag phase — Cells settle.",
    "Log phase — Cells split.",
    "Rest phase — Cells starve.",
)


def test_paragraphs_that_begin_with_names_lead_below_what_counts_them() -> None:
    question = "What are the phases of growth?"
    assert lead_places_of(question, LABELLED, (0.9, 0.2, 0.2, 0.2), between="\n\n") == [*LABELLED]


def test_fewer_than_it_counts_do_not() -> None:
    question = "What are the phases of growth?"
    shown = lead_places_of(question, LABELLED[:3], (0.9, 0.2, 0.2), between="\n\n")
    assert shown == [LABELLED[0]]
