"""A row is asked of a column, by its word, its measure or who does it; what it leaves empty is told."""

import pytest

from libs.language.lexicon import load_lexicon
from libs.profiles import load_profile
from libs.question.analyse import analyse_question
from services.generation.extractive.candidates import list_candidates
from services.generation.extractive.columns import is_empty_for
from services.generation.extractive.lookup import find_empty_row, find_row
from services.generation.model import BlockKind, Passage
from services.generation.refuse import refuse_empty
from tests.support.generation_fakes import passage, question, search_result
from tests.support.leads import lead_places_of

PUMPS = {
    "en": (
        "Pump | Weight | Current | Speed | Maker | Colour",
        "Otter | 38 kg | 4 A | 900 rpm | Lund | ",
        "Otter Twin | 61 kg |  | 700 rpm | Lund | green",
        "Heron | 12 kg | 2 A | 1400 rpm |  | red",
    ),
    "de": (
        "Pumpe | Gewicht | Hersteller | Farbe",
        "Otter | 38 kg | Lund | ",
        "Reiher | 12 kg |  | rot",
    ),
    "fr": (
        "Pompe | Poids | Constructeur | Couleur",
        "Loutre | 38 kg | Lund | ",
        "Héron | 12 kg |  | rouge",
    ),
    "es": (
        "Bomba | Peso | Constructor | Color",
        "Nutria | 38 kg | Lund | ",
        "Garza | 12 kg |  | rojo",
    ),
    "pt": (
        "Bomba | Peso | Construtor | Cor",
        "Lontra | 38 kg | Lund | ",
        "Garça | 12 kg |  | rubra",
    ),
    "ru": (
        "Насос | Вес | Строитель | Цвет",
        "Выдра | 38 кг | Лунд | ",
        "Цапля | 12 кг |  | красный",
    ),
}


def table(language: str) -> Passage:
    text = "\n".join(PUMPS[language])
    return passage(text, text, BlockKind.TABLE, section_path=("Book", "1"))


def looked_up(asked: str, language: str, *prose: str) -> str:
    held = (table(language), *(passage(one, one) for one in prose))
    row = find_row(analyse_question(asked, language), list_candidates(held, language))
    return row.text.strip() if row else ""


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        ("How much current does the Otter draw?", "Otter | 38"),
        ("How fast does the Heron turn?", "Heron"),
        # Its name is the beginning of another's.
        ("How heavy is the Otter?", "Otter | 38"),
        ("How heavy is the Otter Twin?", "Otter Twin"),
    ],
)
def test_a_column_is_asked_of_by_what_it_measures_or_by_who_does_it(asked: str, row: str) -> None:
    assert looked_up(asked, "en").startswith(row)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("How heavy is the Heron?", "The Heron stands beside the door."),
        ("How fast does the Heron turn?", "The Heron is painted every seven years."),
    ],
)
def test_a_sentence_that_says_nothing_of_it_does_not_hide_the_row(asked: str, said: str) -> None:
    assert looked_up(asked, "en", said)


def test_a_sentence_that_says_it_hides_the_row() -> None:
    assert not looked_up("How heavy is the Heron?", "en", "The Heron weighs 12 kg.")
    assert not looked_up("Who makes the Heron?", "en", "The Heron is made by Ada Finch.")


@pytest.mark.parametrize(
    ("language", "asked", "name"),
    [
        ("en", "What colour is the Otter?", "Otter |"),
        ("en", "How much current does the Otter Twin draw?", "Otter Twin"),
        ("de", "Welche Farbe hat der Otter?", "Otter"),
        ("de", "Wer stellt den Reiher her?", "Reiher"),
        ("fr", "Quelle est la couleur de la Loutre ?", "Loutre"),
        ("es", "¿De qué color es la Nutria?", "Nutria"),
        ("es", "¿Quién construyó la Garza?", "Garza"),
        ("pt", "De que cor é a Lontra?", "Lontra"),
        ("ru", "Какого цвета Выдра?", "Выдра"),
    ],
)
def test_a_row_with_nothing_in_its_column_is_told(language: str, asked: str, name: str) -> None:
    analysis = analyse_question(asked, language)
    row = find_empty_row(analysis, list_candidates((table(language),), language))
    assert (row.text if row else "").startswith(name)
    assert bool(row) == bool(name)
    if row:
        own = question(asked, language=language)
        found = search_result((table(language),))
        texts = load_profile("").refusals
        told = refuse_empty(found, own, texts, analysis, withheld=False, has_model=False)
        beginning = load_lexicon(language).refusals.empty_cell.partition("{row}")[0]
        assert f"{beginning}{row.text.strip()}" in told.message


def test_a_full_cell_is_not_empty_and_neither_is_one_of_an_unknown_column() -> None:
    header, otter, *_ = PUMPS["en"]
    assert not is_empty_for(analyse_question("How heavy is the Otter?"), otter, header)
    assert not is_empty_for(analyse_question("Where does the Otter stand?"), otter, header)
    assert not is_empty_for(analyse_question("What colour is the Otter?"), "Otter | 38 kg", header)


def test_a_cell_that_names_both_sides_heads_no_column_of_either() -> None:
    header = "Talking | You write kickoffs and heartbeats. | You lead both."
    row = "Trust | Your work is looked at. | Nobody looks at it."
    told = "A kickoff says what is planned.", "A heartbeat says what was done."
    asked = "What is the difference between a kickoff and a heartbeat?"
    lead = lead_places_of(asked, (header, row, *told), (0.3, 0.1, 0.5, 0.5))
    assert lead == list(told)
