"""What is said of a counterpart answers no question about the thing itself."""

import pytest

from services.generation.extractive.counterparts import Counterparts
from tests.unit.generation.extractive.test_required import lead

NORTH = "The north gate will be repainted in May."

OF_COUNTERPARTS = [
    ("en", "When will the south gate be repainted?", NORTH),
    ("en", "Which debates are closed to the public?", "All debates are open to the public."),
    ("en", "What was the third law?", "The 2nd law of motion was found later."),
    ("en", "Who met on Tuesdays in the hall?", "The choir met on Fridays in the hall."),
    ("en", "What did the guild ask for in 2015?", "In 2014 the guild asked for a new roof."),
    ("en", "What is listed in schedule 6 of the act?", "Schedule 5 of the act lists the roads."),
    ("en", "Why are there seven account types?", "There are a total of 12 account types."),
    ("en", "What did the Spanish government ban?", "The Swedish government banned hoses."),
    ("en", "How much of the coast of Norway is rock?", "Half of the coast of Sweden is rock."),
    ("en", "What is the quarry not known for?", "The quarry is known for its slate."),
    ("en", "What did the elected members say?", "The unelected members said nothing of it."),
    ("en", "Who are non-resident members?", "Resident members pay 20 pounds."),
    ("de", "Wann wird das Südtor gestrichen?", "Das Nordtor wird im Mai gestrichen."),
    ("de", "Wer kommt am Dienstag?", "Der Bäcker kommt am Freitag."),
    ("es", "¿Quién compró la casa vieja?", "Ana compró la casa nueva."),
    ("fr", "Qui garde la porte gauche ?", "Un chien garde la porte droite."),
    ("pt", "Quem pintou a porta vermelha?", "Rui pintou a porta verde."),
    ("ru", "Кто построил старый мост?", "Новый мост построил Иван."),
    ("zh", "红石桥有多长?", "青石桥长二十米。"),
    ("zh", "南门几点关?", "北门六点关。"),
    ("ja", "赤い橋の長さは?", "青い橋の長さは二十メートルです。"),
    ("ar", "متى يفتح الباب الشمالي؟", "يفتح الباب الجنوبي في السابعة."),
    ("hi", "पुराना पुल किसने बनाया?", "नया पुल मोहन ने बनाया।"),
    ("ko", "북쪽 문은 언제 열리나요?", "남쪽 문은 일곱 시에 열립니다."),
]

OF_THE_THING = [
    ("en", "When will the south gate be repainted?", "The gate will be repainted in May."),
    ("en", "When is the south gate used?", "The south gate is used while the north gate is shut."),
    ("en", "How do the first and the second law differ?", "The first law speaks of rest."),
    ("en", "What did the guild do in 2015?", "The guild was given a roof, as in 2014 and 2015."),
    ("en", "What is listed in schedule 6?", "Schedules 5 and 6 list the roads."),
    ("en", "What did the Spanish government ban?", "The government banned hoses."),
    ("en", "What is it not known for?", "It is unknown for slate."),
    ("en", "Which file is chosen when I don't pick one?", "The newest file is chosen."),
    ("en", "Which of these is NOT a fruit?", "A pear is a fruit."),
    ("en", "What may I do in March?", "You may light fires in March."),
    ("de", "Wann wird das Südtor gestrichen?", "Das Tor im Süden wird im Mai gestrichen."),
    ("zh", "红石桥有多长?", "红石桥比青石桥长。"),
]


@pytest.mark.parametrize(("language", "question", "sentence"), OF_COUNTERPARTS)
def test_a_sentence_about_a_counterpart_is_told(
    language: str, question: str, sentence: str
) -> None:
    assert Counterparts(question, language).speak_in(sentence, "")


@pytest.mark.parametrize(("language", "question", "sentence"), OF_THE_THING)
def test_a_sentence_about_the_thing_is_not(language: str, question: str, sentence: str) -> None:
    assert not Counterparts(question, language).speak_in(sentence, "")


def test_titles_and_the_sentence_before_say_which_one_is_meant() -> None:
    gates = Counterparts("When will the south gate be repainted?", "en")
    assert not gates.speak_in(NORTH, "The south gate")


def test_there_is_no_answer_where_the_likeliest_is_of_a_counterpart() -> None:
    asked = "When will the south gate be repainted?"
    locked = (0.4, "The south gate is kept locked in June.")
    assert lead(asked, (0.9, NORTH), locked) == ""
    assert lead("When will the north gate be repainted?", (0.9, NORTH), locked) == NORTH
    assert lead("Will the south gate be repainted?", (0.9, NORTH)) == NORTH  # says which one is


def test_an_answer_as_much_about_the_thing_leads() -> None:
    south = "The south gate will be repainted in June."
    assert lead("When will the south gate be repainted?", (0.9, NORTH), (0.3, south)) == south
