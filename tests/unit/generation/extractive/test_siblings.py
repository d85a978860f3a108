"""What a table says of a sibling does not lead, and the row of what is named does."""

import pytest

from tests.unit.generation.extractive.test_kinds import lead

SOAPS = "Atelier | Durée | Prix\nSavon noir | 2 heures | 40 €\nTeinture | 3 heures | 60 €"
TUBES = """Tube | Weight | Use | Fuel
Heron Light | 1.4 | track | gas
B12 | 3.1 | farm | coke
Drover | 2.6 | cargo | oil"""
FEUX = "Feu | Portée\nKermor | 22 milles\nKermor Petit | 8 milles"
LADEN = "Modell | Gewicht | Brennstoff\nS5 | 210 | Gas\nS30 | 820 | Öl"


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("fr", "Combien coûte l'atelier Savon blanc ?", SOAPS),
        ("fr", "Combien coûte le savon blanc ?", f"{SOAPS}\nLa corde coûte 3 €."),
        ("en", "How heavy is the Heron Classic?", TUBES),
        ("en", "Why does the Heron Light weigh 1.4?", TUBES),
        # Nothing says it of the thing that the table names.
        ("en", "Which colour is the B12?", f"{TUBES}\nThe door has a colour of its own."),
        ("de", "Welche Farbe hat der S30?", f"{LADEN}\nDie Farbe sieht man am Fenster."),
    ],
)
def test_a_sibling_does_not_lead(language: str, question: str, text: str) -> None:
    assert not lead(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text", "row"),
    [
        ("fr", "Combien coûte l'atelier Savon noir ?", SOAPS, "Savon noir | 2 heures | 40 €"),
        # A verb that only asks for what a column has.
        ("en", "Which fuel does the B12 need?", TUBES, "B12 | 3.1 | farm | coke"),
        ("de", "Welchen Brennstoff benötigt der S5?", LADEN, "S5 | 210 | Gas"),
        # A sentence of the thing says something else of it.
        (
            "en",
            "Which fuel does the B12 need?",
            f"{TUBES}\nThe B12 needs a dry shed.",
            "B12 | 3.1 | farm | coke",
        ),
        # The name of another goes on behind it.
        ("fr", "Quelle est la portée du feu de Kermor ?", FEUX, "Kermor | 22 milles"),
        # A column is called by what is measured, and has no unit.
        ("en", "How heavy is the B12?", TUBES, "B12 | 3.1 | farm | coke"),
        ("de", "Wie schwer ist der S5?", LADEN, "S5 | 210 | Gas"),
        # What is said of all of its kind is said of it.
        (
            "en",
            "What do Heron frames have?",
            f"{TUBES}\nHeron frames have a bell.",
            "Heron frames have a bell.",
        ),
        # What has the code of the thing need not say its noun, which a row of another has.
        (
            "en",
            "How many sacks can a K9 heron draw on?",
            f"{TUBES}\nFor the K9 there are 40 sacks.",
            "For the K9 there are 40 sacks.",
        ),
    ],
)
def test_the_row_of_the_thing_leads(language: str, question: str, text: str, row: str) -> None:
    assert lead(question, text, language) == row
