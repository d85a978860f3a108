"""What is asked of marked text by a pronoun is answered by it only where it says such a thing."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.answerer import choose_places
from services.generation.model import BlockKind, Selection, Span
from services.generation.selected import locate_selection
from tests.support.generation_fakes import passage, prompt
from tests.support.leads import BY_SIMILARITY

DEPOSIT = "The deposit is 40 pounds."
ROW = "Watch repair | 8 evenings | £110 | £150 | Ada Lindt"
TOOK_OVER = "In December 2010, Tim Marston took over."
THOUGHT = "The concept goes back to Miomir Lindt and his colleagues around 1970."


def is_answered(question: str, text: str, language: str = "en") -> bool:
    held = passage(text, text)
    marked = Selection(held.locator.document, held.locator.start, held.locator.end, text)
    analysis = analyse_question(question, language, of_selection=True)
    assert analysis.deictic
    asked = replace(prompt((held,), question, selection=marked), analysis=analysis)
    return bool(choose_places(asked, BY_SIMILARITY))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who keeps it?", DEPOSIT),
        ("When is it paid back?", DEPOSIT),
        ("What is it in dollars?", DEPOSIT),
        ("Where is it held?", ROW),
        ("How old is he?", TOOK_OVER),
        ("Where was he born?", TOOK_OVER),
        ("How much were they paid?", "A year later, we meet the same 40 potters."),
    ],
)
def test_a_value_that_marked_text_does_not_say_is_refused(question: str, text: str) -> None:
    assert not is_answered(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much is it?", DEPOSIT),
        ("What is it in pounds?", DEPOSIT),
        ("Who teaches this?", ROW),
        ("When did he take over?", TOOK_OVER),
        ("Who is this?", TOOK_OVER),
        ("who thought of this?", THOUGHT),
        ("who thought of this?", f"It falls at the edge. {THOUGHT}"),
        ("Where is it kept?", "It is kept by the door."),
        ("What does this mean?", DEPOSIT),
        ("Explain this.", DEPOSIT),
        ("Which signal stops it?", "To stop the kiln, just send the red signal to it."),
    ],
)
def test_a_value_that_marked_text_says_is_told(question: str, text: str) -> None:
    assert is_answered(question, text)


def test_german_questions_about_marked_text_are_told_too() -> None:
    assert is_answered("Was heißt das?", "Die Kaution beträgt 40 Euro.", "de")
    assert is_answered("Wie viel kostet es?", "Die Kaution beträgt 40 Euro.", "de")
    assert not is_answered("Wann wurde es gegründet?", "Die Kaution beträgt 40 Euro.", "de")


def test_in_french_a_passage_s_meaning_is_no_word_of_it() -> None:
    assert is_answered("Que veut dire ce passage ?", "La caution est de 40 euros par an.", "fr")


KILN = "The kiln was made by Rohde in 2014. It holds 150 litres. Gloves are optional beside it."


def is_led(question: str, text: str, language: str = "en") -> bool:
    held = passage(text, text)
    marked = Selection(held.locator.document, held.locator.start, held.locator.end, text)
    analysis = analyse_question(question, language, of_selection=True)
    assert not analysis.deictic
    asked = replace(prompt((held,), question, selection=marked), analysis=analysis)
    return bool(choose_places(asked, BY_SIMILARITY))


@pytest.mark.parametrize(
    ("question", "is_said"),
    [
        # Whether something is so is asked in words that are all there.
        ("Is the kiln insured?", False),
        ("Does the kiln have wheels?", False),
        ("Are gloves optional?", True),
        # Another deed, unit and attribute.
        ("Who bought the kiln?", False),
        ("Who made the kiln?", True),
        ("How many kilograms does the kiln hold?", False),
        ("How many litres does the kiln hold?", True),
        ("In which language is the kiln labelled?", False),
        ("How many gloves are there?", False),
        ("How far away is the kiln?", False),
    ],
)
def test_a_question_about_marked_text_has_its_words_there(question: str, is_said: bool) -> None:
    assert is_led(question, KILN) == is_said


def test_how_far_away_a_marked_thing_is_needs_no_such_word() -> None:
    assert is_led("How far away is the kiln?", "The nearest kiln stands 250 metres downstream.")


def test_a_year_counts_nobody() -> None:
    question, text = "How many workers founded it?", "The club was founded in 1891 by workers."
    assert not is_led(question, text)
    assert is_led(question, text.replace("by workers", "by 40 workers"))


def test_a_pronoun_that_is_joined_to_its_verb_is_no_word_to_be_said() -> None:
    assert is_led("Qui l'a fondé ?", "Le club a été fondé par Ida Noll le 19 août 2002.", "fr")


def test_a_reason_may_be_told_of_a_marked_thing_in_other_words() -> None:
    assert is_led("Why is the kiln barred?", "The kiln is locked, because children played with it.")


def test_one_of_many_words_may_be_another_in_the_marked_text() -> None:
    torque = "The torque of a motor is proportional to its current."
    assert is_led("How does the torque of the motor depend on current?", torque)
    assert not is_led("How does the noise of the motor depend on speed?", torque)


def test_around_a_marked_word_what_explains_it_may_lead() -> None:
    held = passage(KILN, KILN)
    at = held.locator.start
    marked = Selection(held.locator.document, at + 4, at + 8, "kiln")
    question = "Are gloves worn at the kiln?"
    asked = replace(
        prompt((held,), question, selection=marked),
        analysis=analyse_question(question, "en", of_selection=True),
    )
    assert choose_places(asked, BY_SIMILARITY)


def test_a_marked_sentence_that_introduces_a_list_says_its_words() -> None:
    text = "The standard says how risks are reduced:"
    asked = "What does the standard reduce?"
    held = passage(f"{text}\n\nRemove the hazard.", f"{text}\n\nRemove the hazard.")
    at = held.locator.start
    spans = (
        Span(at, at + len(text), BlockKind.PARAGRAPH, 0.9),
        Span(at + len(text) + 2, held.locator.end, BlockKind.LIST_ITEM, 0.5),
    )
    held = replace(held, spans=spans)
    marked = Selection(held.locator.document, held.locator.start, held.locator.end)
    analysis = analyse_question(asked, "en", of_selection=True)
    of_mark = replace(prompt((held,), asked, selection=marked), analysis=analysis)
    assert choose_places(of_mark, BY_SIMILARITY)


PENSION = "The plan is with Vanguard. Noll Ltd. matches 100 % of what you pay. It began in 2014."


@pytest.mark.parametrize(
    ("question", "text", "language", "is_said"),
    [
        # What a text calls by name a reader calls by what it is.
        ("How much does the company match?", PENSION, "en", True),
        ("How much does the company insure?", PENSION, "en", False),
        ("Wie viel zahlt die Firma?", "Noll zahlt 100 Euro im Monat.", "de", True),
        # What only asks.
        ("What happens if no oil is found?", "If no oil is found, the pump stops.", "en", True),
        ("What happens if no gas is found?", "If no oil is found, the pump stops.", "en", False),
        # A word that is turned says whether it is so.
        ("Is the founder known?", "The founder is still unknown.", "en", True),
        ("Is the founder rich?", "The founder is still unknown.", "en", False),
        ("Ist der Gründer bekannt?", "Der Gründer ist bis heute unbekannt.", "de", True),
    ],
)
def test_marked_text_lacks_no_word_that_it_need_not_have(
    question: str, text: str, language: str, *, is_said: bool
) -> None:
    assert is_led(question, text, language) == is_said


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is wrong with it?", "en"),
        ("What's the problem with this?", "en"),
        ("Was ist daran falsch?", "de"),
        ("Was ist das Problem dabei?", "de"),
        ("Qu'est-ce qui ne va pas ?", "fr"),
        ("¿Qué tiene de malo esto?", "es"),
        ("O que há de errado nisto?", "pt"),
    ],
)
def test_asking_for_a_fault_points_at_the_marked_text(question: str, language: str) -> None:
    assert analyse_question(question, language, of_selection=True).deictic
    assert not analyse_question("What is wrong with pumps?", "en", of_selection=True).deictic


def test_a_sentence_that_is_not_marked_does_not_lead_where_a_marked_one_answers() -> None:
    before = "Noll matches 50 % of what others pay."
    own = "Noll matches 100 % of what you pay."
    text = f"{before} {own}"
    held = passage(text, text, scores=(0.9, 0.1))
    start = held.locator.start + len(before) + 1
    for wanted in (own, ""):
        marked = Selection(held.locator.document, start, held.locator.end, wanted)
        question = "How much does Noll match?"
        asked = prompt((held,), question, selection=marked)
        places = choose_places(asked, BY_SIMILARITY)
        assert held.text_of(places[0].span) == own


def test_marked_words_are_found_though_they_come_with_markup() -> None:
    text = "The pump is slow. It is kept for the worse of two days."
    held = passage(text, text)
    marked = text.replace("worse", "*worse*")
    found = locate_selection(Selection(held.locator.document, text=marked), (held,))
    assert (found.start, found.end) == (held.locator.start, held.locator.end)


def first_shown(question: str, book: str, marked: str, scores: tuple[float, ...]) -> str:
    held = passage(book, book, scores=scores)
    start = held.locator.start + book.index(marked)
    selection = Selection(held.locator.document, start, start + len(marked), marked)
    analysis = analyse_question(question, "en", of_selection=True)
    asked = replace(prompt((held,), question, selection=selection), analysis=analysis)
    return held.text_of(choose_places(asked, BY_SIMILARITY)[0].span)


WALK = "Prices take a random walk."
MEANS = "The walk part means that they rise as often as they fall."


def test_the_meaning_of_a_mark_is_told_by_the_sentence_behind_it() -> None:
    book = f"{WALK} {MEANS} Nobody knows more."
    assert first_shown("What does this mean?", book, WALK, (0.2, 0.9, 0.1)) == MEANS
    # One that is no likelier does not take the place of the mark.
    assert first_shown("What does this mean?", book, WALK, (0.5, 0.5, 0.1)) == WALK


def test_a_marked_word_is_told_where_a_sentence_begins_with_it() -> None:
    book = f"Walk, a word of sailors, is what prices do. Old. Dull. Wet. {WALK}"
    first = "Walk, a word of sailors, is what prices do."
    assert first_shown("What does this word mean?", book, WALK, (0.9, 0.1, 0.1, 0.1, 0.2)) == first


def test_how_to_do_it_may_stand_behind_the_mark() -> None:
    saved, how = "Each file is kept with a tilde.", "To get it back, use the menu."
    book = f"{saved} {how} It is small."
    assert first_shown("How do I get back to this?", book, saved, (0.2, 0.9, 0.1)) == how


def test_a_marked_sentence_leads_that_is_likelier_than_the_first() -> None:
    marked = "Text is cut a line at a time. Another key after it overwrites the buffer."
    book = f"{marked} It is kept."
    first, second = "Text is cut a line at a time.", "Another key after it overwrites the buffer."
    asked = "What does another key do here?"
    assert first_shown(asked, book, marked, (0.1, 0.9, 0.1)) == second
    assert first_shown("Explain this", book, marked, (0.1, 0.9, 0.1)).startswith(first)
