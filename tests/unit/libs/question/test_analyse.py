"""A question is analysed once: what it asks for, of what, and what it leans on."""

import hashlib

import pytest
from grpc import StatusCode

from libs.language.lexicon import Lexicon, load_lexicon
from libs.question.analyse import analyse_question, reword_question
from libs.question.expected import AnswerKind, Dimension
from libs.question.follow_up import Conversation
from libs.question.pages import name_page_topic, omit_page
from libs.question.types import QuestionType
from libs.rpc.question import analysis_from_proto, analysis_to_proto
from libs.text import STOP_WORDS, content_terms, terms


@pytest.mark.parametrize(
    ("question", "language", "page", "rest"),
    [
        ("What does page 42 say about torque?", "en", "42", "What does say about torque?"),
        ("How long is the arm on page 7?", "en", "7", "How long is the arm ?"),
        (
            "On page 42, what does it say about valves?",
            "en",
            "42",
            "what does it say about valves?",
        ),
        ("Page 42: valves", "en", "42", "valves"),
        ("Auf Seite 42, was steht über Ventile?", "de", "42", "was steht über Ventile?"),
        (
            "À la page 42, que dit le livre des pompes ?",
            "fr",
            "42",
            "que dit le livre des pompes ?",
        ),
        ("Compare page 4 and page 5", "en", "", ""),
        ("What is a page?", "en", "", ""),
        ("What does page iv say?", "en", "iv", "What does say?"),
        ("What is on page A-3 of pumps?", "en", "A-3", "What is of pumps?"),
        ("What does page 3–7 say of pumps?", "en", "3-7", "What does say of pumps?"),
        ("On which page I can find pumps?", "en", "", ""),
        ("Was steht auf Seite xii über Motoren?", "de", "xii", "Was steht über Motoren?"),
        ("Que dit la page l'auteur des moteurs ?", "fr", "", ""),
        ("Was steht auf Seite 12 über Motoren?", "de", "12", "Was steht über Motoren?"),
        ("Que dit la page 9 des moteurs ?", "fr", "9", "Que dit des moteurs ?"),
        ("¿Qué dice la página 3 del motor?", "es", "3", "¿Qué dice del motor?"),
    ],
)
def test_the_page_that_a_question_names_is_told_from_what_it_asks_for(
    question: str, language: str, page: str, rest: str
) -> None:
    assert analyse_question(question, language).page == page
    if rest:
        assert omit_page(question, language) == rest


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("What is on page 42?", True),
        ("What does page 42 discuss?", True),
        ("Summarise page 42", True),
        ("What does page 42 say about torque?", False),
        ("What page discusses torque?", False),
    ],
)
def test_a_question_for_a_whole_page_is_told(question: str, whole: bool) -> None:
    assert analyse_question(question).whole_page == whole


WHOLE_PAGES = {
    "en": [
        "What is discussed on page 42?",
        "What is written on page 42?",
        "What does page 42 say?",
    ],
    "de": [
        "Worum geht es auf Seite 42?",
        "Was steht auf der Seite 42?",
        "Fasse die Seite 42 zusammen.",
    ],
    "es": ["¿Qué dice la página 42?", "¿De qué trata la página 42?", "¿Qué hay en la página 42?"],
    "fr": ["Que dit la page 42 ?", "De quoi parle la page 42 ?", "Qu'y a-t-il à la page 42 ?"],
    "pt": ["O que diz a página 42?", "Do que trata a página 42?", "O que há na página 42?"],
    "ru": ["О чём говорится на странице 42?", "Что написано на странице 42?"],
    "zh": ["第42页讲了什么？", "第42页的内容是什么？", "总结第42页"],
    "ja": ["42ページには何が書かれていますか", "42ページは何についてですか", "42ページを要約して"],
    "ar": ["ماذا تقول الصفحة 42؟", "ماذا يوجد في الصفحة 42؟"],
    "hi": ["पृष्ठ 42 पर क्या है?", "पृष्ठ 42 किस बारे में है?"],
}


@pytest.mark.parametrize(
    ("language", "question"),
    [(language, question) for language, asked in WHOLE_PAGES.items() for question in asked],
)
def test_a_whole_page_is_asked_for_in_every_language(language: str, question: str) -> None:
    analysis = analyse_question(question, language)
    assert (analysis.page, analysis.whole_page) == ("42", True)


@pytest.mark.parametrize("language", WHOLE_PAGES)
def test_a_page_is_asked_for_in_another_language_than_the_book_s(language: str) -> None:
    """One question of each that tells its language."""
    analysis = analyse_question(WHOLE_PAGES[language][0], "de" if language == "en" else "en")
    assert (analysis.page, analysis.whole_page) == ("42", True)


@pytest.mark.parametrize(
    ("question", "language", "topic"),
    [
        ("What page discusses the urgency field?", "en", "the urgency field"),
        ("On which page is the pump described?", "en", "the pump"),
        ("Auf welcher Seite geht es um Pumpen?", "de", "Pumpen"),
        ("Auf welcher Seite geht es um Pumpen?", "en", "Pumpen"),
        ("Auf welcher Seite wird die Pumpe beschrieben?", "de", "die Pumpe"),
        ("¿En qué página se habla del rendimiento?", "es", "rendimiento"),
        ("À quelle page parle-t-on des pompes ?", "fr", "pompes"),
        ("Em que página se fala do rendimento?", "pt", "rendimento"),
        ("На какой странице говорится о насосах?", "ru", "насосах"),
        ("哪一页讨论了泵？", "zh", "泵"),
        ("ポンプについてはどのページですか", "ja", "ポンプ"),
        ("في أي صفحة تتحدث عن المضخة؟", "ar", "المضخة"),
        ("पंप के बारे में किस पृष्ठ पर बताया गया है?", "hi", "पंप"),
        ("What is a page fault?", "en", ""),
        ("Which pages are swapped out?", "en", ""),
        ("What does page 42 say?", "en", ""),
    ],
)
def test_the_thing_whose_page_is_asked_for_is_told(
    question: str, language: str, topic: str
) -> None:
    assert name_page_topic(question, language) == topic


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Was sagt Seite 42 über Pumpen?", "de"),
        ("¿Qué dice la página 42 de las bombas?", "es"),
        ("Que dit la page 42 des pompes ?", "fr"),
        ("第42页的泵有多高？", "zh"),
        ("Что сказано о насосах на странице 42?", "ru"),
    ],
)
def test_a_question_for_something_on_a_page_is_not_for_the_whole(
    question: str, language: str
) -> None:
    analysis = analyse_question(question, language)
    assert analysis.page == "42"
    assert not analysis.whole_page


@pytest.mark.parametrize(
    ("question", "kind", "dimensions", "attribute"),
    [
        ("How heavy is the arm?", AnswerKind.QUANTITY, {Dimension.MASS}, ""),
        ("Which error in degrees do I get?", AnswerKind.QUANTITY, {Dimension.ANGLE}, "degrees"),
        ("How many axes has it?", AnswerKind.QUANTITY, {Dimension.COUNT}, "axes has"),
        ("How many litres does it pump?", AnswerKind.QUANTITY, {Dimension.VOLUME}, "litres does"),
        (
            "How many degrees of freedom has it?",
            AnswerKind.QUANTITY,
            {Dimension.COUNT},
            "degrees of freedom",
        ),
        ("How long does it last?", AnswerKind.QUANTITY, {Dimension.TIME}, ""),
        ("How long is the cable?", AnswerKind.QUANTITY, {Dimension.LENGTH, Dimension.TIME}, ""),
        ("How long does its hose get?", AnswerKind.QUANTITY, {Dimension.LENGTH}, ""),
        ("How much does a pump cost?", AnswerKind.QUANTITY, {Dimension.MONEY}, ""),
        ("What do we pay for a pump?", AnswerKind.QUANTITY, {Dimension.MONEY}, ""),
        ("How much is it if I take two?", AnswerKind.QUANTITY, {Dimension.MONEY}, ""),
        ("How big is it?", AnswerKind.QUANTITY, set(), ""),
        ("How fast does it turn?", AnswerKind.QUANTITY, {Dimension.SPEED}, ""),
        ("What percentage of it is lost?", AnswerKind.QUANTITY, {Dimension.SHARE}, ""),
        ("What torque does it give?", AnswerKind.QUANTITY, {Dimension.TORQUE}, "torque"),
        ("Which voltage does it take?", AnswerKind.QUANTITY, {Dimension.VOLTAGE}, "voltage"),
        ("What is the voltage across the coil?", AnswerKind.QUANTITY, {Dimension.VOLTAGE}, ""),
        ("How much current does it take?", AnswerKind.QUANTITY, {Dimension.CURRENT}, ""),
        ("What power does it take?", AnswerKind.QUANTITY, {Dimension.POWER}, "power"),
        ("How much energy does it take?", AnswerKind.QUANTITY, {Dimension.ENERGY}, ""),
        ("What is its field of view?", AnswerKind.QUANTITY, {Dimension.ANGLE}, "its field of view"),
        ("Until when is it supported?", AnswerKind.DATE, set(), ""),
        ("When are the long hours?", AnswerKind.DATE, set(), ""),
        ("When does the fair open?", AnswerKind.DATE, set(), ""),
        ("When do I grease it?", AnswerKind.ANY, set(), ""),
        ("Who invented the servo?", AnswerKind.PERSON, set(), ""),
        ("Where is the log?", AnswerKind.PLACE, set(), ""),
        ("Is it safe?", AnswerKind.YES_NO, set(), ""),
        ("What is a servo?", AnswerKind.DEFINITION, set(), ""),
        ("Why does it tip?", AnswerKind.CAUSE, set(), ""),
        ("How do I install the driver?", AnswerKind.PROCEDURE, set(), ""),
        ("List the joints.", AnswerKind.LIST, set(), ""),
        ("Which command builds it?", AnswerKind.CODE, set(), ""),
        ("Compare lidar and radar in range.", AnswerKind.COMPARISON, set(), "range"),
        ("Tell me of servos.", AnswerKind.ANY, set(), ""),
    ],
)
def test_the_expected_answer_has_a_kind_dimensions_and_an_attribute(
    question: str, kind: AnswerKind, dimensions: set[Dimension], attribute: str
) -> None:
    expected = analyse_question(question).expected
    assert (expected.kind, set(expected.dimensions)) == (kind, dimensions)
    assert attribute.startswith(expected.attribute)
    assert bool(attribute) == bool(expected.attribute)


def test_a_follow_up_is_made_whole_and_asks_for_what_it_says_itself() -> None:
    before = Conversation(("How much does the lab cost?",), "It comes to $89,000.")
    analysis = analyse_question("and how heavy is it?", before=before)
    assert analysis.follow_up
    assert analysis.question.endswith("and how heavy is it?")
    assert analysis.expected.dimensions == {Dimension.MASS}
    fragment = analyse_question("the premium lab?", before=before)
    assert fragment.expected.dimensions == {Dimension.MONEY}
    assert fragment.asked_terms == {"premium", "lab"}


def test_a_follow_up_in_other_words_is_analysed_as_what_it_came_to_be() -> None:
    before = Conversation(("What is a topic?",), "A stream.")
    analysis = analyse_question("how do they compare to ESP32 services?", before=before)
    worded = reword_question(analysis, "how do they compare?", "Compare topics and services.")
    assert [part.name for part in worded.sub_questions] == ["topics", "services"]
    assert worded.names == analysis.names == ("ESP32",)


def test_a_question_about_selected_text_leans_on_nothing_and_is_not_split() -> None:
    before = Conversation(("What is a topic?",), "A stream.")
    analysis = analyse_question("and a spring or a damper?", before=before, of_selection=True)
    assert not analysis.follow_up
    assert analysis.sub_questions == ()
    assert not analyse_question("thanks", of_selection=True).small_talk


def test_an_analysis_comes_through_the_contract_whole() -> None:
    before = Conversation(("What is a topic?",), "A stream.")
    for question in (
        "Compare the price of ESP32 boards and of `my_board` in 2023!",
        "How many litres an hour?",
        "Compare lidar and radar in range.",
        "thanks",
        "and a service?",
    ):
        analysis = analyse_question(question, "en", before=before)
        carried = analysis_from_proto(analysis_to_proto(analysis), analysis.question)
        assert vars(carried) == {**vars(analysis), "asked_terms": frozenset()}


def test_no_rule_of_another_language_is_used_where_none_is_known() -> None:
    assert load_lexicon("xx") == Lexicon()
    question = "What is the difference between lidar and radar, and how much does it cost in 2023?"
    analysis = analyse_question(question, "xx", before=Conversation(("What is a topic?",)))
    assert analysis.types == QuestionType()
    assert analysis.expected.kind is AnswerKind.ANY
    assert (analysis.sub_questions, analysis.definiendum, analysis.years) == ((), "", ())
    assert not any((analysis.follow_up, analysis.small_talk, analysis.several_places))
    assert analyse_question("thanks", "xx").small_talk, "in any language, whatever the book's"


@pytest.mark.parametrize("code", ["../en", "e/n", ".", "en.toml"])
def test_a_code_that_is_no_language_opens_no_file(code: StatusCode | int) -> None:
    assert load_lexicon(code) == Lexicon()


def test_terms_are_those_that_books_were_stored_with() -> None:
    # Another list calls for a new index of every book: see STORED_RECIPE.
    listed = " ".join(sorted(STOP_WORDS)).encode()
    assert hashlib.sha256(listed).hexdigest().startswith("aad629bb8be93e17")
    text = "What does the ZMP of a two-legged robot's feet do, and why isn't it used here?"
    assert terms(text) == ["zmp", "two", "leg", "robot", "feet", "isn't"]
    german = "Das Rad über der Straße"
    assert content_terms(f"{german} 東京都") == [*terms(german), "東京", "京都"]
