"""A follow-up in any of six languages is searched with what it leans on, and nothing else is."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.question.analyse import analyse_question
from libs.question.expected import may_hold
from libs.question.follow_up import Conversation

BEFORE = {
    "en": Conversation(("How heavy is the pump?",), "It weighs 4 kg."),
    "de": Conversation(("Wie schwer ist die Pumpe?",), "Sie wiegt 4 kg."),
    "fr": Conversation(("Combien pèse la pompe ?",), "Elle pèse 4 kg."),
    "es": Conversation(("¿Cuánto pesa la bomba?",), "Pesa 4 kg."),
    "pt": Conversation(("Quanto pesa a bomba?",), "Pesa 4 kg."),
    "ru": Conversation(("Сколько весит насос?",), "Он весит 4 кг."),
}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "and the valve?"),
        ("en", "How loud is it?"),
        ("de", "Und das Ventil?"),
        ("de", "Wie laut ist sie?"),
        ("de", "Von wem?"),
        ("de", "Wie viele davon gibt es?"),
        ("de", "Warum nicht?"),
        ("fr", "Et la vanne ?"),
        ("fr", "Quand a-t-elle été livrée ?"),
        ("fr", "Par qui ?"),
        ("fr", "Quelle est sa couleur ?"),
        ("es", "¿Y la válvula?"),
        ("es", "¿Quién lo vende?"),
        ("es", "¿Cuánto cuesta?"),
        ("es", "¿Cuál es su color?"),
        ("pt", "E a válvula?"),
        ("pt", "Quem é o fabricante dela?"),
        ("pt", "Quanto custa?"),
        ("ru", "А клапан?"),
        ("ru", "Сколько он стоит?"),
        ("ru", "Почему?"),
    ],
)
def test_a_follow_up_is_searched_with_what_it_leans_on(language: str, text: str) -> None:
    asked = analyse_question(text, language, before=BEFORE[language])
    assert asked.follow_up
    assert asked.question.startswith(BEFORE[language].questions[0])
    assert asked.question.endswith(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Was kostet das Ventil?"),
        ("de", "Welche Ventile gibt es?"),
        ("de", "Worum geht es bei der Wartung?"),
        ("de", "Können Sie mir sagen, was die Wartung kostet?"),
        ("fr", "Quand la pompe est-elle vidée ?"),
        ("fr", "Quand Marchal a-t-il fondé l'atelier ?"),
        ("fr", "Combien de vannes y a-t-il ?"),
        ("fr", "Que faut-il pour la vanne ?"),
        ("es", "¿Cuánto cuesta la válvula?"),
        ("es", "¿Qué es lo más importante de la válvula?"),
        ("pt", "Quanto custa a válvula?"),
        ("ru", "Сколько стоит клапан?"),
        ("ru", "На каком этаже стоит насос?"),
    ],
)
def test_a_question_that_names_its_thing_stands_alone(language: str, text: str) -> None:
    asked = analyse_question(text, language, before=BEFORE[language])
    assert not asked.follow_up


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Und das Ventil?"),
        ("fr", "Et la vanne ?"),
        ("es", "¿Y la válvula?"),
        ("pt", "E a válvula?"),
        ("ru", "А клапан?"),
    ],
)
def test_another_thing_is_asked_for_the_same(language: str, text: str) -> None:
    """It has to say a weight, as what was asked before had."""
    before = analyse_question(BEFORE[language].questions[0], language).expected
    assert analyse_question(text, language, before=BEFORE[language]).expected == before


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        ("What are steel pumps?", "What about brass ones?", "What are brass pumps?"),
        ("What is a hand pump?", "And a foot one?", "What is a foot pump?"),
        ("What does the pump do?", "And the valve?", "What does the valve do?"),
        ("What does prime do?", "And compact?", "What does compact do?"),
    ],
)
def test_another_thing_takes_the_place_of_the_first(before: str, text: str, whole: str) -> None:
    asked = analyse_question(text, "en", before=Conversation((before,), "It pumps."))
    assert asked.question == whole


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("How small should such a pump be?", True),
        ("What does 0 mean there?", True),
        ("How many pumps are there?", False),
        ("Which pumps such as X are sold?", False),
    ],
)
def test_such_a_thing_and_there_point_back(text: str, leans: bool) -> None:
    assert analyse_question(text, "en", before=BEFORE["en"]).follow_up == leans


def test_when_asks_for_a_time_behind_the_question_before() -> None:
    before = Conversation(("What is a plan?",), "A plan is a list.")
    asked = analyse_question("When does it require inspection?", "en", before=before)
    sentence = "A plan requires that the pump be inspected at the end of each run."
    rules = load_lexicon("en")
    assert may_hold(asked.expected, sentence, "", rules, question=asked.question)
