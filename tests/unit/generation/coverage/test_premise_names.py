"""A name that a question takes for granted is told where the book has another in its place."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.coverage.premise import find_other_value
from tests.support.generation_fakes import passage

FOUNDED = "Jonas Berg founded the mill in 1874."
REBUILT = "The mill stands by the weir. It was rebuilt by Clara Holt after the fire."


def find(question: str, text: str, language: str = "en") -> str:
    held = passage(text, text, section_path=("Book", "The mill"))
    other = find_other_value(analyse_question(question, language), [held])
    return f"{other.asked} > {other.quote}" if other else ""


@pytest.mark.parametrize(
    ("language", "question", "text", "found"),
    [
        # Before the same name.
        ("en", "When did Anna Berg found the mill?", FOUNDED, f"Anna Berg > {FOUNDED}"),
        (
            "en",
            "Why did Peter Holt rebuild the mill?",
            REBUILT,
            "Peter Holt > It was rebuilt by Clara Holt after the fire.",
        ),
        (
            "en",
            "Why was the horse market moved to Abbey Field?",
            "The horse market was moved to Priory Field.",
            "Abbey Field > The horse market was moved to Priory Field.",
        ),
        (
            "de",
            "Wann hat Karl Senn das Salzwerk gegründet?",
            "Das Salzwerk wurde 1823 von Ludwig Senn gegründet.",
            "Karl Senn > Das Salzwerk wurde 1823 von Ludwig Senn gegründet.",
        ),
        (
            "fr",
            "Quand Jacques Marchal a-t-il fondé la fabrique ?",
            "La fabrique fut fondée en 1765 par Henri Marchal.",
            "Jacques Marchal > La fabrique fut fondée en 1765 par Henri Marchal.",
        ),
        # Both words of it.
        ("en", "When did Anna Miller found the mill?", FOUNDED, f"Anna Miller > {FOUNDED}"),
        # Behind the same word.
        (
            "en",
            "Why was the clock made in Geneva?",
            "The clock was made in Bern.",
            "Geneva > The clock was made in Bern.",
        ),
        (
            "es",
            "¿Por qué viene el barro de Toledo?",
            "El barro viene de Burgos.",
            "Toledo > El barro viene de Burgos.",
        ),
    ],
)
def test_the_other_name_is_found_where_the_same_is_said_of_it(
    language: str, question: str, text: str, found: str
) -> None:
    assert find(question, text, language) == found


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # It is the book's, alone or with another.
        ("en", "When did Jonas Berg found the mill?", FOUNDED),
        ("en", "When did Berg found the mill?", FOUNDED),
        ("en", "When did Anna Berg found the mill?", "Anna and Jonas Berg founded the mill."),
        (
            "en",
            "When did Anna Berg found the mill?",
            f"{FOUNDED} Anna Berg had the mill from 1890 on.",
        ),
        # Of something else, by two, or denied.
        ("en", "When did Anna Berg sell the mill?", FOUNDED),
        (
            "en",
            "When did Anna Berg found the mill?",
            f"{FOUNDED} Others say that Karl Berg founded the mill.",
        ),
        ("en", "When did Anna Berg found the mill?", "Jonas Berg never founded the mill."),
        # Asked for.
        ("en", "Who succeeded Anna Berg at the mill?", "Karl Berg succeeded him at the mill."),
        # No names: words with a capital that begin a sentence, and things that are counted.
        ("en", "When did Anna Berg open the mill?", "The Berg mill was opened in 1874."),
        ("de", "Warum kostet ein Sack Salz so viel?", "Eine Tonne Salz kostet so viel."),
        ("de", "Warum wurde die Pumpe in Eile gebaut?", "Die Pumpe wurde in Holz gebaut."),
    ],
)
def test_no_name_is_corrected_where_the_book_may_speak_of_another_thing(
    language: str, question: str, text: str
) -> None:
    assert not find(question, text, language)
