"""What is asked of marked text and said beside it alone leads; what merely stands near does not."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.extractive.around_mark import has_beside
from services.generation.model import Selection
from tests.support.generation_fakes import passage, prompt
from tests.support.leads import BY_SIMILARITY

GUILD = (
    "The guild of potters was founded in 1891. It owns the loan desk. The due date is optional. "
    "The loan date is taken from the calendar. Private loans exist only in Bristol. You could add some."
)
MARK = "The due date is optional."
GERMAN = (
    "Ämter sind Behörden vor Ort. Rein staatliche Ämter gibt es nur in Bayern. Ein Amt hat Räume."
)


def led(question: str, mark: str, text: str = GUILD, language: str = "en") -> str:
    held = passage(text, text)
    start = held.locator.start + text.index(mark)
    marked = Selection(held.locator.document, start, start + len(mark), mark)
    analysis = analyse_question(question, language, of_selection=True)
    asked = replace(prompt((held,), question, selection=marked), analysis=analysis)
    is_beside = has_beside(analysis, (held,), marked)
    leads = [held.text_of(one.span) for one in choose_places(asked, BY_SIMILARITY)[:1]]
    return leads[0] if leads and is_beside else ""


@pytest.mark.parametrize(
    ("question", "mark", "answer"),
    [
        ("And which loan date is taken?", MARK, "The loan date is taken from the calendar."),
        ("Where do private ones exist?", MARK, "Private loans exist only in Bristol."),
        ("Can I add others?", MARK, "You could add some."),
        ("What is the loan date?", MARK, "The loan date is taken from the calendar."),
        ("Which loans exist only there?", MARK, "Private loans exist only in Bristol."),
        (
            "When was it founded?",
            "It owns the loan desk.",
            "The guild of potters was founded in 1891.",
        ),
    ],
)
def test_the_sentence_beside_the_mark_that_says_it_leads(
    question: str, mark: str, answer: str
) -> None:
    assert led(question, mark) == answer


def test_a_condition_beside_the_mark_says_when() -> None:
    text = "The flash lasts a second. It is ignored if the lamp is off. It has three colours."
    answer = "It is ignored if the lamp is off."
    assert led("When is it ignored?", "The flash lasts a second.", text).endswith(answer)


def test_german_sentences_beside_a_mark_lead_too() -> None:
    answer = "Rein staatliche Ämter gibt es nur in Bayern."
    assert (
        led("Wo gibt es rein staatliche?", "Ämter sind Behörden vor Ort.", GERMAN, "de") == answer
    )


@pytest.mark.parametrize(
    "question",
    [
        "When was it sold?",
        "Who founded it?",
        "Which loan date is printed?",
        "Explain this.",
        "Why?",
    ],
)
def test_nothing_beside_the_mark_leads_that_leaves_the_question_open(question: str) -> None:
    assert led(question, MARK) == ""


def test_one_word_beside_a_mark_of_several_sentences_tells_nothing() -> None:
    assert led("What is private?", MARK) == "Private loans exist only in Bristol."
    assert led("What is private?", f"It owns the loan desk. {MARK}") == ""


def test_the_mark_s_own_words_are_not_looked_for_beside_it() -> None:
    assert led("When was it founded?", "The guild of potters was founded in 1891.") == ""


def test_a_sentence_too_far_from_the_mark_is_left() -> None:
    far = "The due date is optional. " + "It has a desk. " * 5 + "The guild was founded in 1891."
    assert led("When was it founded?", MARK, far) == ""
