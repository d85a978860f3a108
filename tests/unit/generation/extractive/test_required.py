"""A question for a quantity, a date or a name is led by what says one, or not answered at all."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.check import DECLINED, UNSAID, check_coverage
from services.generation.extractive.answerer import choose_places
from services.generation.model import (
    BlockKind,
    Gate,
    Locator,
    Passage,
    PassageScores,
    Question,
    SearchResult,
    Span,
)
from tests.support.generation_fakes import prompt
from tests.support.leads import BY_SIMILARITY

HEAVY = "The arm is heavy, since it is cast of iron."
WEIGHS = "All in all the arm weighs 4 kg."
ELSEWHERE = "A bag of flour has 1 kg."


def passage(*sentences: tuple[float, str], kind: BlockKind = BlockKind.PARAGRAPH) -> Passage:
    text = "\n".join(sentence for _, sentence in sentences)
    spans = tuple(
        Span(text.index(sentence), text.index(sentence) + len(sentence), kind, score)
        for score, sentence in sentences
    )
    place = Locator("a.md", 0, len(text), ("Chapter", "Arm"))
    return Passage("a", place, text, spans, PassageScores(fused=0.5))


def lead(
    question: str,
    *sentences: tuple[float, str],
    language: str = "",
    kind: BlockKind = BlockKind.PARAGRAPH,
) -> str:
    held = passage(*sentences, kind=kind)
    asked = replace(prompt((held,), question), analysis=analyse_question(question, language))
    places = choose_places(asked, BY_SIMILARITY)
    return held.text_of(places[0].span) if places else ""


def test_a_sentence_with_the_quantity_leads_though_another_is_nearer() -> None:
    assert lead("How heavy is the arm?", (0.7, HEAVY), (0.6, WEIGHS)) == WEIGHS
    assert lead("What of the heavy arm?", (0.7, HEAVY), (0.6, WEIGHS)) == HEAVY


def test_there_is_no_answer_when_no_sentence_about_the_thing_says_one() -> None:
    assert lead("How heavy is the arm?", (0.9, HEAVY)) == ""
    assert lead("How heavy is the arm of iron?", (0.9, HEAVY), (0.5, ELSEWHERE)) == ""
    assert lead("Why is the arm heavy?", (0.9, HEAVY)) == HEAVY


def test_a_value_of_another_name_is_no_answer() -> None:
    gdansk = (0.9, "The Gdansk terminal will be closed in May 2027.")
    cranes = (0.3, "The Rotterdam terminal has cranes.")
    asked = "When was the Rotterdam terminal closed?"
    assert lead(asked, gdansk, cranes) == ""
    assert lead("When will the Rotterdam terminal be closed?", gdansk, cranes) == ""
    assert lead(asked, gdansk, (0.5, "Rotterdam was closed in May 2031.")).endswith("2031.")
    assert lead("When was the terminal closed?", gdansk, cranes) == gdansk[1]
    # What follows a sentence with the name, or has no other, may well be of it.
    opened = "Queen Anna opened it in May 1901, and closed it in 1931."
    assert lead(asked, cranes, (0.9, opened)) == opened
    assert lead(asked, (0.9, "The terminal was closed in May 2031."), cranes).endswith("2031.")


def test_a_row_without_a_word_of_the_question_is_of_another_thing() -> None:
    rows = (0.3, "Bread | Minutes"), (0.9, "Wheat | 40"), (0.8, "Rye | 55")
    assert lead("How many minutes does barley bake?", *rows, kind=BlockKind.TABLE) == ""
    asked = "How many minutes does wheat bake?"
    assert lead(asked, *rows, kind=BlockKind.TABLE).endswith("Wheat | 40")


def test_nobody_is_named_where_all_else_that_is_asked_is_said() -> None:
    ground = (0.9, "Das Mehl rieselt zwischen die Steine.")
    bare = (0.5, "Die Steine müssen alle drei Wochen geschärft werden.")
    by_smith = (0.3, "Der Schmied schärft die Steine.")
    asked = "Wer schärft die Steine?"
    assert lead(asked, ground, bare, language="de") == ""
    assert lead(asked, ground, bare, by_smith, language="de") == by_smith[1]


@pytest.mark.parametrize("years", ["nineteen", "sixty-two", "thirteen"])
def test_a_number_in_words_is_a_quantity(years: str) -> None:
    lived = f"She lived there with her wife for {years} years."
    assert lead("How long did she live there?", (0.6, lived), (0.7, BROKE)) == lived


BROKE = "The mast broke last winter, and a new one was ordered."


def test_a_sentence_that_says_who_leads_or_nothing_does() -> None:
    assert lead("Who broke the mast?", (0.9, BROKE)) == ""
    assert lead("Who broke the mast?", (0.9, BROKE), (0.8, "A gunner broke it.")) == (
        "A gunner broke it."
    )


@pytest.mark.parametrize(
    ("language", "question", "nearest", "answer"),
    [
        ("de", "Wie viele Katzen gibt es?", "Katzen mögen Milch.", "Vier Katzen wohnen hier."),
        ("zh", "馆里有多少座钟？", "钟表匠修理钟。", "馆里陈列着三十座钟。"),
        ("ru", "Сколько весит купол?", "Купол перекрашен.", "Он весит пять тонн."),
    ],
)
def test_most_words_of_the_question_lead_where_odds_tell_little(
    language: str, question: str, nearest: str, answer: str
) -> None:
    found = lead(question, (0.9, nearest), (0.1, answer), language=language)
    assert found.endswith(answer)


@pytest.mark.parametrize(
    ("language", "question", "before", "answer"),
    [
        ("zh", "什么是杀青？", "每人每天能采三公斤鲜叶。", "杀青是高温炒制鲜叶的工序。"),
        ("hi", "ढरकी क्या है?", "इसमें चौदह करघे हैं।", "ढरकी लकड़ी का औज़ार है।"),
    ],
)
def test_a_short_sentence_is_no_label_of_the_next(
    language: str, question: str, before: str, answer: str
) -> None:
    assert lead(question, (0.1, before), (0.9, answer), language=language) == answer
    # A definition leads where the language tells one, and neither stands before the other.
    assert lead(question, (0.9, before), (0.1, answer), language=language) in (before, answer)


def reason(question: str, said: str, *, unsaid: str = "") -> str:
    found = SearchResult((passage((0.5, said)),), Gate(0.9, 0.5, passed=True))
    [check] = check_coverage(
        found, Question("book", 1, question), analyse_question(question), unsaid=unsaid
    )
    return "" if check.passed else check.reason


def test_the_reason_tells_what_is_missing() -> None:
    assert reason("How much does it cost?", HEAVY) == "asks for a price that no passage says"
    assert reason("What is the monthly fee for it?", HEAVY).startswith("asks for a price")
    assert reason("How heavy is the arm?", HEAVY) == "asks for a quantity that no passage says"
    assert reason("When was it cast?", HEAVY) == "asks for a date that no passage says"
    assert reason("Who invented it?", HEAVY) == "asks for a name that no passage says"
    in_python = "Hoard is written in Python, with a little C for what must be fast."
    assert reason("Who started Hoard?", in_python) == "asks for a name that no passage says"
    assert reason("Who started Hoard?", "Hoard is written in Python by Jonas Berg.") == ""
    in_texts = "Joining is for those who share the values expressed in the founding texts of Hoard."
    assert reason("Who founded Hoard?", in_texts) == "asks for a name that no passage says"
    assert reason("Who founded Hoard?", "Jonas Berg, founder of Hoard, was its first leader.") == ""
    assert reason("What is an XQ99?", HEAVY) == "asks about a name that no passage has"
    assert reason("What changed in 1971?", HEAVY) == "asks about a year that no passage has"
    of_it = reason("How heavy is the arm?", ELSEWHERE, unsaid=UNSAID)
    assert of_it == "asks for a quantity that no passage says of it"
    assert reason("How heavy is the arm?", WEIGHS) == ""


@pytest.mark.parametrize("unsaid", [UNSAID, DECLINED])
def test_a_refusal_of_passages_that_the_gate_let_pass_has_no_check_that_passed(unsaid: str) -> None:
    assert reason("Why is the arm blue?", WEIGHS) == ""
    assert reason("Why is the arm blue?", WEIGHS, unsaid=unsaid) == unsaid


@pytest.mark.parametrize(
    ("language", "question", "near", "tells"),
    [
        ("en", "Where did Anna die?", "Anna was a botanist.", "She died in Oslo in 1931."),
        ("es", "¿Dónde murió Ana?", "Ana Berg era botánica.", "Murió en Oslo en 1931."),
    ],
)
def test_a_sentence_that_tells_an_attribute_leads_however_unlike_the_question_it_is(
    language: str, question: str, near: str, tells: str
) -> None:
    assert lead(question, (0.9, near), (0.1, tells), language=language).endswith(tells)
    assert lead(question, (0.9, near), language=language) == ""
