"""A question that names a row and a column of a table is answered by that row, in each language."""

from dataclasses import replace

import pytest

from libs.question.analyse import analyse_question
from services.generation.extractive.candidates import list_candidates
from services.generation.extractive.lookup import find_row, has_row_for, lacks_row
from services.generation.model import BlockKind, Passage, Question
from services.generation.retrieve import accept_listed
from tests.support.generation_fakes import passage, search_result
from tests.support.leads import lead_of, passage_of

FEES = {
    "en": (
        "Customer | Annual fee | Bin size",
        "Inn | 640 euros | 11 l",
        "School | 480 euros | 7 l",
    ),
    "de": (
        "Kunde | Jahresgebühr | Tonnengröße | Abholung",
        "Gasthaus | 640 Euro | 1100 Liter | täglich",
        "Schule | 480 Euro | 770 Liter | monatlich",
    ),
    "es": (
        "Cliente | Tasa anual | Recogida",
        "Posada | 640 € | diaria",
        "Escuela | 480 € | mensual",
    ),
    "fr": (
        "Client | Redevance annuelle | Poids",
        "Auberge | 640 € | 20 kg",
        "École | 480 € | 9 kg",
    ),
    "pt": (
        "Cliente | Taxa anual | Peso",
        "Pousada | 640 euros | 20 kg",
        "Escola | 480 euros | 9 kg",
    ),
    "ru": (
        "Клиент | Годовой сбор | Вес",
        "Гостиница | 640 евро | 20 кг",
        "Школа | 480 евро | 9 кг",
    ),
    "ja": ("客 | 年会費 | 大きさ", "旅館 | 640円 | 11", "学校 | 480円 | 77"),
}


def table(language: str) -> Passage:
    text = "\n".join(FEES[language])
    return passage(text, text, BlockKind.TABLE, section_path=("Book", "1"))


def row_for(question: str, language: str) -> str:
    held = (table(language),)
    row = find_row(analyse_question(question, language), list_candidates(held, language))
    return row.text if row else ""


@pytest.mark.parametrize(
    ("language", "question", "row"),
    [
        ("en", "What is the annual fee for an inn?", "Inn"),
        ("de", "Wie hoch ist die Jahresgebühr für ein Gasthaus?", "Gasthaus"),
        ("de", "Wie groß ist die Tonne einer Schule?", "Schule"),
        ("de", "Wie oft wird bei der Schule abgeholt?", "Schule"),
        ("es", "¿Cuál es la tasa anual de una posada?", "Posada"),
        ("es", "¿Con qué frecuencia se recoge en la escuela?", "Escuela"),
        ("fr", "À combien s'élève la redevance annuelle pour une école ?", "École"),
        ("fr", "Combien pèse une auberge ?", "Auberge"),
        ("pt", "Qual é a taxa anual de uma pousada?", "Pousada"),
        ("ru", "Каков годовой сбор для гостиницы?", "Гостиница"),
        ("ja", "旅館の年会費はいくらですか。", "旅館"),
    ],
)
def test_the_row_with_every_word_of_the_question_is_found(
    language: str, question: str, row: str
) -> None:
    assert row_for(question, language).startswith(row)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        # There is no such row, no such column, or none with a value of the kind.
        ("de", "Wie hoch ist die Jahresgebühr für ein Krankenhaus?"),
        ("de", "Wie hoch ist die Kaution für ein Gasthaus?"),
        ("de", "Wie schwer ist die Tonne einer Schule?"),
        ("en", "How heavy is the bin of a school?"),
        # Two rows, or all.
        ("en", "What is the annual fee for an inn or a school?"),
        ("en", "What annual fees are there?"),
        ("fr", "Combien pèse la lune ?"),
    ],
)
def test_no_row_is_taken_for_another(language: str, question: str) -> None:
    assert row_for(question, language) == ""


PRICES = "Stove | Ember 300 | Ember 300 S\nWeight | 1 kg | 2 kg\nPrice | £289 | £349"


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What does the Ember 900 cost?", ""),
    ],
)
def test_the_thing_of_a_column_is_the_longest_that_is_named(question: str, row: str) -> None:
    held = passage(PRICES, PRICES, BlockKind.TABLE, section_path=("Book", "1"))
    found = find_row(analyse_question(question, "en"), list_candidates((held,), "en"))
    assert (found.text if found else "") == row


def test_a_sentence_that_says_all_of_it_is_no_row() -> None:
    said = "The annual fee for an inn is 640 euros."
    held = (table("en"), passage(said, said))
    assert not has_row_for(analyse_question("What is the annual fee for an inn?"), held)


def test_a_column_without_a_row_of_the_thing_says_that_nothing_answers() -> None:
    items = list_candidates((table("es"),), "es")
    assert lacks_row(analyse_question("¿Cuál es la tasa anual de un hospital?", "es"), items)
    assert not lacks_row(analyse_question("¿Cuál es la tasa anual de una posada?", "es"), items)
    assert not lacks_row(analyse_question("¿Quién construyó el hospital?", "es"), items)


def test_a_row_that_is_asked_for_by_what_else_is_said_of_it_is_not_lacking() -> None:
    items = list_candidates((table("en"),), "en")
    assert lacks_row(analyse_question("What is the annual fee for a smithy?"), items)
    assert not lacks_row(analyse_question("Which customer can nobody charge a fee?"), items)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("Wie hoch ist die Jahresgebühr für ein Gasthaus?", True),
        ("Wie hoch ist die Jahresgebühr für ein Krankenhaus?", False),
    ],
)
def test_a_cell_is_answered_though_the_gate_did_not_pass(text: str, passes: bool) -> None:
    found = search_result((table("de"),), passed=False, probability=0.2)
    found = replace(found, unknown_words=("gasthaus",))
    question = Question("book", 1, text, language="de")
    accepted = accept_listed(found, question, analyse_question(text, "de"))
    assert accepted.gate.passed == passes
    assert accepted.unknown_words == (() if passes else ("gasthaus",))


BOILERS = "Model | Max bar | Weight kg | Fuel\nB12 | 3.5 | 120 | gas\nB14 | 4.0 | 155 | oil"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        *(("Weight kg", True), ("Weight (kg)", True), ("Weight, kg", True)),
        # It is called by what is measured, and another is not.
        *(("Weight", True), ("Width", False), ("Parts", False)),
    ],
)
def test_a_column_of_what_is_measured_has_its_unit_or_its_name(header: str, found: bool) -> None:
    text = BOILERS.replace("Weight kg", header)
    held = passage(text, text, BlockKind.TABLE, section_path=("Book", "1"))
    items = list_candidates((held,), "en")
    row = find_row(analyse_question("What is the weight of the B14?"), items)
    assert (row is not None) == found
    assert row is None or "155" in row.text


MILLS = (
    "Feature | Tern 20 | Tern 30\nPrice | £48 | £92\nMaker | Holt | Senn\nWeight | 210 kg | 540 kg"
)


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        # Of a part of it, of both, and of what no row is called.
        ("How heavy is the keel of the Tern 30?", ""),
        ("How long is the Tern 30?", ""),
    ],
)
def test_a_row_is_looked_up_for_the_thing_that_a_column_is_called_by(asked: str, row: str) -> None:
    held = passage(MILLS, MILLS, BlockKind.TABLE)
    found = find_row(analyse_question(asked, "en"), list_candidates([held], "en"))
    assert (found.text if found else "") == row


MODELS = (
    "| Ember 300 | Ember 500",
    "Weight | 320 g | 780 g",
    "Warranty | 2 years | 5 years",
    "Model 100 was discontinued in 2012 for want of a probe.",
)


@pytest.mark.parametrize(
    ("language", "question", "lead"),
    [
        ("en", "How heavy is model 100?", ""),
        ("en", "What warranty does the Ember 300 have?", MODELS[2]),
        ("en", "When was model 100 discontinued?", MODELS[3]),
    ],
)
def test_values_of_other_numbers_are_not_said_of_this_one(
    language: str, question: str, lead: str
) -> None:
    assert lead_of(question, MODELS, (0.1, 0.3, 0.6, 0.9), language) == lead


def test_a_sentence_that_says_it_of_the_number_leads() -> None:
    told = "Model 100 had a warranty of one year."
    pieces = (*MODELS, told)
    assert lead_of("What warranty did model 100 have?", pieces, (0.1, 0.3, 0.6, 0.4, 0.9)) == told


DATA = (
    "Water | 20 l",
    "Power | 380 W",
    "Weight | 14.8 kg",
    "Noise, low | 36 dB",
    "Noise, full | 48 dB",
)
ABOUT = ("The dehumidifier D20", "Data")


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("How much does the dehumidifier weigh?", 2),
        ("How loud is it at full speed?", 4),
        # Another thing than the titles name, and one of two rows alike.
        ("How much does the lid weigh?", None),
        ("How loud is the lid?", None),
        ("How loud is the dehumidifier?", None),
    ],
)
def test_a_row_called_as_the_measure_is_of_what_the_titles_name(
    question: str, row: int | None
) -> None:
    held = passage_of(DATA, [0.1] * len(DATA), titles=ABOUT)
    analysis = analyse_question(question)
    found = find_row(analysis, list_candidates((held,)))
    assert (found.text if found else None) == (None if row is None else DATA[row])


PARTS = ("Part | Number", "Filter | 4711-2", "Hose | 4733-5")


@pytest.mark.parametrize(
    ("beside", "lacks"),
    [
        ("The compressor has the part number 4750.", False),
        ("The compressor is called 4750.", False),
    ],
)
def test_a_thing_only_spoken_of_elsewhere_has_no_row(beside: str, lacks: bool) -> None:
    held = passage_of((*PARTS, beside), [0.1] * 4)
    analysis = analyse_question("What is the part number of the compressor?")
    assert lacks_row(analysis, list_candidates((held,))) is lacks


def test_a_column_without_figures_may_be_told_in_other_words() -> None:
    rows = ("Part | Role", "Filter | cleans", "Hose | drains")
    held = passage_of((*rows, "The compressor cools the air."), [0.1] * 4)
    analysis = analyse_question("What is the role of the compressor?")
    assert not lacks_row(analysis, list_candidates((held,)))


SHARES = (
    "Signals in the harbour by coast",
    "Signal | North | South",
    "B+ | 18 | 25",
    "B- | 1 | 0.4",
)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What percentage of South signals is B+?", SHARES[2]),
        ("What percentage of South signals is B-?", SHARES[3]),
    ],
)
def test_a_row_is_told_by_its_signs_below_a_title_row(question: str, row: str) -> None:
    held = passage_of(SHARES, (0.5, 0.9, 0.3, 0.3))
    title, *rows = held.spans
    held = replace(held, spans=(replace(title, kind=BlockKind.TABLE), *rows))
    found = find_row(analyse_question(question), list_candidates((held,), "en"))
    assert found
    assert found.text == row
