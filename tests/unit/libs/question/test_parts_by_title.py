"""A question for the chapters of a part that it names by its title is one about the book."""

import pytest

from libs.question.about_book import BookAspect
from libs.question.analyse import analyse_question


@pytest.mark.parametrize(
    ("language", "question", "title"),
    [
        ("en", "Which chapters are in the part on plants?", "plants"),
        ("de", "Welche Kapitel sind im Teil Pflanzen?", "Pflanzen"),
        ("de", "Welche Kapitel gehören zum Teil „Der Boden“?", "Der Boden"),
        ("fr", "Quels chapitres sont dans la partie Technique ?", "Technique"),
        ("fr", "Quels chapitres contient la partie « Le sol » ?", "Le sol"),
        ("es", "¿Qué capítulos hay en la parte Técnica?", "Técnica"),
        ("pt", "Quais capítulos há na parte Técnica?", "Técnica"),
    ],
)
def test_a_part_is_named_by_its_title(language: str, question: str, title: str) -> None:
    asked = analyse_question(question, language).about_book
    assert asked is not None
    assert (asked.aspect, asked.title) == (BookAspect.CHAPTERS, title)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Welche Teile hat die Pumpe?"),
        ("fr", "Quelles parties a la pompe ?"),
        ("es", "¿Qué partes tiene la bomba?"),
        ("pt", "Que partes tem a bomba?"),
    ],
)
def test_parts_of_a_thing_are_no_parts_of_the_book(language: str, question: str) -> None:
    assert analyse_question(question, language).about_book is None


def test_a_booklet_is_a_book() -> None:
    asked = analyse_question("Who wrote this booklet?").about_book
    assert asked is not None
    assert asked.aspect is BookAspect.AUTHOR
