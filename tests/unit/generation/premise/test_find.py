"""A year or quantity that a question takes for granted is named where the book has another for it."""

import pytest

from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.model import BlockKind, Question
from services.generation.other_value import OtherValue
from services.generation.premise.find import find_other_value
from services.generation.refuse import refuse_empty, refuse_unwritten
from tests.support.generation_fakes import passage, search_result

CREATED = "The Harbour Project was created in 1993 by Ada Lindt, with the help of the town."
TABLE = "Mass | 40 kg\nJoints | 25 joints"
BATTERY = "The battery of Tally weighs 2.7 kg and lasts long."


def find(question: str, text: str, language: str = "en", *, path: str = "The robot Tally") -> str:
    kind = BlockKind.TABLE if " | " in text else BlockKind.PARAGRAPH
    held = passage(text, text, kind, section_path=("Book", path))
    other = find_other_value(analyse_question(question, language), [held])
    return f"{other.asked} > {other.quote}" if other else ""


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("Why was the Harbour Project created in 1999?", CREATED, f"1999 > {CREATED}"),
        ("How did Ada Lindt create the Harbour Project in 1999?", CREATED, f"1999 > {CREATED}"),
        ("Why does Tally weigh 90 kg?", TABLE, "90 kg > Mass | 40 kg"),
        ("Why are there 200 joints in Tally?", TABLE, "200 joints > Joints | 25 joints"),
        (
            "Why did Tally fall in 1999?",
            "Tally fell in 1993, and its town was built in 1450.",
            "1999 > Tally fell in 1993, and its town was built in 1450.",
        ),
        (
            "Why was Humble released in 2019?",
            "Humble was released in May 2022, its support ends in May 2027.",
            "2019 > Humble was released in May 2022, its support ends in May 2027.",
        ),
        (
            "Why does a sack of flour cost £40?",
            "A sack of flour costs £12. Bran costs £5 a sack.",
            "£40 > A sack of flour costs £12.",
        ),
        (
            "Why is entry for adults Rs 90?",
            "Entry costs Rs 60 for adults and Rs 25 for children.",
            "Rs 90 > Entry costs Rs 60 for adults and Rs 25 for children.",
        ),
        (
            "What was the gift of $ 7 million from the Ada Fund used for?",
            "The museum received a gift of $3 million from the Ada Fund.",
            "$ 7 million > The museum received a gift of $3 million from the Ada Fund.",
        ),
        (
            "Warum kostet eine Tageskarte 30 Franken?",
            "Eine Tageskarte kostet 18 Franken, eine Jahreskarte 240 Franken.",
            "30 Franken > Eine Tageskarte kostet 18 Franken, eine Jahreskarte 240 Franken.",
        ),
        (
            "Warum wurde der Hafen 1999 gebaut?",
            "Der Hafen wurde 1993 gebaut.",
            "1999 > Der Hafen wurde 1993 gebaut.",
        ),
    ],
)
def test_the_other_value_is_found_where_the_same_is_said_of_the_same(
    question: str, text: str, found: str
) -> None:
    language = "de" if question.startswith("Warum") else "en"
    assert find(question, text, language) == found


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # It is a value of the book.
        ("Why was the Harbour Project created in 1993?", CREATED),
        # Of something else.
        ("Why does Tally weigh 90 kg?", BATTERY),
        ("Why was the Harbour Club created in 1999?", CREATED),
        ("Why was the Harbour Project closed in 1999?", CREATED),
        ("Warum wurde der Hafen 1999 gebaut?", "Der Hafen wurde 1993 geschlossen und 1450 gebaut."),
        # Of another kind.
        ("Why does Tally weigh 90 kg?", "Tally weighs as much as 30 cats."),
        # Asked for, or said twice.
        ("In which year was the Harbour Project created, 1999?", CREATED),
        ("Why does Tally weigh 90 kg?", "Tally weighs 40 kg. Tally weighs 35 kg."),
        # Of what only has its name, and denied.
        ("Why was the tram opened in 1890?", "The Tram Museum opened in 1977."),
        ("Why was Tally launched in 1920?", "In Kent, the Ada was launched in 1902."),
        ("Warum wiegt der Turm 200 kg?", "Die Glocke im Turm wiegt 840 kg."),
        ("Warum wurde die Brücke 1750 eröffnet?", "Die Kopie der Brücke wurde 1987 eröffnet."),
        ("Why was the tower built in 1700?", "The tower was not built in 1640."),
        # Said to be more, less, before or about so much, or denied by the question.
        ("Why does Tally weigh more than 30 kg?", "Tally weighs 40 kg."),
        ("Why did Tally fall before 1999?", "Tally fell in 1993."),
        ("Why does Tally weigh 38 kg?", "Tally weighs about 40 kg."),
        ("Why does Tally not weigh 90 kg?", "Tally weighs 40 kg."),
        # Of another money, of another thing's price, or what the reader has.
        ("Why does a sack of flour cost £40?", "A sack of flour costs 12 francs."),
        ("Why does a barrel of stout cost £90?", "A barrel of ale costs £85."),
        ("What can I buy for £40 at the mill?", "A sack of the mill costs £12."),
        # The same in other words.
        ("Why does a sack of flour cost 12 pounds?", "A sack of flour costs £12."),
        ("Why did the fund give three million dollars?", "The fund gave $3 million."),
        # Of nothing.
        ("Why 1999?", CREATED),
    ],
)
def test_nothing_is_corrected_where_the_book_may_speak_of_something_else(
    question: str, text: str
) -> None:
    assert not find(question, text, "de" if question.startswith("Warum") else "en")


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("de", "Warum wiegt der Turm 1200 kg?", "Der Turm wiegt 1.200 kg."),
        ("de", "Warum wiegt der Turm 1.200 kg?", "Der Turm wiegt 1200 kg."),
        ("es", "¿Por qué contiene el depósito 5000 litros?", "El depósito contiene 5.000 litros."),
        ("fr", "Pourquoi la tour pèse-t-elle 1200 kg ?", "La tour pèse 1 200 kg."),
        ("en", "Why was the Harbour Project created in the 1990s?", CREATED),
        (
            "de",
            "Warum wurde der Hafen in den 1990er Jahren gebaut?",
            "Der Hafen wurde 1993 gebaut.",
        ),
    ],
)
def test_the_same_number_written_otherwise_is_not_corrected(
    language: str, question: str, text: str
) -> None:
    assert not find(question, text, language)


def test_a_year_behind_of_in_german_is_told_and_a_span_of_years_is_not() -> None:
    said = "Das Hochwasser von 1954 zerstörte das Wehr."
    assert find("Was zerstörte das Hochwasser von 1964?", said, "de") == f"1964 > {said}"
    assert not find("Was zerstörte das Hochwasser von 1950 bis 1954?", said, "de")
    assert not find("Was zerstörte das Hochwasser von 1954?", said, "de")


def test_thousands_parted_by_points_are_told_apart() -> None:
    asked, said = "Warum wiegt der Turm 1300 kg?", "Der Turm wiegt 1.200 kg."
    assert find(asked, said, "de") == f"1300 kg > {said}"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", f"The book says something other than “1999”: “{CREATED}”"),
        ("", f"The book says something other than “1999”: “{CREATED}”"),
    ],
)
def test_a_refusal_says_which_value_the_book_has_instead(language: str, said: str) -> None:
    text = "Why was the Harbour Project created in 1999?"
    held = passage(CREATED, CREATED)
    found = search_result((held,), passed=False, probability=0.1)
    question = Question("book", 1, text, language=language)
    texts = load_profile("default").refusals
    refusal = refuse_unwritten(found, question, analyse_question(text, language), texts)
    assert refusal is not None
    assert refusal.message.endswith(said)


def test_the_value_is_told_in_the_words_of_the_question() -> None:
    held = passage(TABLE, TABLE, BlockKind.TABLE, section_path=("Tally",))
    found = find_other_value(analyse_question("Why does Tally weigh 90kg?", "en"), [held])
    assert found == OtherValue("90kg", "Mass | 40 kg")


def test_an_answer_that_has_no_sentence_says_which_value_the_book_has() -> None:
    held = passage(CREATED, CREATED)
    text = "Why was the Harbour Project created in 1999?"
    question, analysis = Question("book", 1, text), analyse_question(text)
    texts = load_profile("default").refusals
    found = search_result((held,))
    refusal = refuse_empty(found, question, texts, analysis, withheld=False, has_model=False)
    assert refusal.message.endswith(f"The book says something other than “1999”: “{CREATED}”")
