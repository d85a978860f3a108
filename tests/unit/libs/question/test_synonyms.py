"""A book may have other words for those of a question."""

from libs.question.synonyms import known_as
from libs.text import terms


def test_a_word_is_known_as_itself_and_by_its_synonyms() -> None:
    [fix], [repair] = terms("fix"), terms("repairs")
    assert {fix, repair} <= known_as(fix)
    assert known_as("zebra") == {"zebra"}


def test_the_words_of_one_language_mean_nothing_in_another() -> None:
    [fix] = terms("fix")
    assert known_as(fix, "zz") == {fix}
