"""What something is, is told by a sentence about it where none defines it."""

import pytest

from tests.support.leads import lead_of


@pytest.mark.parametrize(
    ("language", "question", "beside", "denied", "told"),
    [
        (
            "en",
            "What is Tarsk?",
            "Nobody ever drowned off Tarsk.",
            "Tarsk never had a harbour.",
            "Tarsk lies four miles off the coast and has 90 inhabitants.",
        ),
        (
            "de",
            "Was ist Tarsk?",
            "Niemand ertrank je vor Tarsk.",
            "Tarsk hatte nie einen Hafen.",
            "Tarsk liegt vier Meilen vor der Küste.",
        ),
        (
            "fr",
            "Qu'est-ce que Tarsk ?",
            "Personne ne se noya devant Tarsk.",
            "Tarsk n'eut jamais de port.",
            "Tarsk se trouve à quatre milles de la côte.",
        ),
    ],
)
def test_a_sentence_about_the_thing_leads_before_one_that_names_it(
    language: str, question: str, beside: str, denied: str, told: str
) -> None:
    assert lead_of(question, (beside, denied, told), (0.9, 0.6, 0.5), language) == told


def test_a_definition_leads_before_a_sentence_about_the_thing() -> None:
    told, defined = "Tarsk lies far off.", "A wind of the north, Tarsk is a storm that lasts."
    assert (
        lead_of("What is Tarsk?", (told, "Tarsk is an island."), (0.9, 0.5))
        == "Tarsk is an island."
    )
    assert lead_of("Where is Tarsk?", (defined, told), (0.2, 0.9)) == told
