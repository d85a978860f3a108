"""A follow-up is not answered by the evidence of the question before it, shown once more."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from libs.question.follow_up import Conversation
from services.generation.confidence import HIGH, rate_answer
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.followed import repeats_answer
from services.generation.model import BlockKind, Citation, Message, Role, Verdict
from tests.support.generation_fakes import passage, prompt, search_result
from tests.support.leads import BY_SIMILARITY

CHAIR = "The first chair of the club was Ada Lindt, a smith of Orn."
SURE = replace(BY_SIMILARITY, features=("log_odds_answerable",), intercept=100.0)
ASKED = "Who was the first chair of the club?"
BARE = "The bell of the mill is not rung at night."
WITH_REASON = "The bell of the mill is not rung at night because it woke the neighbours."


def is_refused(asked: str, answer: str, text: str, book: str, language: str = "en") -> bool:
    """Whether `text`, said after `asked` and its `answer`, has no answer in `book`."""
    before = Conversation((asked,), answer)
    history = (Message(Role.USER, asked), Message(Role.ASSISTANT, answer))
    analysis = analyse_question(text, language, before=before)
    assert analysis.follow_up
    asks = replace(
        prompt((passage(book, book, section_path=("Book",)),), asked, history=history),
        analysis=analysis,
        follow_up=text,
    )
    return choose_places(asks, BY_SIMILARITY) == []


@pytest.mark.parametrize("text", ["How old was he?", "What does he teach?", "Is he tall?"])
def test_a_lead_shown_before_without_a_word_that_is_asked_is_no_answer(text: str) -> None:
    assert is_refused(ASKED, CHAIR, text, CHAIR)


def test_a_lead_shown_before_answers_where_it_has_the_word() -> None:
    assert not is_refused(ASKED, CHAIR, "Was she a smith?", CHAIR)


@pytest.mark.parametrize("text", ["Why?", "Why is that?"])
def test_a_bare_why_wants_a_reason_for_what_was_said(text: str) -> None:
    asked = "When is the bell of the mill not rung?"
    assert is_refused(asked, BARE, text, BARE)
    assert not is_refused(asked, BARE, text, WITH_REASON)
    # A reason for something else.
    assert is_refused(asked, BARE, text, "The yard was sold because the town grew.")


def test_a_bare_why_wants_a_reason_in_german_too() -> None:
    asked = "Wann läutet die Glocke der Mühle nicht?"
    said = "Die Glocke der Mühle läutet nachts nicht"
    assert is_refused(asked, f"{said}.", "Warum?", f"{said}.", "de")
    reason = f"{said}, weil sie die Nachbarn weckte."
    assert not is_refused(asked, f"{said}.", "Warum?", reason, "de")


def test_a_question_that_follows_nothing_may_be_led_by_anything() -> None:
    asked = prompt((passage(CHAIR, CHAIR),), ASKED)
    places = choose_places(asked, BY_SIMILARITY)
    assert places
    assert not repeats_answer(asked, places)


@pytest.mark.parametrize(
    ("text", "may_be_high"),
    [("Was she a smith?", True), ("Why her?", False), ("And who is it now?", False)],
)
def test_a_follow_up_is_sure_only_where_the_lead_has_what_it_adds(
    text: str, may_be_high: bool
) -> None:
    held = passage(CHAIR, CHAIR)
    cited = Citation(1, CHAIR, held.locator, held.chunk_id, CHAIR, Verdict.EXACT)
    analysis = analyse_question(text, before=Conversation((ASKED,), CHAIR))
    rated = rate_answer(
        "calibrated",
        search_result((held,)),
        analysis=replace(analysis, follow_up=True),
        response="",
        cited=(cited,),
        model=SURE,
        follow_up=text,
    )
    assert (rated > HIGH) == may_be_high


RULES = "To oil it, open the lid. Pour in the oil. Shut the lid."


@pytest.mark.parametrize("text", ["And then?", "What next?", "What else?"])
def test_the_next_sentence_stands_behind_those_shown(text: str) -> None:
    asked, first, second = "How do I oil it?", *RULES.split(". ")[:2]
    assert show_next(asked, f"{first}.", text)[0] == f"{second}."


def test_the_next_sentence_in_german() -> None:
    assert show_next("Wie öle ich es?", "To oil it, open the lid.", "Und dann?", "de")[0] == (
        "Pour in the oil."
    )


def show_next(asked: str, answer: str, text: str, language: str = "en") -> list[str]:
    before = Conversation((asked,), answer)
    history = (Message(Role.USER, asked), Message(Role.ASSISTANT, answer))
    analysis = analyse_question(text, language, before=before)
    held = passage(RULES, RULES, section_path=("Book",))
    asks = replace(prompt((held,), asked, history=history), analysis=analysis, follow_up=text)
    return [held.text_of(one.span) for one in choose_places(asks, BY_SIMILARITY)]


def test_a_sentence_with_a_word_of_the_follow_up_leads_where_a_whole_list_was_shown() -> None:
    asked, text = "Which paints are in the shed?", "Which one is for the gate?"
    paints, other = "red paint\nblue paint\nold paint", "The gate is green, as is its post."
    history = (Message(Role.USER, asked), Message(Role.ASSISTANT, paints))
    book = f"{paints}\n{other}"
    held = (
        passage(paints, book, kind=BlockKind.LIST_ITEM, scores=(0.9, 0.9, 0.9)),
        passage(other, book, scores=(0.1,)),
    )
    analysis = analyse_question(text, "en", before=Conversation((asked,), paints))
    asks = replace(prompt(held, asked, history=history), analysis=analysis, follow_up=text)
    places = choose_places(asks, BY_SIMILARITY)
    assert [held[one.source - 1].text_of(one.span) for one in places] == [other]
