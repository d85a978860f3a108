"""A name that a question takes for granted is told where the book has another in its place."""

import pytest

from libs.question.analyse import analyse_question
from services.generation.premise.find import find_other_value
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
        # Behind the same title, of one of several who did it, and in another part of the sentence.
        (
            "en",
            "Why did King Rolf grant the mill?",
            "King Sven granted the mill in 1204.",
            "King Rolf > King Sven granted the mill in 1204.",
        ),
        (
            "en",
            "Why did Bill Lund build the mill?",
            "The mill was built by Karl Senn and Otto Holt.",
            "Bill Lund > The mill was built by Karl Senn and Otto Holt.",
        ),
        (
            "en",
            "Why did Clara Holt design the mill?",
            "The mill was designed by Jonas Berg; the quay was drawn by Clara Holt.",
            "Clara Holt > The mill was designed by Jonas Berg; the quay was drawn by Clara Holt.",
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


DRAWN = "Edwin Quill drew the first catalogue in 1984. Lena Marsh wrote the guide to colours."
OPENED = "The shop builds frames. Martha Quill opened the shop in 1981. It is run by Joris Dekker."


@pytest.mark.parametrize(
    ("language", "question", "text", "found"),
    [
        # The book knows the one who is named, for another deed.
        ("en", "When did Lena Marsh draw the first catalogue?", DRAWN, "Lena Marsh > Edwin Quill"),
        ("en", "Why did Joris Dekker open the shop?", OPENED, "Joris Dekker > Martha Quill"),
        (
            "fr",
            "Où Odile Renard donne-t-elle le stage ?",
            "Odile Renard prend les commandes. Le stage est donné par Paul Lacaze à Lyon.",
            "Odile Renard > Le stage",
        ),
        (
            "es",
            "¿Cuándo escribió Ana Ruiz el catálogo?",
            "El catálogo fue escrito por Luis Vega en 1950. Ana Ruiz pintó el rótulo.",
            "Ana Ruiz > El catálogo",
        ),
        (
            "pt",
            "Quando escreveu Ana Reis o catálogo?",
            "O catálogo foi escrito por Rui Veiga em 1950. Ana Reis pintou a placa.",
            "Ana Reis > O catálogo",
        ),
    ],
)
def test_a_name_known_for_another_deed_is_told(
    language: str, question: str, text: str, found: str
) -> None:
    assert find(question, text, language).startswith(found)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        # The one who is named did it as well, as the sentence before says by name.
        (
            "en",
            "When did Lena Marsh draw the catalogue?",
            "Lena Marsh came in 1981. She drew the catalogue. Edwin Quill drew a first catalogue.",
        ),
        (
            "en",
            "Why did Tomas Birch retire from the mill?",
            "Birch retired early. Jonas Berg retired from the mill.",
        ),
        # Who did something beside whom the sentence before names for it.
        (
            "en",
            "When did Joris Dekker open the shop?",
            "The shop opened in 1981. Its head Edwin Quill drew a map. Joris Dekker came later.",
        ),
        (
            "de",
            "Wann baute Emil Rasch die Brücke?",
            "Emil Rasch hat viel gebaut. Die Brücke wurde von Veit Holl gebaut.",
        ),
    ],
)
def test_a_name_that_may_have_done_it_is_left_alone(
    language: str, question: str, text: str
) -> None:
    assert not find(question, text, language)
