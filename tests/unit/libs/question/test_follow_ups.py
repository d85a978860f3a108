"""A follow-up in any of six languages is searched with what it leans on, and nothing else is."""

import pytest

from libs.question.analyse import analyse_question
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
