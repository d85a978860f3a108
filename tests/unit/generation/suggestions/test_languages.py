"""Questions are suggested in the language of their passage, where its grammar is sure."""

import pytest

from libs.language.lexicon import load_lexicon
from services.generation.suggestions.phrasing import QuestionWriter
from tests.support.generation_fakes import passage
from tests.support.suggestions import generate_questions

TITLES = [
    ("de", "Der Brunnen", "Was ist der Brunnen?"),
    ("de", "Die Wartung", "Was ist die Wartung?"),
    ("de", "2.1. Die Leitungen entlüften", "Wie kann ich die Leitungen entlüften?"),
    ("de", "Wie funktioniert der Brunnen", "Wie funktioniert der Brunnen?"),
    ("es", "Las colmenas", "¿Qué son las colmenas?"),
    ("es", "El pozo de San Telmo", "¿Qué es el pozo de San Telmo?"),
    ("es", "Purgar la bomba", "¿Cómo purgar la bomba?"),
    ("es", "Cómo limpiar el pozo", "¿Cómo limpiar el pozo?"),
    ("fr", "L'écluse du canal", "Qu'est-ce que l'écluse du canal ?"),
    ("fr", "Une ruche", "Qu'est-ce qu'une ruche ?"),
    ("fr", "Les ruches", "Que sont les ruches ?"),
    ("fr", "Purger la pompe", "Comment purger la pompe ?"),
    ("pt", "As colmeias", "O que são as colmeias?"),
    ("pt", "Limpar o poço", "Como limpar o poço?"),
    ("ru", "Глава 3. Как устроен насос", "Как устроен насос?"),
    ("ru", "Заменить фильтр", "Как заменить фильтр?"),
    ("zh", "安装水泵", "如何安装水泵？"),
    ("zh", "3.2 为什么漏水", "为什么漏水？"),
    ("ja", "井戸の掃除の仕方", "井戸の掃除の仕方は？"),
    ("ar", "كيفية تنظيف البئر", "كيف يتم تنظيف البئر؟"),
    ("hi", "पंप कैसे साफ करें", "पंप कैसे साफ करें?"),
    ("ko", "우물 청소 방법", "우물 청소 방법은(는)?"),
]
EXPLAINED = """Der Brunnen ist ein Schacht.
Die Wartung ist die Pflege der Leitungen.
Une ruche est un abri."""
"""What a word alone is asked for: the text says what it is."""

SENTENCES = [
    ("de", "Ein Stockmeißel ist ein Werkzeug des Imkers.", "Was ist ein Stockmeißel?"),
    ("de", "Der Eingang wird verengt, damit keine Maus kommt.", "Warum wird der Eingang verengt?"),
    ("es", "La sal gema es una roca blanda.", "¿Qué es la sal gema?"),
    ("es", "Los pozos se vacían en mayo porque huelen.", "¿Por qué se vacían los pozos en mayo?"),
    ("fr", "Le levain est un mélange vivant.", "Qu'est-ce que le levain ?"),
    ("fr", "Une écluse est un ouvrage du canal.", "Qu'est-ce qu'une écluse ?"),
    ("pt", "O lagar é uma oficina de azeite.", "O que é o lagar?"),
    ("ru", "Спектрограф — это прибор для звёзд.", "Что такое спектрограф?"),
    ("ru", "Башня закрыта летом, потому что жарко.", "Почему башня закрыта летом?"),
    ("zh", "釉是一种玻璃质的薄层。", ""),
    ("zh", "景德镇窑是一种古老的窑炉。", "什么是景德镇窑？"),
    ("ja", "釉薬とは、器にかける液体である。", "釉薬とは何ですか？"),
    ("ja", "使ったあとは水で洗う。", ""),
    ("ar", "الدبس هو شراب حلو من التمر.", "ما الدبس؟"),
    ("ko", "닥풀은 뿌리에서 나오는 끈끈한 물을 말한다.", "닥풀은(는) 무엇입니까?"),
    ("hi", "करघा एक बुनाई का यंत्र है।", "करघा क्या है?"),
]


def writer(language: str, text: str = "") -> QuestionWriter:
    return QuestionWriter(text, load_lexicon(language))


@pytest.mark.parametrize(("language", "title", "question"), TITLES)
def test_a_title_gives_a_question_in_its_language(language: str, title: str, question: str) -> None:
    text = f"{EXPLAINED}\n{question} {title}"
    assert writer(language, text).ask_of_title((title,), lists=False) == question


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        ("en", "The House", "The house is an old mill.\nThe house has a yard."),
        ("en", "Invoking", "Invoking it takes a second, and so does invoking another."),
        ("en", "Pumps", "The pumps are old.\nPumps hum."),
        ("de", "Die Wartung", "Die Wartung dauert eine Stunde."),
        ("fr", "Une ruche", "On ferme une ruche le soir."),
    ],
)
def test_a_word_that_the_text_does_not_explain_is_not_asked_for(
    language: str, title: str, text: str
) -> None:
    assert writer(language, text).ask_of_title((title,), lists=False) == ""
    sentences = [writer(language, text).ask_of_sentence(one) for one in text.split("\n")]
    assert not any(sentences)


@pytest.mark.parametrize(("language", "sentence", "question"), SENTENCES)
def test_a_sentence_gives_the_question_that_it_answers(
    language: str, sentence: str, question: str
) -> None:
    text = sentence if language != "ru" else f"{sentence} Её башня и наш спектрограф."
    assert writer(language, text).ask_of_sentence(sentence) == question


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("de", "Für Besucher geschlossen"),
        ("de", "Die Völker"),  # one or several: the title does not tell
        ("de", "Geschichte"),
        ("es", "Herramientas"),
        ("es", "La historia"),
        ("es", "La bomba se limpia en mayo"),
        ("fr", "Contre la rouille"),
        ("pt", "Visitas"),
        ("ru", "О насосах"),
        ("zh", "安装说明"),
        ("zh", "参观"),
        ("ja", "見学"),
        ("ja", "その使い方"),
        ("ar", "تاريخ القرية"),
        ("hi", "इतिहास"),
        ("ko", "방문"),
    ],
)
def test_a_title_whose_form_is_not_sure_gives_none(language: str, title: str) -> None:
    assert writer(language, title).ask_of_title((title,), lists=False) == ""


@pytest.mark.parametrize(
    "sentence",
    ["Der Grund ist ein Riss im Rohr.", "Das ist eine Pumpe.", "Die Folge ist die Umkehr davon."],
)
def test_a_sentence_that_defines_no_thing_gives_none(sentence: str) -> None:
    assert writer("de", sentence).ask_of_sentence(sentence) == ""


def test_a_book_in_two_languages_gives_each_passage_the_questions_of_its_own() -> None:
    english = "A pump is a machine that moves fluid from the well to the house."
    spanish = "Las abejas viven en las cajas que el apicultor pone en el prado."
    found = [
        passage(english, document=english, section_path=("Hydraulic pumps",)),
        passage(spanish, document=spanish, section_path=("Las colmenas",)),
    ]
    asked = ("Is it blue?", "en", ("en", "es"))
    assert set(generate_questions(found, *asked)) == {
        "What are hydraulic pumps?",
        "What is a pump?",
        "¿Qué son las colmenas?",
    }
    assert generate_questions(found, *asked, spoken="es") == ["¿Qué son las colmenas?"]
    assert generate_questions(found[1:], "", "ja", ("ja", "es")) == ["¿Qué son las colmenas?"]
