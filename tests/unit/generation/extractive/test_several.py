"""What a question asks of several things leads for all of them."""

import pytest

from tests.support.leads import lead_of, lead_places_of

BUILT = "The line was built by the Tenn Company."
LAMPS = [
    "A green lamp means that the drive is ready.",
    "An amber lamp means that the guard is open.",
    "A red lamp means that the drive has tripped.",
]
TABLE = ["Model | Mass (kg) | Colour", "CL-250 | 145 | green", "CL-320 | 310 | grey"]


@pytest.mark.parametrize(
    ("question", "language", "sentences"),
    [
        ("What do the indicator lamps mean?", "en", LAMPS),
        (
            "Was bedeuten die Lampen?",
            "de",
            ["Eine grüne Lampe bedeutet Ruhe.", "Eine rote Lampe bedeutet Gefahr."],
        ),
        (
            "Que signifient les lampes ?",
            "fr",
            ["Une lampe verte signifie le repos.", "Une lampe rouge signifie un danger."],
        ),
    ],
)
def test_all_sentences_that_say_it_of_several_things_lead(
    question: str, language: str, sentences: list[str]
) -> None:
    nearness = [0.9, *(0.05 for _ in sentences[1:])]
    assert lead_places_of(question, sentences, nearness, language, between=" ") == [
        " ".join(sentences)
    ]


def test_one_sentence_leads_for_one_thing() -> None:
    nearness = [0.9, 0.05, 0.05]
    assert lead_places_of("What does a green lamp mean?", LAMPS, nearness, between=" ") == LAMPS[:1]


def test_a_sentence_that_says_something_else_of_them_does_not_lead_with_them() -> None:
    sentences = [*LAMPS[:2], "Ask in Sheffield for a lamp.", "Ask for the key."]
    found = lead_places_of(
        "What do the lamps mean?", sentences, [0.9, 0.05, 0.05, 0.05], between=" "
    )
    assert found == [" ".join(LAMPS[:2])]


def test_all_rows_lead_where_values_of_them_all_are_asked() -> None:
    nearness = [0.1, 0.3, 0.9]
    found = lead_places_of(
        "What colours do the lathes have?", TABLE, nearness, titles=("Book", "Lathes")
    )
    assert found == TABLE[1:]


def test_the_row_that_a_question_names_leads_alone() -> None:
    nearness = [0.1, 0.3, 0.9]
    assert lead_places_of("Which colours does the CL-320 have?", TABLE, nearness) == TABLE[2:]


def test_no_more_leads_than_there_is_room_for() -> None:
    rows = [f"CL-{at} | {at} | {'green ' * 20}" for at in range(10)]
    found = lead_places_of("What colours do they have?", [TABLE[0], *rows], [0.1, *[0.5] * 10])
    assert 1 < len(found) < 6


@pytest.mark.parametrize(
    ("other", "is_shown"),
    [
        ("Lord Ambley would not sell his meadows.", False),
        ("It was dug in a year.", True),
        ("The line has two bridges.", True),
    ],
)
def test_a_neighbour_leads_with_it_that_says_something_of_the_question(
    other: str, is_shown: bool
) -> None:
    found = lead_of("Who built the line?", [BUILT, other], [0.9, 0.8], between=" ")
    assert found == (f"{BUILT} {other}" if is_shown else BUILT)


def test_a_neighbour_in_a_language_that_drops_its_subject_may_go_on() -> None:
    pieces = ["La línea fue construida por Ana Ribera.", "Tardó un año."]
    assert lead_of("¿Quién construyó la línea?", pieces, [0.9, 0.8], "es", between=" ").endswith(
        "año."
    )


def test_rows_below_the_name_of_what_is_asked_for_lead_before_a_sentence_about_one() -> None:
    sentence = "Spare parts are kept for ten years after a model is withdrawn."
    pieces = [*TABLE, sentence]
    nearness = [0.1, 0.3, 0.3, 0.9]
    assert lead_places_of("Which models are there?", pieces, nearness) == TABLE[1:]
    found = lead_places_of("Which models are withdrawn after ten years?", pieces, nearness)
    assert found == [sentence]
