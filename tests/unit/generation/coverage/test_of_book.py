"""What names the book is no name that its passages have to say."""

from libs.question.analyse import analyse_question
from services.generation.coverage.check import is_covered
from services.generation.model import Gate, Question, SearchResult


def is_answered(text: str, language: str, *unknown: str) -> bool:
    found = SearchResult(passages=(), gate=Gate(0.9, 0.5, True), unknown_words=unknown)
    asked = analyse_question(text, language)
    return is_covered(found, Question("book", 1, text, language=language), asked)


def test_words_for_the_book_need_not_stand_in_it() -> None:
    assert is_answered("De quoi parle ce manuel ?", "fr", "manuel")
    assert is_answered("Wie heißt dieses Buch?", "de", "heißt")
    assert not is_answered("De quoi parle la fable ?", "fr", "fable")
