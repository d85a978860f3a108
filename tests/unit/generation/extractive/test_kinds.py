"""What is said of another thing of the kind, of another row or of another measure does not lead."""

import pytest

from tests.support.leads import lead_of

LARGE = "The large kiln was built by Kern in 2002."
ROWS = "Workshop | Master | Rent\nVelvet | Ada Gonon | 840 €\nSatin | Lou Morel | 610 €"
REIHEN = "Kurs | Erwachsene | Dauer\nStimmen | 90 € | zwei Tage\nBauen | 240 € | eine Woche"


def lead(question: str, text: str, language: str = "en", *, best: int = -1) -> str:
    """Return what leads of the lines of `text`, of which the one at `best` is the nearest."""
    lines = text.split("\n")
    nearness = [0.9 if number == best % len(lines) else 0.6 for number in range(len(lines))]
    return lead_of(question, lines, nearness, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "When was the gas kiln built?", LARGE),
        ("en", "When was the gas kiln built?", f"The gas kiln stands outside.\n{LARGE}"),
        ("en", "Who built the test kiln?", LARGE),
        ("de", "Wie viele Register hat die alte Orgel?", "Die neue Orgel hat 8 Register."),
        ("fr", "Combien pèse la vieille presse ?", "La petite presse pèse 350 kilogrammes."),
        (
            "fr",
            "Quand la tour nord fut-elle construite ?",
            "La tour carrée fut construite en 1412.",
        ),
        ("es", "¿Cuánto pesa la prensa vieja?", "La prensa pequeña pesa 350 kilos."),
    ],
)
def test_a_value_of_another_thing_of_the_kind_does_not_lead(
    language: str, question: str, text: str
) -> None:
    assert not lead(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "When was the large kiln built?", LARGE),
        ("en", "When was the gas kiln built?", "The kiln was built in 2002."),
        ("en", "When was the gas kiln built?", "It runs on gas. The large kiln was built in 2002."),
        ("en", "When was the kiln built?", LARGE),
        ("en", "Where is the nearest hospital?", "The next hospital is in Whitby."),
        ("de", "Wie viele Register hat die alte Orgel?", "Die alte Orgel hat 8 Register."),
        ("fr", "Combien pèse la petite presse ?", "La petite presse pèse 350 kilogrammes."),
    ],
)
def test_a_value_of_the_thing_leads(language: str, question: str, text: str) -> None:
    assert lead(question, text, language) == text


def test_no_row_answers_for_one_that_is_not_there() -> None:
    text = f"The house had four workshops.\n{ROWS}"
    assert not lead("What was the rent of the wool workshop?", text, best=2)
    assert "610" in lead("What was the rent of the satin workshop?", text, best=2)
    assert not lead("Was kostet der Kurs Malen?", REIHEN, "de", best=1)
    assert "240" in lead("Was kostet der Kurs Bauen?", REIHEN, "de", best=1)


def test_a_cell_below_the_name_of_what_is_asked_for_leads() -> None:
    rows = "Model | Max bar | {} | Fuel\nB12 | 3.5 | 120 | gas\nB14 | 4.0 | 155 | oil"
    assert "155" in lead("What is the weight of the B14?", rows.format("Weight kg"), best=1)
    assert not lead("What is the weight of the B14?", rows.format("Length mm"), best=1)


def test_words_of_all_rows_name_none_of_them() -> None:
    text = "La maison abritait deux ateliers.\nAtelier | Maître | Loyer annuel\n"
    text += "Velours | Ada Gonon | 840 francs\nSatin | Lou Morel | 610 francs"
    asked = "Quel était le loyer annuel de l'atelier de {} ?"
    assert not lead(asked.format("laine"), text, "fr", best=2)
    assert "610" in lead(asked.format("satin"), text, "fr", best=2)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "How deep is the pool?", "The pool is 50 metres long."),
        ("en", "How wide is the pool?", "The pool is 2 metres deep."),
        ("de", "Wie tief ist das Becken?", "Das Becken ist 50 Meter lang."),
        ("es", "¿Qué profundidad tiene la piscina?", "La piscina tiene 50 metros de largo."),
        ("de", "Wie viel kostete die Rutsche?", "Die Rutsche ist 30 Meter lang."),
        ("fr", "Combien coûta le toit ?", "Le toit a 30 mètres de long."),
    ],
)
def test_another_measure_does_not_lead(language: str, question: str, text: str) -> None:
    assert not lead(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "How deep is the pool?", "The pool is 2 metres deep."),
        ("en", "How wide are transaction numbers?", "Transaction numbers have a size of 32 bits."),
        ("de", "Wie breit ist das Becken?", "Das Becken ist 21 Meter breit."),
        ("de", "Wie viel kostete der Bau?", "Der Bau kostete 86.000 Reichsmark."),
        ("fr", "Combien coûtèrent les travaux ?", "Les travaux coûtèrent 62 000 livres."),
        ("es", "¿Cuánto costó la obra?", "La obra costó 300 ducados."),
        # Nothing is said by "hold", and what takes long is told in other words.
        ("en", "Who holds the copyright?", "Copyright 1996 by Ada Lindt."),
        ("en", "How long does it take to pay off a debt of $900?", "The loan ends after 4 years."),
    ],
)
def test_a_thing_asked_of_leads(language: str, question: str, text: str) -> None:
    said = f"Of a debt this tells more.\n{text}" if "debt" in question else text
    assert lead(question, said, language) in (text, said)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "Why did Ada stop teaching?", "Ada taught at the school until 2011."),
        ("en", "Why did the town sell the mill?", "In 1994 the town sold the mill for £58,000."),
        ("de", "Warum wurde die Mühle verkauft?", "Die Mühle wurde 1994 für 5 Euro verkauft."),
        ("fr", "Pourquoi le moulin fut-il vendu ?", "Le moulin fut vendu en 1994."),
    ],
)
def test_a_date_is_no_reason(language: str, question: str, text: str) -> None:
    assert not lead(question, text, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "Why was the roof renewed?", "The roof was renewed in 2006 after a storm."),
        (
            "de",
            "Warum wurde die Mühle verkauft?",
            "Weil sie leer war, wurde die Mühle 1994 verkauft.",
        ),
    ],
)
def test_a_cause_and_an_event_before_it_are_reasons(
    language: str, question: str, text: str
) -> None:
    assert lead(question, text, language) == text
