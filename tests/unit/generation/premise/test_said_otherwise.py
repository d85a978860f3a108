"""What a question takes for granted is held against what the book says of that very thing."""

from dataclasses import replace

import pytest

from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.model import (
    BlockKind,
    Locator,
    Passage,
    PassageScores,
    Question,
    Span,
)
from services.generation.premise.find import find_other_value
from services.generation.refuse import refuse_unwritten
from tests.support.generation_fakes import passage, search_result

PRICES = "Kahn | Erwachsene | Kinder\nBoot | 12 € | 7 €\nFloß | 20 € | 9 €"
FEES = "Boat | Crew | Fee\nTern | 2 | £40\nPetrel | 4 | £65"


def find(question: str, text: str, language: str, title: str = "Kapitel") -> str:
    """Return the value and the line of `text` that says another; lines with " | " are rows."""
    spans, at = [], 0
    for line in text.split("\n"):
        kind = BlockKind.TABLE if " | " in line else BlockKind.PARAGRAPH
        spans.append(Span(at, at + len(line), kind, 0.5))
        at += len(line) + 1
    place = Locator("a.md", 0, len(text), ("Buch", title))
    held = Passage("a", place, text, tuple(spans), PassageScores(fused=0.5))
    other = find_other_value(analyse_question(question, language), [held])
    return f"{other.asked} > {other.quote}" if other else ""


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # The value is one of something else.
        ("en", "Does a locker cost £6 a month?", "A locker is £4 a month.\nA kiln is £6 a day."),
        ("de", "Kostet ein Schrank 3 Euro?", "Ein Stuhl kostet 3 Euro, ein Schrank 1 Euro."),
        ("fr", "L'entrée coûte-t-elle 9 euros ?", "L'entrée coûte 7 euros.\nLe thé coûte 9 euros."),
        ("es", "¿Cuesta la entrada 9 euros?", "La entrada cuesta 7 euros.\nEl té cuesta 9 euros."),
        ("en", "Does membership cost £45?", "Membership costs £32.\nOf the members 45 hold a key."),
        # German nouns, and money of former times.
        ("de", "Kostete der Bau 68.000 Reichsmark?", "Der Bau kostete 86.000 Reichsmark."),
        ("de", "Ist das Becken 25 Meter lang?", "Das Becken ist 50 Meter lang und 21 Meter breit."),
        # First in its sentence, behind a comma, in a relative clause, and behind "and".
        ("en", "Why did the town sell the mill in 1996?", "In 1994 the town sold the mill to Ada."),
        ("en", "Is the deposit for the key £40?", "The deposit for the key, £25, is returned."),
        ("de", "Wurde das Rad 1989 geliefert?", "Im Hof steht das Rad, das 1998 geliefert wurde."),
        ("de", "Kostete die Halle 47.500 Euro?", "Die Halle hat 2 Tore und kostete 74.500 Euro."),
        ("fr", "Le pont coûta-t-il 26 000 livres ?", "Le pont dura un an et coûta 62 000 livres."),
        # Since another year, and a number that names a thing.
        ("de", "Ist Jan Plog seit 2012 Wirt?", "Wirt ist seit 2015 Jan Plog."),
        ("de", "Hält der Bus 74 am Markt?", "Der Bus 47 hält am Markt."),
        ("en", "Does bus 74 stop at the market?", "The bus 47 stops at the market."),
    ],
)
def test_another_value_is_told_where_the_thing_has_it(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # Whether or why it is so much, where "how much" is asked alike.
        (
            "en",
            "Is the default winding speed 60 seconds?",
            "The winding speed is 30 seconds by default.",
        ),
        (
            "en",
            "Why is the bell hung at a height of 4 cm?",
            "The bell is hung at a height of 2 cm.",
        ),
        ("en", "Why is the timer set to 90 seconds?", "The timer is set to 30 seconds."),
        # Behind a word of its own, what it counts behind another, and to the last word asked.
        (
            "fr",
            "Pourquoi existe-t-il 7 salles de lecture ?",
            "Il existe actuellement 4 salles de lecture.",
        ),
        # A date's day and month, initials, and a date before its sentence.
        (
            "fr",
            "Le club a-t-il été créé en 1999 ?",
            "Le club a été créé par Ida S. Noll le 19 août 2002.",
        ),
        (
            "en",
            "Why did Noll take over the club in 2015?",
            "In mid-2010, Noll took over the running of the club and led it for years.",
        ),
        # Of what the sentence is about, and of the other of two.
        (
            "en",
            "Is the entry fee of the Autumn Cup £25?",
            "The Autumn Cup, over 4 km, is held in June; the entry fee is £18.",
        ),
        (
            "en",
            "Why does Dora have a 15 hp engine?",
            "Cora has a 15 hp diesel engine; Dora has a 6 hp engine.",
        ),
        # Of another count of months.
        (
            "en",
            "Does the board have nine members?",
            "Members of the board are away nine months.\nThe board has seven members.",
        ),
    ],
)
def test_a_number_is_told_whatever_stands_beside_it(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        (
            "en",
            "Is the default winding speed 30 seconds?",
            "The winding speed is 30 seconds by default.",
        ),
        (
            "fr",
            "Pourquoi existe-t-il 4 salles de lecture ?",
            "Il existe actuellement 4 salles de lecture.",
        ),
        (
            "fr",
            "Le club a-t-il été créé en 2002 ?",
            "Le club a été créé par Ida S. Noll le 19 août 2002.",
        ),
        (
            "en",
            "Why does Cora have a 15 hp engine?",
            "Cora has a 15 hp engine; Dora has a 6 hp engine.",
        ),
        # Of a thing that the other word names, and of one with a clause of its own.
        ("en", "Why does the mill have 9 doors?", "The copy of the mill has 4 doors."),
        (
            "en",
            "Was the mill sold in 2015?",
            "In 2010, the town council sold two old barns near the mill.",
        ),
        (
            "en",
            "Is the fee of the Heron Cup £25?",
            "The Otter Cup is held in May; the fee is £18.",
        ),
    ],
)
def test_a_number_that_is_so_or_of_another_thing_is_not_told(
    language: str, question: str, text: str
) -> None:
    assert not find(question, text, language)


def test_a_name_that_the_title_has_beside_the_thing_is_no_other_thing() -> None:
    question, text = "Wurde das Bad 1943 gebaut?", "Das Bad Hohenau wurde 1934 gebaut."
    assert find(question, text, "de", "Das Bad Hohenau")
    assert not find(question, text, "de")


def test_a_price_behind_another_value_is_told_of_what_the_title_names() -> None:
    text = "Les travaux du toit commencèrent en 1983 et coûtèrent 4,2 millions de francs."
    assert find("Le toit coûta-t-il 2,4 millions de francs ?", text, "fr", "Le toit")


@pytest.mark.parametrize(
    ("language", "question", "text", "found"),
    [
        ("de", "Kostet das Boot für Kinder 9 Euro?", PRICES, "Boot | 12 € | 7 €"),
        ("de", "Kostet das Boot für Erwachsene 20 Euro?", PRICES, "Boot | 12 € | 7 €"),
        ("en", "Does the Petrel cost £40?", FEES, "Petrel | 4 | £65"),
        # In the column that is asked for, in either, or of no row that is named.
        ("de", "Kostet das Boot für Kinder 7 Euro?", PRICES, ""),
        ("de", "Kostet das Boot 7 Euro?", PRICES, ""),
        ("de", "Kostet das Boot 5 Euro?", PRICES, ""),
        ("en", "Does the Petrel cost £65?", FEES, ""),
        ("en", "Does the Gannet cost £40?", FEES, ""),
    ],
)
def test_a_cell_is_told_by_its_row_and_column(
    language: str, question: str, text: str, found: str
) -> None:
    assert find(question, text, language).partition(" > ")[2] == found


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # It is so, or is the other value that is asked about.
        ("en", "Do students pay £18 instead of £32?", "Members pay £32.\nStudents pay £18."),
        ("en", "Did the town sell the mill in 1994?", "In 1994 the town sold the mill."),
        ("de", "Kostet ein Schrank 1 Euro?", "Ein Stuhl kostet 3 Euro, ein Schrank 1 Euro."),
        # Not so much, but a difference, a bound or a time of many.
        ("en", "Does a bag cost £14 more than a box?", "A bag costs £40 more than a box."),
        ("de", "Hat das Bad bis 20 Uhr geöffnet?", "Das Bad hat täglich bis 19 Uhr geöffnet."),
        (
            "en",
            "Did the mill have guests in 2010?",
            "In 1990 the mill had 40 guests; in 2005 it had 90.",
        ),
        (
            "en",
            "How many sailors did she save in 1905?",
            "Nora, the keeper, saved 12 sailors in 1903.",
        ),
        # Of another subject.
        (
            "en",
            "Did the tower burn in 1850?",
            "The bridge was built in 1890, and the tower burnt down.",
        ),
        ("de", "Hält der Zug 74 am Markt?", "Der Bus 47 hält am Markt."),
    ],
)
def test_no_value_is_told_where_it_may_be_so(language: str, question: str, text: str) -> None:
    assert not find(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        (
            "de",
            "Wurde das Rad von der Firma Holt gebaut?",
            "Das Rad wurde von der Firma Senn gebaut.",
        ),
        (
            "en",
            "Was the mill founded by Ines Falk?",
            "The mill was founded in 1987 by the potter Edith Varga.\nIts deputy is Ines Falk.",
        ),
        (
            "fr",
            "Le moulin fut-il dirigé par Pierre Gonon ?",
            "Le moulin fut dirigé par Anne Marchand.\nLe maître était Pierre Gonon.",
        ),
        (
            "en",
            "Was Tom Birch born in Dundee?",
            "Her pupil is Tom Birch.\nBirch was born in Aberdeen.",
        ),
    ],
)
def test_another_name_is_told_where_it_stands_in_its_place(
    language: str, question: str, text: str
) -> None:
    assert find(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        (
            "de",
            "Wurde das Bad von Otto Krell gebaut?",
            "Das Bad wurde vom Meister Otto Krell gebaut.",
        ),
        (
            "de",
            "Wurde das Rad von der Firma Senn gebaut?",
            "Das Rad wurde von der Firma Senn gebaut.",
        ),
        (
            "en",
            "Was Tom Birch born in Dundee?",
            "Tom Birch and Ann Birch live here.\nBirch was born in Ayr.",
        ),
        (
            "en",
            "Did Ines Falk found the mill?",
            "The mill was founded by Ines Falk and Edith Varga.",
        ),
    ],
)
def test_no_name_is_told_where_it_may_be_so(language: str, question: str, text: str) -> None:
    assert not find(question, text, language)


def test_a_passage_of_one_paragraph_is_read_too() -> None:
    text = "A bag weighs 12.5 kilograms."
    other = find_other_value(
        analyse_question("Does a bag weigh 15 kilograms?", "en"), [passage(text, text)]
    )
    assert other is not None
    assert other.asked == "15 kilograms"


def test_another_value_is_not_told_as_unknown_too() -> None:
    text, asked = (
        "The kiln was built by the firm Kern in 2002.",
        "Was the kiln built by the firm Senn?",
    )
    found = search_result((passage(text, text),), passed=False, probability=0.1)
    found = replace(found, unknown_words=("senn", "gnus"))
    question, texts = Question("book", 1, asked, language="en"), load_profile("default").refusals
    refusal = refuse_unwritten(found, question, analyse_question(asked, "en"), texts)
    assert refusal is not None
    assert refusal.message.count("Senn") == 1
    assert "gnus" in refusal.message


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Why does the CM-30 cost £5,000?", "£5,000 > Price | £4,850 | £9,200"),
        ("Why does the CM-30 cost £9,200?", ""),
        ("Why does the CM-50 cost £5,000?", ""),
    ],
)
def test_things_may_stand_in_the_columns_of_their_prices(question: str, found: str) -> None:
    text = "Feature | CM-20 | CM-30\nPrice | £4,850 | £9,200"
    assert find(question, text, "en") == found
