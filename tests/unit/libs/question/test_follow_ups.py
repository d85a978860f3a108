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
        ("en", "What should I do afterwards?"),
        ("de", "Was muss ich danach tun?"),
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
        ("What is a conductive pump?", "And inductive?", "What is inductive pump?"),
        ("What is a conductive pump?", "And a valve?", "What is a valve?"),
        ("How are URLs cut?", "And URNs?", "How are URNs cut?"),
        ("What does the pump do?", "And the valve?", "What does the valve do?"),
        ("What does prime do?", "And compact?", "What does compact do?"),
        ("What is a simple pump?", "And a better one?", "What is a better pump?"),
        (
            "Who is the keeper of the Old Pump?",
            "And of the New Pump?",
            "Who is the keeper of the New Pump?",
        ),
        ("How old is the oak of the yard?", "And of the park?", "How old is the oak of the park?"),
        (
            "What is the mean age of the Hill Pumps?",
            "And the median?",
            "What is the median of the Hill Pumps?",
        ),
        (
            "What is the head of a pump?",
            "And what is the lower one?",
            "What is the lower head of a pump?",
        ),
        ("What is a pump?", "And what is a valve?", "What is a valve?"),
        ("What does @here do?", "And @channel?", "What does @channel do?"),
        ("What does the sign A1 turn?", "And A2?", "What does the sign A2 turn?"),
        ("What does v=x.x mean in a note?", "And v~x.x?", "What does v~x.x mean in a note?"),
    ],
)
def test_another_thing_takes_the_place_of_the_first(before: str, text: str, whole: str) -> None:
    asked = analyse_question(text, "en", before=Conversation((before,), "It pumps."))
    assert asked.question == whole


@pytest.mark.parametrize(
    ("language", "before", "text", "whole"),
    [
        ("en", "What is a pump?", "How is it oiled?", "How is a pump oiled?"),
        ("en", "What is a pump?", "And what is its price?", "What is a pump's price?"),
        ("en", "How does the pump work?", "How large is it?", "How large is the pump?"),
        ("en", "What is a pump?", "How many may a farm have?", "How many pump may a farm have?"),
        ("de", "Was ist ein Sprint?", "Und wie lange dauert er?", "Wie lange dauert ein Sprint?"),
        ("de", "Was macht das Zeichen ±?", "Löscht man es?", "Löscht man das Zeichen ±?"),
        ("fr", "Qu'est-ce que cron ?", "Trie-t-il la liste ?", "Trie cron la liste ?"),
        ("fr", "Que fait l'option -v ?", "Et -q ?", "Que fait l'option -q ?"),
        ("es", "¿Qué hace la opción -v?", "¿Y -q?", "¿Qué hace la opción -q?"),
        (
            "es",
            "¿Cuál es el precio de la bomba?",
            "¿Y de la rueda?",
            "¿Cuál es el precio de la rueda?",
        ),
    ],
)
def test_a_follow_up_asks_of_the_thing_that_was_explained(
    language: str, before: str, text: str, whole: str
) -> None:
    asked = analyse_question(text, language, before=Conversation((before,), "So."))
    assert (asked.follow_up, asked.question) == (True, whole)


def test_the_thing_is_known_two_questions_later() -> None:
    before = Conversation(("What is a pump?", "How is it oiled?"), "With oil.")
    asked = analyse_question("And when does it stop?", "en", before=before)
    assert asked.question == "When does a pump stop?"


def test_advantages_of_a_thing_have_no_limits_of_their_own() -> None:
    before = Conversation(("What are the advantages of pumps?",), "Many.")
    asked = analyse_question("And what are its limits?", "en", before=before)
    assert asked.question.startswith("What are the advantages of pumps?")
    assert asked.question.endswith("And what are its limits?")


def test_the_question_before_is_no_part_of_the_one_asked_now() -> None:
    before = Conversation(("What is a fund?",), "Money.")
    asked = analyse_question("And how much was paid per person then?", "en", before=before)
    assert asked.question.startswith("What is a fund?")
    assert (asked.sub_questions, asked.definiendum) == ((), "")


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


def test_a_german_word_for_another_kind_keeps_the_noun_of_the_first() -> None:
    before = Conversation(("Was heißt indirekte Kühlung?",), "Sie kühlt.")

    def asked(text: str) -> str:
        return analyse_question(text, "de", before=before).question

    assert asked("Und die direkte?") == "Was heißt die direkte Kühlung?"
    assert asked("Und Heizung?") == "Was heißt Heizung?"
