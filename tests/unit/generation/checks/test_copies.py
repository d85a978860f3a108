"""A copy of the book's sentence with something changed is told from one in other words."""

import pytest

from services.generation.checks.copies import is_altered_copy

NEAR = [
    "They age faster in heat, and cold slows the ageing of a cell.",
    "A cell must not be opened.",
]


@pytest.mark.parametrize(
    "sentence",
    [
        "They age faster in heat.",
        "Cold slows the ageing of a cell.",
        "They age slower in heat, and cold slows the ageing of a cell.",
        "They age faster in heat, and cold slows the ageing of every cell.",
        "In cold they age faster, and heat slows the ageing of a cell.",
        "The ageing of a cell slows cold.",
    ],
)
def test_a_sentence_close_to_the_books_or_a_part_of_it_is_a_copy(sentence: str) -> None:
    assert is_altered_copy(sentence, NEAR)


@pytest.mark.parametrize(
    "sentence",
    [
        "Lithium cells age faster in heat, and cold slows the ageing of a cell.",
        "Cells grow old sooner where it is warm.",
        "Keep a cell closed.",
        "",
    ],
)
def test_other_words_are_no_copy_nor_is_a_pronoun_that_is_resolved(sentence: str) -> None:
    assert not is_altered_copy(sentence, NEAR)
