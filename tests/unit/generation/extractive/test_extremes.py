"""Which row has the most or the least is told by the whole table, or not at all."""

import pytest

from tests.support.leads import lead_of, lead_places_of

ROOMS = "Room | Area | Seats", "Alder | 42 m² | 20", "Birch | 118 m² | 90", "Cedar | 27 m² | 12"
TICKETS = "Ticket | Price", "Day ticket | 12 €", "Evening ticket | 7 €", "Week ticket | 48 €"
RAIN = "Month | Rain", "January | 61 mm", "May | 44 mm", "August | 93 mm"
KARTEN = "Karte | Preis", "Tageskarte | 12 €", "Abendkarte | 7,50 €", "Wochenkarte | 48 €"
RUCHERS = "Rucher | Miel (kg) | Pertes", "Gare | 114 | 17", "Opéra | 201 | 12", "Jardin | 92 | 8"
ROUTES = "Route | Length (km)", "Lake | 7", "Pass | 11", "Spring | 9"
PATHS = "Маршрут | Длина, км", "К озеру | 11", "К роднику | 3", "На перевал | 9"
SALAS = "Sala | Superficie | Plazas", "Roble | 42 m² | 20", "Haya | 118 m² | 90"


def lead(question: str, rows: tuple[str, ...], language: str = "en", before: str = "") -> str:
    """What leads where the first row below the header is the nearest."""
    lines = (*((before,) if before else ()), *rows)
    nearness = [0.9 - abs(number - 1) / 10 for number in range(len(lines))]
    return lead_of(question, lines, nearness, language, titles=("Chapter", "House"))


@pytest.mark.parametrize(
    ("question", "rows", "language", "row"),
    [
        ("Which room is the largest?", ROOMS, "en", "Birch"),
        ("Which room is the smallest?", ROOMS, "en", "Cedar"),
        ("Which room has the most seats?", ROOMS, "en", "Birch"),
        ("Which room has the fewest seats?", ROOMS, "en", "Cedar"),
        ("In which room were there most seats?", ROOMS, "en", "Birch"),
        ("Which room had fewest seats?", ROOMS, "en", "Cedar"),
        ("What is the cheapest ticket?", TICKETS, "en", "Evening"),
        ("Which ticket is the most expensive?", TICKETS, "en", "Week"),
        ("Which month had the most rain?", RAIN, "en", "August"),
        ("Was ist die billigste Karte?", KARTEN, "de", "Abendkarte"),
        ("¿Cuál es la sala más grande?", SALAS, "es", "Haya"),
        ("¿Qué sala tiene más plazas?", SALAS, "es", "Haya"),
        ("Quel rucher a donné le plus de miel ?", RUCHERS, "fr", "Opéra"),
        ("Quel rucher a le moins de pertes ?", RUCHERS, "fr", "Jardin"),
        ("Which route is the longest?", ROUTES, "en", "Pass"),
        ("Какой маршрут самый длинный?", PATHS, "ru", "озеру"),
        (
            "Qual é a sala mais barata?",
            ("Sala | Preço", "Roble | 12 €", "Haya | 7 €"),
            "pt",
            "Haya",
        ),
    ],
)
def test_the_row_at_the_end_that_is_asked_for_leads(
    question: str, rows: tuple[str, ...], language: str, row: str
) -> None:
    assert row in lead(question, rows, language)


def test_a_table_is_of_what_stands_over_it() -> None:
    rows = "Model | Swing | Mass", "CL-250 | 250 | 145", "CL-400 | 400 | 620"
    prose = "The bed of every lathe is hardened."
    assert "CL-400" in lead_of(
        "Which lathe is the heaviest?",
        (prose, "Table 1: Lathes", *rows),
        (0.9, 0.5, 0.4, 0.6, 0.5),
        titles=("Book", "Machines"),
    )


def test_a_question_of_what_a_row_names_in_any_cell_is_of_that_row() -> None:
    types = "Length | Signed | Unsigned", "8-bit | i8 | u8", "128-bit | i128 | u128"
    assert "i128" in lead("What is the largest number that the type `i128` has?", types)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the cheapest ticket?", (*TICKETS, "Night ticket | 7 €")),
        ("What is the cheapest ticket?", (*TICKETS, "Child ticket | free")),
        ("What is the cheapest ticket?", (*TICKETS, "Group ticket | 50 $")),
        ("What is the cheapest drink?", TICKETS),
        ("Which room is the longest?", ROOMS),
        ("Which room is the largest?", ("Room | Area", "Alder | 1.200 m²", "Birch | 118 m²")),
    ],
)
def test_no_row_leads_where_the_table_does_not_decide(question: str, rows: tuple[str, ...]) -> None:
    assert lead(question, rows) == ""


def test_no_row_leads_where_a_verb_tells_what_is_compared() -> None:
    rain = "Monat | Regen", "Januar | 61 mm", "August | 93 mm"
    assert lead("In welchem Monat regnete es am meisten?", rain, "de") == ""
    assert lead("In which month did it pour the most?", RAIN) == ""


def test_a_span_that_says_it_in_so_many_words_leads_as_ever() -> None:
    said = "The largest room is Birch."
    assert lead("Which room is the largest?", ROOMS, before=said).startswith("The largest")
    rows = ("Side | Length", "Longest side | 40 cm", "Shortest side | 20 cm")
    assert "40 cm" in lead("How long is the longest side?", rows)
    runs = "Robot | Run", "X2 | 20 h", "X3 | 40 h"
    assert "X2" in lead("What is the longest run of the robot X2?", runs)
    assert "Alder" in lead("Which room is next to the garden?", ROOMS)


RECORDERS = (
    "Model | Weight | Price",
    "Reed One | 240 g | £65",
    "Reed Duo | 310 g | £120",
    "Marsh | 4.2 kg | £275",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which is cheaper, the Reed Duo or the Reed One?", (1, 2)),
        ("Which costs more, the Reed One or the Reed Duo?", (2, 1)),
        # Two units are not compared, and both rows say what a reader can.
        ("Which is heavier, the Reed One or the Marsh?", (1, 3)),
    ],
)
def test_both_rows_lead_of_two_that_are_compared_and_first_the_one_that_has_more(
    question: str, rows: tuple[int, ...]
) -> None:
    lead = lead_places_of(question, RECORDERS, (0.1, 0.2, 0.9, 0.3))
    assert lead == [RECORDERS[at] for at in rows]
