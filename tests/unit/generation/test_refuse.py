"""A refusal is in the reader's language, and names the book's where it is another."""

import re
from dataclasses import replace
from typing import Any

import pytest

from libs.language.asked_in import known_languages
from libs.language.lexicon import load_lexicon
from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.model import Message, Question, RefusalCode, Role, Selection
from services.generation.parts_asked import MissingPart
from services.generation.refuse import (
    NO_QUESTION,
    refuse_empty,
    refuse_small_talk,
    refuse_unwritten,
)
from tests.support.generation_fakes import passage, search_result

TEXTS = load_profile("default").refusals


def refused(
    text: str,
    language: str,
    related: tuple[str, ...] = (),
    *,
    read: tuple[str, ...] = (),
    history: tuple[Message, ...] = (),
) -> str:
    question = Question("book", 1, text, language=language, history=history, reader_languages=read)
    nothing = search_result((), passed=False, probability=0.0, related=related)
    refusal = refuse_unwritten(nothing, question, analyse_question(text, language), TEXTS)
    assert refusal is not None
    assert refusal.code is RefusalCode.NOTHING_FOUND
    return refusal.message


@pytest.mark.parametrize(
    ("text", "language", "message"),
    [
        ("How tall is the moon?", "en", "I couldn't find relevant content. Related topics: A, B"),
        ("月亮有多高？", "zh", "书中没有找到相关内容。相近的主题：A, B"),
        ("Насколько высока луна?", "ru", "В книге ничего об этом не найдено. Близкие темы: A, B"),
        (
            "Wie hoch ist der Mond?",
            "de",
            "Dazu habe ich im Buch nichts gefunden. Nahe Themen: A, B",
        ),
    ],
)
def test_a_refusal_is_in_the_language_of_question_and_book(
    text: str, language: str, message: str
) -> None:
    assert refused(text, language, ("A", "B")) == message


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("Wie hoch ist der Mond?", "en", "Das Buch ist in einer anderen Sprache (Englisch)"),
        ("月亮有多高？", "en", "本书使用的语言是英语"),
        ("How tall is the moon and why is it so?", "ja", "The book is in Japanese: ask in that"),
        ("How tall is the moon and why is it so?", "sv", "The book is in Swedish: ask in that"),
        ("How tall is the moon and why is it so?", "is", "The book is in Icelandic: ask in that"),
        ("Wie hoch ist der Mond?", "km", "Das Buch ist in einer anderen Sprache (Khmer)"),
        ("How tall is the moon and why is it so?", "xx", "find relevant content."),
        ("Wie hoch ist der Mond?", "it", "Das Buch ist in einer anderen Sprache (Italienisch)"),
        ("What treats varroa mites?", "ar", "The book is in Arabic: ask"),
        ("ดวงจันทร์สูงเท่าไร", "de", "The book is in German: ask in that"),
        ("চাঁদ কত উঁচু?", "en", "The book is in English: ask in that"),
        ("चाँद कितना ऊँचा है?", "en", "पुस्तक दूसरी भाषा (अंग्रेज़ी) में है"),
    ],
)
def test_a_question_in_another_language_is_told_in_which_the_book_is(
    text: str, language: str, said: str
) -> None:
    message = refused(text, language)
    assert said in message
    # What can't be looked for can't be said to be missing.
    assert ("relevant content" in message) is ("relevant content" in said)


def test_a_language_without_a_name_is_not_told_by_its_code() -> None:
    assert "xx" not in refused("How tall is the moon and why?", "xx")
    assert "(" not in refused("How tall is the moon and why?", "xx")


def test_without_sections_near_their_sentence_is_left_out_in_every_language() -> None:
    assert refused("How tall is the moon?", "en") == "I couldn't find relevant content."
    for text, language in (("Wie hoch ist der Mond?", "de"), ("Насколько высока луна?", "ru")):
        message = refused(text, language)
        assert "{" not in message
        assert message.endswith((".", "。"))
    for text, language in (("月亮有多高？", "zh"), ("月はどのくらい高いですか", "ja")):
        message = refused(text, language)
        assert message.endswith("。")
        assert "：" not in message


@pytest.mark.parametrize(
    "part", [{"document": "a.md"}, {"chapter": "2"}, {"page": "iv"}, {"section_path": ("A",)}]
)
def test_a_part_that_does_not_say_it_is_not_called_the_book(part: dict[str, Any]) -> None:
    text = "How tall is the moon?"
    question = replace(Question("book", 1, text), **part)
    analysis = analyse_question(text, "en")
    nothing = search_result((), passed=False, probability=0.0, related=("A",))
    far = search_result(passed=False, probability=0.1)
    for found, said in (
        (
            nothing,
            "I found nothing on this in the part you chose, and looked nowhere else. Related",
        ),
        (far, "The part you chose does not say this; I looked nowhere else in the book."),
    ):
        refusal = refuse_unwritten(found, question, analysis, TEXTS)
        assert refusal is not None
        assert refusal.message.startswith(said)
    declined = refuse_empty(far, question, TEXTS, analysis, withheld=False, has_model=True)
    assert declined.message.startswith("The part you chose")


@pytest.mark.parametrize("code", sorted(known_languages()))
def test_every_language_says_that_only_a_part_was_searched(code: str) -> None:
    texts = load_lexicon(code).refusals
    assert texts.part_not_covered
    assert "{related}" in texts.part_nothing_found


def test_the_sections_of_what_is_quoted_come_first_of_those_that_are_near() -> None:
    far = search_result(passed=False, probability=0.1, related=("Elsewhere", "Far", "Away"))
    far = replace(far, gate=replace(far.gate, near=True))
    text = "Why does a hydraulic actuator leak?"
    refusal = refuse_unwritten(far, Question("book", 1, text), analyse_question(text, "en"), TEXTS)
    assert refusal is not None
    quoted = dict.fromkeys(one.locator.section_path[-1] for one in refusal.nearest)
    assert quoted
    assert refusal.related_sections == (*quoted, "Elsewhere", "Far", "Away")[:3]


def test_withheld_and_declined_answers_are_told_apart_in_the_reader_s_language() -> None:
    question = Question("book", 1, "Что такое луна?", language="ru")
    found = search_result()
    analysis = analyse_question(question.text, "ru")
    withheld = refuse_empty(found, question, TEXTS, analysis, withheld=True, has_model=True)
    assert withheld.message == "По содержанию книги надёжный ответ дать нельзя."
    declined = refuse_empty(found, question, TEXTS, analysis, withheld=False, has_model=True)
    assert declined.message == "В книге нет сведений на эту тему."


def nothing_found(language: str) -> str:
    return load_lexicon(language).refusals.nothing_found.replace("{related}", "A")


@pytest.mark.parametrize("text", ["42?", "IMU?", "Servo-Bus", "", "?!"])
@pytest.mark.parametrize("language", ["en", "de", "ja", "ar"])
@pytest.mark.parametrize(
    ("read", "spoken"),
    [(("fr", "de"), "fr"), (("ko",), "ko"), (("xx", "tlh", "ru"), "ru")],
)
def test_a_question_that_tells_no_language_is_refused_in_the_reader_s(
    text: str, language: str, read: tuple[str, ...], spoken: str
) -> None:
    assert refused(text, language, ("A",), read=read) == nothing_found(spoken)


def test_without_a_language_of_the_reader_s_it_is_refused_in_the_book_s() -> None:
    for read in ((), ("xx",)):
        assert refused("42?", "de", ("A",), read=read) == nothing_found("de")
    assert "in Arabic" in refused("IMU?", "ar")


def test_the_reader_s_own_words_go_before_what_they_read() -> None:
    assert refused("Was ist das?", "de", ("A",), read=("fr",)) == nothing_found("de")
    message = refused("Wie hoch ist der Mond?", "en", read=("fr",))
    assert message == load_lexicon("de").refusals.other_language.replace("{language}", "Englisch")
    said = (Message(Role.USER, "Was ist ein Servo?"), Message(Role.ASSISTANT, "Un moteur."))
    assert refused("42?", "en", ("A",), read=("fr",), history=said) == nothing_found("de")
    smiled = Question("book", 1, ":-)", language="en", reader_languages=("fr",))
    assert refuse_small_talk(smiled).message == load_lexicon("fr").refusals.no_question


def test_small_talk_is_answered_in_its_own_language() -> None:
    assert refuse_small_talk(Question("book", 1, "Hello!")).message == NO_QUESTION
    said = refuse_small_talk(Question("book", 1, "Danke", language="de")).message
    assert said.startswith("Fragen Sie")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("How tall is the moon?", "I couldn't find relevant content."),
        ("Wie hoch ist der Mond?", "Dazu habe ich im Buch nichts gefunden."),
        ("月はどのくらい高いですか", "この本には見つかりませんでした。"),
        (
            "¿Qué altura tiene la luna?",
            "El libro está en otro idioma (inglés, alemán, japonés)",
        ),
        ("Насколько высока луна?", "(английский, немецкий, японский)"),
    ],
)
def test_a_book_of_several_languages_is_in_each_of_them(text: str, said: str) -> None:
    question = Question("book", 1, text, language="en", languages=("en", "de", "ja"))
    nothing = search_result((), passed=False, probability=0.0)
    refusal = refuse_unwritten(nothing, question, analyse_question(text), TEXTS)
    assert refusal is not None
    assert said in refusal.message
    assert ("(" in refusal.message) == ("(" in said)


@pytest.mark.parametrize(
    ("text", "said"),
    [("Hallo", "Fragen Sie"), ("Hola", "Pregunt"), ("Bom dia!", "Pergunt"), ("Привет", "Спра")],
)
def test_small_talk_in_another_language_than_the_book_is_answered_in_it(
    text: str, said: str
) -> None:
    assert refuse_small_talk(Question("book", 1, text, language="en")).message.startswith(said)


@pytest.mark.parametrize(
    ("page", "said"),
    [(0, "The book has no page numbers."), (42, "I looked on page 42 alone.")],
)
def test_a_refusal_tells_that_other_pages_than_the_one_named_were_left_out(
    page: int, said: str
) -> None:
    """The book may say it elsewhere, which "The book does not contain …" alone denies."""
    text = "On page 42, what does the book say about valves?"
    held = search_result().passages[0]
    held = replace(held, locator=replace(held.locator, page=page))
    found = search_result((held,), passed=False, probability=0.2)
    refusal = refuse_unwritten(found, Question("book", 1, text), analyse_question(text), TEXTS)
    assert refusal is not None
    assert refusal.message.endswith(said)


@pytest.mark.parametrize(("label", "said"), [("iv", "page iv alone."), ("5", "")])
def test_a_refusal_says_that_only_a_labelled_page_was_searched_where_there_is_one(
    label: str, said: str
) -> None:
    text = "On page iv, what does the book say about valves?"
    held = search_result().passages[0]
    held = replace(held, locator=replace(held.locator, page=4, page_label=label))
    found = search_result((held,), passed=False, probability=0.2)
    refusal = refuse_unwritten(found, Question("book", 1, text), analyse_question(text), TEXTS)
    assert refusal is not None
    assert refusal.message.endswith(said)
    assert ("looked on" in refusal.message) == bool(said)


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "Who composed fidelio for alpha49?", "I found no mention of fidelio in the book."),
        (
            "de",
            "Wer hat Fidelio für alpha49 komponiert?",
            "Von Fidelio habe ich im Buch nichts gefunden.",
        ),
    ],
)
def test_a_refusal_tells_which_word_the_whole_book_lacks(
    language: str, text: str, said: str
) -> None:
    question = Question("book", 1, text, language=language)
    found = search_result(passed=False, probability=0.2)
    asked = analyse_question(text, language)
    refusal = refuse_unwritten(replace(found, unknown_words=("fidelio",)), question, asked, TEXTS)
    assert refusal is not None
    assert refusal.message.endswith(said)
    # Other passages of the book may have the name.
    refusal = refuse_unwritten(found, question, asked, TEXTS)
    assert refusal is not None
    assert "alpha49" not in refusal.message


@pytest.mark.parametrize(
    ("text", "title", "said"),
    [
        ("Not in the {title} textbook", "The Long Way: A Tale", "Not in the Long Way textbook"),
        ("Not in the {title} textbook", "A Tale", "Not in the Tale textbook"),
        ("Not in the {title} textbook", "Theories", "Not in the Theories textbook"),
        ("Not in the {title} textbook", "The", "Not in the The textbook"),
        ("Not in {title}", "The Long Way", "Not in The Long Way"),
        ("{title} does not say", "The Long Way", "The Long Way does not say"),
    ],
)
def test_a_title_brings_no_article_behind_that_of_the_text(
    text: str, title: str, said: str
) -> None:
    question = Question("book", 1, "How tall is the moon?", language="en", title=title)
    texts = replace(TEXTS, nothing_found=text)
    nothing = search_result((), passed=False, probability=0.0)
    refusal = refuse_unwritten(nothing, question, analyse_question(question.text, "en"), texts)
    assert refusal is not None
    assert refusal.message == said


@pytest.mark.parametrize(
    ("text", "language", "kind", "said"),
    [
        (
            "What does week 15 say about drones?",
            "en",
            "week",
            "There is no week 15 in the book: it counts up to 13.",
        ),
        (
            "Was steht in Woche 15 über Drohnen?",
            "de",
            "woche",
            "Woche 15 gibt es in dem Buch nicht: gezählt wird bis 13.",
        ),
        ("第15章讲了什么？", "zh", "章", "书中没有第 15 章，只到第 13 章。"),
    ],
)
def test_a_part_that_is_not_there_is_refused_by_the_last_that_is(
    text: str, language: str, kind: str, said: str
) -> None:
    found = replace(search_result(), missing_part=MissingPart(kind, 15, 13))
    question = Question("book", 1, text, language=language)
    refusal = refuse_unwritten(found, question, analyse_question(text, language), TEXTS)
    assert refusal is not None
    assert refusal.message.endswith(said)


@pytest.mark.parametrize("language", known_languages())
def test_each_language_tells_of_a_part_that_is_not_there(language: str) -> None:
    assert {"{number}", "{last}"} <= {
        *re.findall(r"{\w+}", load_lexicon(language).refusals.no_part)
    }


def test_authors_whom_only_metadata_name_are_told_with_the_refusal() -> None:
    """A quotation of what is in no text can't be given: the refusal says whose word it is."""
    asked = "Who are the authors?"
    book = replace(Question("book", 1, asked, language="en"), authors=("Ada Lindt", "Tom Birch"))
    analysis, texts = analyse_question(asked, "en"), TEXTS
    told = "Its metadata name as its authors: Ada Lindt, Tom Birch."
    for passages in ((passage("A pump moves water.", "A pump moves water."),), ()):
        found = search_result(passages, passed=False, probability=0.1)
        refusal = refuse_unwritten(found, book, analysis, texts)
        assert refusal is not None
        assert refusal.message.endswith(told)
    other = refuse_unwritten(found, book, analyse_question("Who is the keeper?", "en"), texts)
    assert other is not None
    assert "Lindt" not in other.message


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        (
            "en",
            "Since the lamp is cleaned by monks, who pays them?",
            "The book does not say in these words: “the lamp is cleaned by monks”.",
        ),
        (
            "de",
            "Da die Lampe von Mönchen geputzt wird, wer bezahlt sie?",
            "In diesen Worten sagt das Buch nicht: „die Lampe von Mönchen geputzt wird“.",
        ),
    ],
)
def test_a_claim_that_no_sentence_has_is_told(language: str, text: str, said: str) -> None:
    lamp = "The lamp is blue." if language == "en" else "Die Lampe ist blau."
    found = search_result((passage(lamp, lamp),), passed=False, probability=0.1)
    question = Question("book", 1, text, language=language)
    refusal = refuse_unwritten(found, question, analyse_question(text, language), TEXTS)
    assert refusal is not None
    assert refusal.message.endswith(said)


@pytest.mark.parametrize("code", sorted(known_languages()))
def test_every_language_says_that_marked_text_does_not_say_it(code: str) -> None:
    assert load_lexicon(code).refusals.mark_not_covered


def test_marked_text_that_does_not_say_it_is_not_called_the_book() -> None:
    text = "How tall is the moon?"
    asked = Question("book", 1, text, selection=Selection("a.md", 0, 9))
    far = search_result(passed=False, probability=0.1)
    refusal = refuse_unwritten(far, asked, analyse_question(text, "en"), TEXTS)
    assert refusal is not None
    assert refusal.message == "The text you marked does not say this; elsewhere the book may."
